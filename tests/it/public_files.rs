//! Tests of files below `/content/`: files of the content folder and uploads are served, and private files are not.

mod referenced;

use std::{fs, os::unix::fs::symlink, sync::Arc};

use galley::{
    api::files::FileRoots,
    catalog::Catalog,
    clock::SystemClock,
    domain::{
        post::{Body, Post, PostKind, Status},
        redirect::{Redirect, RedirectsFile},
        setting::Settings,
        user::User,
    },
    id::Id,
    images::{Copies, Memory},
    site::Site,
    store::{Table, redb::RedbStore},
    uploads::Uploads,
};
use galley_tests::{TestSite, wait_until};
use serde_json::json;
use uuid::Uuid;

const PNG: &str = "not quite a picture, but long enough for ranges";

fn site() -> TestSite {
    TestSite::builder()
        .file("images/a.png", PNG)
        .file("images/2025/01/night ferry.jpg", "spaced")
        .file("images/.hidden.png", "HIDDEN")
        .file("images/backup.png~", "HIDDEN")
        .file("media/song.mp3", "song")
        .file("files/paper.pdf", "paper")
        .file(
            "posts/trip/index.md",
            "---\ntitle: Trip HIDDEN\n---\n![The deck](deck.jpg) [The tides](tides.zip)",
        )
        .file("posts/trip/tides.zip", "tides")
        .file(
            "posts/audio.md",
            "---\ntitle: Audio\n---\n[A song](/media/song.mp3), [a paper](/files/paper.pdf)",
        )
        .file("posts/trip/deck.jpg", "deck")
        .file("posts/trip/notes.toml", "HIDDEN = 1\n")
        .file(
            "authors/ada.toml",
            "name = 'Ada'\nemail = 'HIDDEN@harbour.example'\n",
        )
        .file("site.toml", "title = 'HIDDEN'\n")
        .upload("images/2025/02/up.png", "uploaded")
        .upload("images/a.png", "the content folder comes first")
        .start()
}

#[test]
fn files_are_served_from_content_folder_and_uploads() {
    let app = site();
    for (path, body, kind) in [
        ("images/a.png", PNG, "image/png"),
        ("images/2025/01/night%20ferry.jpg", "spaced", "image/jpeg"),
        ("images/posts/trip/deck.jpg", "deck", "image/jpeg"),
        ("images/2025/02/up.png", "uploaded", "image/png"),
        ("media/song.mp3", "song", "audio/mpeg"),
        ("files/paper.pdf", "paper", "application/pdf"),
        ("images/posts/trip/tides.zip", "tides", "application/zip"),
    ] {
        let response = app.get(&format!("/content/{path}"));
        assert_eq!((response.status, response.text()), (200, body), "{path}");
        assert_eq!(response.header("content-type"), Some(kind), "{path}");
        assert_eq!(
            response.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
    }
}

#[test]
fn uploads_are_cached_for_a_year_and_content_files_revalidated() {
    let app = site();
    let cache_control = |path: &str| {
        app.get(path)
            .header("cache-control")
            .map(str::to_owned)
            .unwrap()
    };
    assert_eq!(
        cache_control("/content/images/2025/02/up.png"),
        "public, max-age=31536000"
    );
    assert_eq!(cache_control("/content/images/a.png"), "public, max-age=0");
    assert_eq!(
        cache_control("/content/images/posts/trip/deck.jpg"),
        "public, max-age=0"
    );
}

#[test]
fn files_outside_the_folders_and_hidden_files_are_not_served() {
    let app = site();
    for path in [
        "/content/images//etc/passwd",
        "/content/images/%2fetc/passwd",
        "/content/images/%00a.png",
        "/content/images/.hidden.png",
        "/content/images/backup.png~",
        "/content/images/site.toml",
        "/content/images/posts/trip/index.md",
        "/content/images/posts/trip/notes.toml",
        "/content/images/authors/ada.toml",
        "/content/images/",
        "/content/images",
        "/content/images/2025",
        "/content/posts/trip/deck.jpg",
        "/content/site.toml",
        "/content/media/a.png",
        "/content/images/nosuch.png",
    ] {
        let response = app.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(!response.text().contains("HIDDEN"), "{path}");
    }
    // Ghost 6.65, recorded.
    for path in [
        "/content/images/../site.toml",
        "/content/images/../../data/galley.redb",
        "/content/images/%2e%2e/site.toml",
        "/content/images/..%2fsite.toml",
        "/content/images/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/content/images/..%5csite.toml",
    ] {
        assert_eq!(app.get(path).status, 403, "{path}");
    }
    assert_eq!(app.get("/content/images/%E0%A4%A.png").status, 400);
}

#[test]
fn store_inside_the_content_folder_is_not_served() {
    let content = tempfile::tempdir().unwrap();
    let data = content.path().join("galley-data");
    fs::create_dir(&data).unwrap();
    for name in ["galley.redb", "galley.lock"] {
        fs::write(data.join(name), "HIDDEN").unwrap();
    }
    fs::write(content.path().join("deck.jpg"), "deck").unwrap();
    let inside = FileRoots {
        content: Some(content.path().to_owned()),
        uploads: Uploads::in_data(&data),
        data,
    };
    let copies = Copies::new(&inside.data, Arc::new(Memory::new(0)));
    let mut catalog = Catalog::default();
    let logo = json!("/content/images/deck.jpg /content/images/galley-data/galley.lock");
    catalog.settings = Arc::new(Settings::default().with("logo", logo));
    for path in ["galley-data/galley.redb", "galley-data/galley.lock"] {
        let response = inside.respond(&format!("images/{path}"), "", &catalog, &[], &copies);
        assert_eq!(response.status, 404, "{path}");
    }
    let response = inside.respond("images/deck.jpg", "", &catalog, &[], &copies);
    assert_eq!(response.status, 200);
}

#[test]
fn symbolic_link_is_followed_only_to_served_files() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.png"), "HIDDEN").unwrap();
    let app = site();
    let images = app.content_folder().join("images");
    symlink(outside.path(), images.join("outside")).unwrap();
    symlink(
        outside.path().join("secret.png"),
        images.join("outside.png"),
    )
    .unwrap();
    symlink("../authors/ada.toml", images.join("author.png")).unwrap();
    symlink(".hidden.png", images.join("hidden.png")).unwrap();
    symlink("../posts/trip", images.join("trip")).unwrap();
    for path in [
        "outside/secret.png",
        "outside.png",
        "author.png",
        "hidden.png",
        "trip/index.md",
    ] {
        assert_eq!(
            app.get(&format!("/content/images/{path}")).status,
            404,
            "{path}"
        );
    }
    assert_eq!(app.get("/content/images/trip/deck.jpg").text(), "deck");
}

#[test]
fn disguised_documents_stores_and_backups_are_not_served() {
    let app = site();
    let content = app.content_folder();
    let images = content.join("images");
    fs::hard_link(content.join("site.toml"), images.join("linked.png")).unwrap();
    fs::write(content.join("token"), "HIDDEN without a line").unwrap();
    fs::hard_link(content.join("token"), images.join("token.mp4")).unwrap();
    for (name, bytes) in [
        ("copied.jpg", &b"---\ntitle: HIDDEN\n---\n"[..]),
        ("package.pdf", b"{\n  \"HIDDEN\": 1\n}"),
        ("key.woff2", b"-----BEGIN PRIVATE KEY-----\nHIDDEN\n"),
        ("backup.png", b"PK\x03\x04\x14\0\0\0HIDDEN"),
        ("store.webm", b"redb\x1a\n\xa9\r\nHIDDEN"),
        ("song.svg", b"title = 'HIDDEN'\n"),
        ("font.png", b"wOF2HIDDEN"),
    ] {
        fs::write(images.join(name), bytes).unwrap();
    }
    for name in [
        "linked.png",
        "token.mp4",
        "copied.jpg",
        "package.pdf",
        "key.woff2",
        "backup.png",
        "store.webm",
        "song.svg",
        "font.png",
    ] {
        // The second response uses the cached verdict.
        for _ in 0..2 {
            let response = app.get(&format!("/content/images/{name}"));
            assert_eq!(response.status, 404, "{name}");
        }
    }
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    fs::write(content.join("deck.bin"), image).unwrap();
    fs::hard_link(content.join("deck.bin"), images.join("picture.jpg")).unwrap();
    assert_eq!(app.get("/content/images/picture.jpg").status, 200);
    // A changed file is checked again.
    fs::remove_file(images.join("copied.jpg")).unwrap();
    fs::write(images.join("copied.jpg"), image).unwrap();
    assert_eq!(app.get("/content/images/copied.jpg").status, 200);
    fs::write(images.join("copied.jpg"), "title: HIDDEN\nmore\n").unwrap();
    assert_eq!(app.get("/content/images/copied.jpg").status, 404);
}

#[test]
fn size_variants_redirect_to_their_original() {
    let app = site();
    for path in [
        "size/w600/a.png",
        "size/w256h256/a.png",
        "size/w600/format/webp/a.png",
    ] {
        let response = app.get(&format!("/content/images/{path}"));
        assert_eq!(response.status, 302, "{path}");
        assert_eq!(
            response.header("location"),
            Some("/content/images/a.png"),
            "{path}"
        );
    }
    let app = TestSite::builder()
        .file("images/a.png", PNG)
        .url("https://harbour.example/notes")
        .start();
    let response = app.get("/notes/content/images/size/w600/a.png");
    assert_eq!(
        response.header("location"),
        Some("/notes/content/images/a.png")
    );
    assert_eq!(app.get("/notes/content/images/a.png").status, 200);
}

#[test]
fn size_variant_never_redirects_to_another_site() {
    let app = site();
    for path in [
        "size/w600//other.example/a.png",
        "size/w600/%0d%0aset-cookie:a=b",
        "size/w600/",
    ] {
        let response = app.get(&format!("/content/images/{path}"));
        let location = response.header("location").unwrap_or("/content/images/");
        assert!(
            location.starts_with("/content/images/"),
            "{path}: {location}"
        );
        assert_eq!(response.header("set-cookie"), None, "{path}");
    }
}

#[test]
fn matching_file_validator_gets_304() {
    let app = site();
    let path = "/content/images/a.png";
    let tag = app.get(path).header("etag").unwrap().to_owned();
    let ask = |headers: &str| app.send("GET", path, headers, "");
    let known = ask(&format!("if-none-match: {tag}\r\n"));
    assert_eq!((known.status, known.body.as_slice()), (304, &b""[..]));
    assert_eq!(ask("if-none-match: \"other\"\r\n").status, 200);
    app.write_file("images/a.png", "changed");
    let changed = ask(&format!("if-none-match: {tag}\r\n"));
    assert_eq!((changed.status, changed.text()), (200, "changed"));
}

#[test]
fn range_of_a_file_is_served() {
    let app = site();
    let path = "/content/images/a.png";
    let length = PNG.len();
    for (range, status, body, content_range) in [
        ("bytes=0-2", 206, "not", format!("bytes 0-2/{length}")),
        (
            "bytes=-6",
            206,
            "ranges",
            format!("bytes {}-{}/{length}", length - 6, length - 1),
        ),
        ("bytes=1000-", 416, "", format!("bytes */{length}")),
    ] {
        let response = app.send("GET", path, &format!("range: {range}\r\n"), "");
        assert_eq!(
            (response.status, response.text()),
            (status, body),
            "{range}"
        );
        assert_eq!(
            response.header("content-range"),
            Some(content_range.as_str()),
            "{range}"
        );
    }
    assert_eq!(app.get(path).header("accept-ranges"), Some("bytes"));
}

#[test]
fn files_allow_only_get_and_head() {
    let app = site();
    let path = "/content/images/a.png";
    let head = app.send("HEAD", path, "", "");
    assert_eq!((head.status, head.body.as_slice()), (200, &b""[..]));
    assert_eq!(
        head.header("content-length"),
        Some(PNG.len().to_string().as_str())
    );
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(app.send(method, path, "", "").status, 404, "{method}");
    }
}
