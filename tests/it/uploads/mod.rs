//! Tests of uploads, and of serving them.

mod backed_up;
mod bad_bucket;
mod bombs;
mod files;
mod hostile;
mod images;
mod memory;
mod sample_images;
mod serving;
mod shared;
mod slow_bucket;

use std::{
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
};

use galley_tests::{
    TestSite, admin_token,
    http_client::{Client, HttpResponse},
    multipart::Form,
};
use serde_json::Value;
use walkdir::WalkDir;

/// Sends a form as an integration.
fn send(app: &TestSite, method: &str, endpoint: &str, form: Form) -> HttpResponse {
    let (kind, body) = form.finish();
    let token = admin_token::of_key(app.admin_key());
    let head = format!(
        "{method} /ghost/api/admin/{endpoint} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         authorization: Ghost {token}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
    client.send([head.as_bytes(), &body].concat());
    client.last_response()
}

/// Uploads an image.
fn send_image(app: &TestSite, name: &str, kind: &str, content: &[u8]) -> HttpResponse {
    let form = Form::default().file("file", name, kind, content);
    send(app, "POST", "images/upload/", form)
}

/// Uploads an image, which must be accepted, and returns the path at which it is served.
fn upload_image(app: &TestSite, name: &str, kind: &str, content: &[u8]) -> String {
    let response = send_image(app, name, kind, content);
    assert_eq!(response.status, 201, "{name}: {}", response.text());
    path_of(app, &response.json()["images"][0]["url"])
}

/// Returns the path of a URL of the site.
fn path_of(app: &TestSite, url: &Value) -> String {
    let url = url.as_str().unwrap();
    url.strip_prefix(&app.base()).unwrap().to_owned()
}

/// Returns the content of a served file, which must exist.
fn served(app: &TestSite, path: &str) -> Vec<u8> {
    let response = app.get(path);
    assert_eq!(response.status, 200, "{path}");
    response.body
}

fn data_folder(app: &TestSite) -> PathBuf {
    app.content_folder().parent().unwrap().join("data")
}

/// Returns the paths of the files below a folder, relative to the folder.
fn files_below(folder: &Path) -> Vec<String> {
    let files = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect()
}

/// Returns the paths of all files in the data folder except the store.
fn stored_files(app: &TestSite) -> Vec<String> {
    let mut files = files_below(&data_folder(app));
    files.retain(|path| !path.starts_with("galley.") && path != "replica.redb");
    files
}

#[test]
fn rejected_uploads_leave_no_files() {
    let app = TestSite::builder().start();
    let long = vec![b'x'; 100_000];
    for (name, kind) in [
        ("a.png", "image/png"),
        ("a.svg", "image/svg+xml"),
        ("a.txt", "text/plain"),
    ] {
        assert!(send_image(&app, name, kind, &long).status >= 400, "{name}");
    }
    for endpoint in ["media/upload/", "files/upload/"] {
        let form = Form::default().file("file", "a.pdf", "application/pdf", &long);
        assert_eq!(send(&app, "POST", endpoint, form).status, 415, "{endpoint}");
    }
    assert_eq!(stored_files(&app), Vec::<String>::new());
}

#[test]
fn leftovers_of_a_killed_process_are_removed_at_start() {
    let app = TestSite::builder()
        .upload("waiting-1-0", "half of a video")
        .start();
    assert!(fs::read_dir(data_folder(&app)).unwrap().count() > 0);
    assert_eq!(stored_files(&app), Vec::<String>::new());
}
