//! Tests of regular backups of uploads in a bucket.

use std::fs;

use galley_tests::{
    TestSite, bucket_server::BucketServer, command_line::run, multipart::Form, wait_until,
};

use super::{path_of, send};

/// Uploads a text file, and returns its path relative to a data folder.
fn upload(site: &TestSite, name: &str) -> String {
    let form = Form::default().file("file", name, "text/plain", text(name).as_bytes());
    let response = send(site, "POST", "files/upload/", form);
    assert_eq!(response.status, 201, "{}", response.text());
    let path = path_of(site, &response.json()["files"][0]["url"]);
    path.strip_prefix("/content/").unwrap().to_owned()
}

fn text(name: &str) -> String {
    format!("the content of {name}")
}

#[test]
fn uploads_in_a_bucket_are_in_the_next_moment() {
    let bucket = BucketServer::start();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("backups").display().to_string();
    let builder = TestSite::builder()
        .without_content()
        .option("backup.to", &to)
        .option("backup.max_loss", "1s");
    let options = bucket.options_of_uploads();
    let site = options
        .iter()
        .fold(builder, |builder, (key, value)| builder.option(key, value))
        .start();
    let mut uploads = Vec::new();
    for name in ["first.txt", "second.txt"] {
        uploads.push((upload(&site, name), text(name)));
        wait_until("every upload is in a backup", || {
            let restored = folder.path().join("restored");
            let output = run(&folder, &["restore", "backups", "--data", "restored"]);
            let has_all = uploads.iter().all(|(path, text)| {
                fs::read_to_string(restored.join(path)).is_ok_and(|content| content == *text)
            });
            let _ = fs::remove_dir_all(restored);
            output.is_success() && has_all
        });
    }
}
