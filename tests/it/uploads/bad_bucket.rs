//! Tests of uploads in a bucket that returns other content than was uploaded, or endless lists.

use std::{fs, path::PathBuf};

use galley::bucket::{Bucket, BucketErrorKind, BucketOptions};
use galley_tests::{
    TestSite,
    bucket_server::{BucketServer, Misbehaviour},
    http_client::HttpResponse,
    multipart::Form,
    wait_until,
};

use super::{data_folder, path_of, send};
use crate::themes::archive_of;

const TEXT: &[u8] = b"the timetable of the ferry";

fn app(bucket: &BucketServer) -> TestSite {
    let options = bucket.options_of_uploads();
    let builder = TestSite::builder().without_content();
    options
        .iter()
        .fold(builder, |builder, (key, value)| builder.option(key, value))
        .start()
}

/// Returns the content of the upload `name`. All uploads have the same length.
fn text(name: &str) -> Vec<u8> {
    format!("the content of {name:>20}").into_bytes()
}

/// Uploads a text file, and returns the path at which it is served.
fn upload(app: &TestSite, name: &str) -> String {
    let form = Form::default().file("file", name, "text/plain", &text(name));
    let response = send(app, "POST", "files/upload/", form);
    assert_eq!(response.status, 201, "{name}: {}", response.text());
    path_of(app, &response.json()["files"][0]["url"])
}

/// Returns the local copy of the file that is served at `path`.
fn local_copy(app: &TestSite, path: &str) -> PathBuf {
    let name = path.strip_prefix("/content/").unwrap();
    data_folder(app).join("uploads").join(name)
}

fn forget(app: &TestSite, path: &str) {
    fs::remove_file(local_copy(app, path)).unwrap();
}

fn code(response: &HttpResponse) -> String {
    let errors = response.json();
    errors["errors"][0]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn object_that_is_not_the_upload_is_neither_served_nor_cached() {
    use Misbehaviour::*;
    let bucket = BucketServer::start();
    let app = app(&bucket);
    // `CutOff` is the last case, because after it, the bucket counts as unavailable for a moment.
    let cases = [
        ("page", Page),
        ("changed", Changed),
        ("shorter", Shorter),
        ("longer", Longer),
        ("swapped", Swapped),
        ("unbounded", Unbounded),
        ("cut", CutOff),
    ];
    let paths = cases.map(|(name, how)| {
        let path = upload(&app, &format!("{name}.txt"));
        forget(&app, &path);
        bucket.misbehave("GET", name, how);
        path
    });
    for (path, (name, how)) in paths.iter().zip(cases) {
        for _ in 0..2 {
            let response = app.get(path);
            assert_eq!(response.status, 503, "{name}: {}", response.text());
            assert!(response.header("retry-after").is_some(), "{name}");
            let expected = match how {
                CutOff => "UPLOADS_UNAVAILABLE",
                _ => "UPLOADS_DAMAGED",
            };
            assert_eq!(code(&response), expected, "{name}");
            assert!(!local_copy(&app, path).exists(), "{name}");
        }
        // The second response did not cause another request.
        assert_eq!(bucket.requests("GET", name), 1, "{name}");
    }
    bucket.behave();
    for (path, (name, _)) in paths.iter().zip(cases) {
        let uploaded = text(&format!("{name}.txt"));
        wait_until("the upload is served again", || {
            app.get(path).body == uploaded
        });
    }
    // Bytes after the declared length are ignored.
    forget(&app, &paths[0]);
    bucket.misbehave("GET", "page", Excess);
    let response = app.get(&paths[0]);
    assert_eq!(response.body, text("page.txt"));
    let lasts = response.header("cache-control");
    assert_eq!(lasts, Some("public, max-age=31536000"));
}

#[test]
fn object_without_a_record_must_match_its_name_length_and_entity_tag() {
    use Misbehaviour::*;
    let bucket = BucketServer::start();
    let app = app(&bucket);
    let page = b"<!DOCTYPE html><title>Sign in</title>";
    let png = b"\x89PNG\r\n\x1a\n and more";
    let cases: [(&str, &[u8], Option<Misbehaviour>, u16); 10] = [
        ("good.txt", TEXT, None, 200),
        ("good.png", png, None, 200),
        ("good.html", page, None, 200),
        ("page.png", page, None, 503),
        ("page.pdf", page, None, 503),
        ("sign-in.png", png, Some(Page), 503),
        ("changed.txt", TEXT, Some(Changed), 503),
        ("shorter.txt", TEXT, Some(Shorter), 503),
        ("unbounded.txt", TEXT, Some(Unbounded), 503),
        ("encoded.txt", TEXT, Some(Encoded), 503),
    ];
    for (name, content, how, status) in cases {
        bucket.put(&format!("site/files/{name}"), content);
        if let Some(how) = how {
            bucket.misbehave("GET", name, how);
        }
        let response = app.get(&format!("/content/files/{name}"));
        assert_eq!(response.status, status, "{name}");
    }
    // The first successful fetch adds a record.
    forget(&app, "/content/files/good.txt");
    bucket.put("site/files/good.txt", b"another text");
    let response = app.get("/content/files/good.txt");
    assert_eq!(code(&response), "UPLOADS_DAMAGED");
}

#[test]
fn copy_that_was_not_verified_is_fetched_again() {
    let bucket = BucketServer::start();
    bucket.put("site/files/list.txt", TEXT);
    let options = bucket.options_of_uploads();
    let builder = TestSite::builder().upload("uploads/files/list.txt", "<html> of another");
    let app = options
        .iter()
        .fold(builder, |builder, (key, value)| builder.option(key, value))
        .start();
    assert_eq!(app.get("/content/files/list.txt").body, TEXT);
}

#[test]
fn upload_acknowledged_with_a_web_page_fails() {
    let bucket = BucketServer::start();
    let app = app(&bucket);
    for method in ["HEAD", "PUT"] {
        bucket.misbehave(method, "files", Misbehaviour::Page);
        let form = Form::default().file("file", "a.txt", "text/plain", TEXT);
        let response = send(&app, "POST", "files/upload/", form);
        assert!(response.status >= 500, "{method}: {}", response.text());
        assert!(bucket.requests(method, "files") <= 3, "{method}");
        bucket.behave();
    }
    upload(&app, "a.txt");
}

#[test]
fn altered_theme_is_not_installed() {
    let bucket = BucketServer::start();
    let app = app(&bucket);
    let theme = |index: &str| {
        let package = r#"{"name": "tide", "version": "1.0.0"}"#;
        let files = [
            ("package.json", package),
            ("index.hbs", index),
            ("post.hbs", "{{title}}"),
        ];
        archive_of(&files)
    };
    let upload = |name: &str| {
        let form = Form::default().file("file", name, "application/zip", &theme("mine"));
        let uploaded = send(&app, "POST", "themes/upload/", form);
        assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    };
    upload("tide.zip");
    bucket.put("site/themes/tide.zip", &theme("of another"));
    let fetched = || bucket.requests("GET", "/themes/tide.zip");
    let before = fetched();
    wait_until("the themes are looked at again", || {
        upload("other.zip");
        fetched() > before
    });
    let index = data_folder(&app).join("uploads/themes/tide/index.hbs");
    assert_eq!(fs::read(index).unwrap(), b"mine");
}

#[test]
fn endless_or_invalid_list_is_an_error() {
    use Misbehaviour::*;
    for (how, requests_max, problem) in [
        (RepeatedToken, 2, "repeats itself"),
        (AlternatingTokens, 3, "repeats itself"),
        (RepeatedKeys, 2, "twice"),
        (EmptyPages, 100, "has no end"),
        (LostToken, 1, "cannot be read"),
        (OutsideKey, 1, "outside of the prefix"),
        (Page, 1, "cannot be read"),
    ] {
        let server = BucketServer::start();
        server.misbehave("GET", "list-type", how);
        let options = BucketOptions {
            table: "backup",
            endpoint: Some(server.url().parse().unwrap()),
            region: "eu-west-1".to_owned(),
            access_key: "name".to_owned(),
            secret_key: "secret".to_owned(),
        };
        let bucket = Bucket::new("bucket/site", &options).unwrap();
        let error = bucket.list("").unwrap_err();
        assert!(error.to_string().contains(problem), "{how:?}: {error}");
        assert_eq!(error.kind, BucketErrorKind::Refused, "{how:?}");
        let requests = server.requests("GET", "list-type");
        assert!(requests <= requests_max, "{how:?}: {requests}");
    }
}
