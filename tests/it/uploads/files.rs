//! Tests of uploads of video, audio and other files.

use galley_tests::{TestSite, multipart::Form};
use image::ImageFormat;

use super::{
    path_of,
    sample_images::{dimensions, from_a_camera, sample_image},
    send, served, stored_files,
};

const VIDEO: &[u8] = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41 and so on";

/// Starts a site on which integrations have all permissions that they have in Ghost.
fn site() -> TestSite {
    TestSite::builder().start()
}

fn video() -> Form {
    Form::default().file("file", "Night ferry.mp4", "video/mp4", VIDEO)
}

#[test]
fn video_is_stored_with_its_thumbnail() {
    let app = site();
    let frame = from_a_camera(400, 300);
    let form = video()
        .file("thumbnail", "frame.jpg", "image/jpeg", &frame)
        .field("ref", "one");
    let response = send(&app, "POST", "media/upload/", form);
    assert_eq!(response.status, 201, "{}", response.text());
    let media = &response.json()["media"][0];
    assert_eq!(media["ref"], "one");
    let path = path_of(&app, &media["url"]);
    assert!(
        path.starts_with("/content/media/") && path.ends_with("/Night-ferry.mp4"),
        "{path}"
    );
    let response = app.get(&path);
    assert_eq!((response.status, &response.body[..]), (200, VIDEO));
    assert_eq!(response.header("content-type"), Some("video/mp4"));
    let part = app.send("GET", &path, "range: bytes=4-7\r\n", "");
    assert_eq!((part.status, part.text()), (206, "ftyp"));
    let thumbnail = path_of(&app, &media["thumbnail_url"]);
    assert_eq!(thumbnail, path.replace(".mp4", "_thumb.jpg"));
    let thumbnail = served(&app, &thumbnail);
    assert_eq!(dimensions(&thumbnail), (300, 400));
    assert!(memchr::memmem::find(&thumbnail, b"24.9384").is_none());
}

#[test]
fn video_without_a_thumbnail_is_stored_under_a_numbered_name() {
    let app = site();
    for name in ["Night-ferry.mp4", "Night-ferry-1.mp4"] {
        let response = send(&app, "POST", "media/upload/", video()).json();
        let media = &response["media"][0];
        assert!(media["url"].as_str().unwrap().ends_with(name), "{media}");
        assert!(media["thumbnail_url"].is_null() && media["ref"].is_null());
    }
}

#[test]
fn thumbnail_can_be_replaced() {
    let app = site();
    let uploaded = send(&app, "POST", "media/upload/", video()).json();
    let url = uploaded["media"][0]["url"].as_str().unwrap();
    for width in [40, 50] {
        let sent = sample_image(width, 30, ImageFormat::Png);
        let form = Form::default().field("url", url).field("ref", "two").file(
            "file",
            "x.png",
            "image/png",
            &sent,
        );
        let response = send(&app, "PUT", "media/thumbnail/upload/", form);
        assert_eq!(response.status, 200, "{}", response.text());
        let media = &response.json()["media"][0];
        assert_eq!(media["ref"], "two");
        let path = path_of(&app, &media["url"]);
        assert!(path.ends_with("/Night-ferry_thumb.png"), "{path}");
        assert_eq!(dimensions(&served(&app, &path)), (width, 30));
    }
    assert_eq!(stored_files(&app).len(), 2);
}

#[test]
fn thumbnail_without_a_video_is_rejected() {
    let app = site();
    let sent = sample_image(40, 30, ImageFormat::Png);
    let ask = |url: Option<&str>| {
        let form = Form::default().file("file", "x.png", "image/png", &sent);
        let form = match url {
            Some(url) => form.field("url", url),
            None => form,
        };
        send(&app, "PUT", "media/thumbnail/upload/", form).status
    };
    assert_eq!(ask(None), 422);
    for url in [
        "/content/media/2026/11/nosuch.mp4",
        "/content/media/../galley.redb",
        "/content/media/%2e%2e/galley.redb",
        "/content/images/a.png",
        "https://other.example/content/media/a.mp4",
        "words",
    ] {
        assert_eq!(ask(Some(url)), 404, "{url}");
    }
    assert!(stored_files(&app).is_empty());
}

#[test]
fn media_type_is_detected_by_content() {
    let app = site();
    for (name, kind, content) in [
        ("a.mp4", "video/mp4", &b"<html>"[..]),
        ("a.mp3", "audio/mpeg", VIDEO),
        ("a.html", "video/mp4", VIDEO),
        ("a.mp4", "text/html", VIDEO),
        ("a", "video/mp4", VIDEO),
    ] {
        let form = Form::default().file("file", name, kind, content);
        let response = send(&app, "POST", "media/upload/", form);
        assert_eq!(response.status, 415, "{name} {kind}");
        assert_eq!(
            response.json()["errors"][0]["type"],
            "UnsupportedMediaTypeError"
        );
    }
    for endpoint in ["media/upload/", "files/upload/"] {
        assert_eq!(send(&app, "POST", endpoint, Form::default()).status, 422);
        let form = Form::default().file("upload", "a.mp4", "video/mp4", VIDEO);
        assert_eq!(send(&app, "POST", endpoint, form).status, 400);
    }
}

#[test]
fn files_of_any_type_are_stored_but_served_without_active_content() {
    let app = site();
    for (name, kind, content) in [
        ("paper.pdf", "application/pdf", &b"%PDF-1.7"[..]),
        ("list.csv", "text/csv", b"a,b"),
        ("LICENSE.txt", "", b"words"),
    ] {
        let form = Form::default()
            .field("ref", name)
            .file("file", name, kind, content);
        let response = send(&app, "POST", "files/upload/", form);
        assert_eq!(response.status, 201, "{}", response.text());
        let file = &response.json()["files"][0];
        assert_eq!(file["ref"], name);
        assert_eq!(served(&app, &path_of(&app, &file["url"])), content);
    }
    for name in ["noext", ".htaccess"] {
        let form = Form::default().file("file", name, "text/plain", b"words");
        let response = send(&app, "POST", "files/upload/", form);
        assert_eq!(response.status, 415, "{name}: {}", response.text());
    }
    for name in ["page.html", "page.xhtml", "feed.xml", "a.svg", "a.js"] {
        let form = Form::default().file("file", name, "text/plain", b"<script>harm()</script>");
        let response = send(&app, "POST", "files/upload/", form);
        let response = app.get(&path_of(&app, &response.json()["files"][0]["url"]));
        let policy = response
            .header("content-security-policy")
            .unwrap_or_default();
        assert!(policy.contains("sandbox"), "{name}: {policy}");
        let disposition = response.header("content-disposition");
        assert_eq!(disposition == Some("attachment"), name != "a.svg", "{name}");
    }
}
