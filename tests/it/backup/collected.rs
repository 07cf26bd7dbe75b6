//! Tests of backups that are collected in a folder or a bucket: each has its own name, and neither a failure nor a wrong list
//! deletes a good backup.

use std::{fs::File, net::TcpStream, thread, time::Duration};

use galley_tests::{
    bucket_server::{BucketServer, Misbehaviour},
    command_line::{CommandOutput, run_on_data},
    galley_process::GalleyProcess,
    http_client::Client,
    wait_until,
};
use tempfile::TempDir;

use super::{
    commands::{command, site},
    names_in,
};

/// Adds a backup to the bucket.
fn add(folder: &TempDir, bucket: &BucketServer, keep: &str) -> CommandOutput {
    let output = command(folder, &["backup", "--to", "s3://bucket/stored"])
        .envs(variables_for(bucket))
        .env("GALLEY_BACKUP_KEEP", keep)
        .output();
    output.unwrap().into()
}

fn variables_for(bucket: &BucketServer) -> [(&'static str, String); 3] {
    [
        ("GALLEY_BACKUP_ENDPOINT", bucket.url()),
        ("GALLEY_BACKUP_ACCESS_KEY", "name".to_owned()),
        ("GALLEY_BACKUP_SECRET_KEY", "secret".to_owned()),
    ]
}

#[test]
fn backups_within_a_second_have_different_names() {
    let folder = site();
    let bucket = BucketServer::start();
    for count in 1..=3 {
        let output = run_on_data(&folder, &["backup", "--to", "backups"]);
        assert!(output.is_success(), "{}", output.err);
        assert_eq!(names_in(&folder.path().join("backups")).len(), count);
        let output = add(&folder, &bucket, "9");
        assert!(output.is_success(), "{}", output.err);
        assert_eq!(bucket.keys().len(), count);
    }
    let output = run_on_data(&folder, &["backup", "list", "--to", "backups"]);
    assert_eq!(output.out.lines().count(), 3);
    let output = run_on_data(&folder, &["restore", "backups", "--data", "restored"]);
    assert!(output.is_success(), "{}", output.err);
}

#[test]
fn concurrent_backups_do_not_affect_each_other() {
    let folder = site();
    let server = GalleyProcess::start(folder.path(), &[]);
    let bucket = BucketServer::start();
    thread::scope(|scope| {
        let adding: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| add(&folder, &bucket, "9")))
            .collect();
        for added in adding {
            let output = added.join().unwrap();
            assert!(output.is_success(), "{}", output.err);
        }
    });
    assert_eq!(bucket.keys().len(), 4);
    drop(server);
}

#[test]
fn failed_backup_removes_only_its_own_object() {
    use Misbehaviour::*;
    let folder = site();
    let bucket = BucketServer::start();
    let output = add(&folder, &bucket, "1");
    assert!(output.is_success(), "{}", output.err);
    // `Swapped` returns this object: two backups of an unchanged site may have equal bytes.
    bucket.put("another", b"no backup");
    let good = bucket.keys();
    for (method, how, reason) in [
        ("GET", Changed, "read back"),
        ("GET", Shorter, "less than"),
        ("GET", Longer, "more than"),
        ("GET", Unbounded, "more than"),
        ("GET", Swapped, "less than"),
        ("GET", Page, "less than"),
        ("GET", Status(404), "s3://bucket/stored"),
        ("PUT", Status(403), "status 403"),
        ("PUT", Page, "web page"),
    ] {
        // Requests of lists do not contain this key.
        bucket.misbehave(method, "/stored/galley-", how);
        let output = add(&folder, &bucket, "1");
        let reasons = output.err;
        assert_eq!(output.code, Some(1), "{how:?}");
        assert!(reasons.contains(reason), "{how:?}: {reasons}");
        assert_eq!(bucket.keys(), good, "{how:?}");
        bucket.behave();
    }
    let left = names_in(&folder.path().join("data"));
    assert!(
        !left.iter().any(|name| name.starts_with("waiting")),
        "{left:?}"
    );
}

#[test]
fn parts_of_a_failed_upload_are_removed() {
    let folder = site();
    let long = File::create(folder.path().join("data/images/long.bin")).unwrap();
    long.set_len(20 << 20).unwrap();
    let bucket = BucketServer::start();
    let output = add(&folder, &bucket, "1");
    assert!(output.is_success(), "{}", output.err);
    let good = bucket.keys();
    bucket.misbehave("PUT", "partNumber=2", Misbehaviour::Status(403));
    let output = add(&folder, &bucket, "1");
    assert!(output.err.contains("status 403"), "{}", output.err);
    assert_eq!((bucket.keys(), bucket.parts()), (good, 0));
}

#[test]
fn wrong_list_deletes_no_backup() {
    let folder = site();
    let bucket = BucketServer::start();
    let old = "stored/galley-20200101T000000Z.galley.zip";
    bucket.put(old, b"the only good one");
    bucket.misbehave("GET", "list-type", Misbehaviour::EmptyList);
    let output = add(&folder, &bucket, "1");
    assert!(output.err.contains("does not list"), "{}", output.err);
    assert_eq!(bucket.keys().len(), 2);
    bucket.behave();

    // Backups of the future do not count.
    for year in 2090..2095 {
        let name = format!("stored/galley-{year}0101T000000Z.galley.zip");
        bucket.put(&name, b"");
    }
    let output = add(&folder, &bucket, "3");
    assert!(output.is_success(), "{}", output.err);
    assert!(bucket.keys().contains(&old.to_owned()));
    let output = add(&folder, &bucket, "3");
    assert!(output.is_success(), "{}", output.err);
    assert!(!bucket.keys().contains(&old.to_owned()));
    assert_eq!(bucket.keys().len(), 8);
}

#[test]
fn uploads_restored_into_a_bucket_are_verified_when_served() {
    let folder = site();
    let output = run_on_data(&folder, &["backup", "site.zip"]);
    assert!(output.is_success(), "{}", output.err);
    let bucket = BucketServer::start();
    let variables = [
        ("GALLEY_UPLOADS_BUCKET", "s3://bucket/site".to_owned()),
        ("GALLEY_UPLOADS_ENDPOINT", bucket.url()),
        ("GALLEY_UPLOADS_ACCESS_KEY", "name".to_owned()),
        ("GALLEY_UPLOADS_SECRET_KEY", "secret".to_owned()),
    ];
    let other = tempfile::tempdir().unwrap();
    let data = other.path().join("data").display().to_string();
    let restored = command(&folder, &["restore", "site.zip", "--data", &data])
        .envs(variables.clone())
        .output();
    let output = CommandOutput::from(restored.unwrap());
    assert!(output.is_success(), "{}", output.err);
    assert_eq!(bucket.keys(), ["site/images/ferry.svg"]);

    bucket.put("site/images/ferry.svg", b"<svg><g/></svg>");
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let server = GalleyProcess::start(other.path(), &variables);
    let get = || {
        let mut client = Client::new(TcpStream::connect(server.address()).unwrap());
        client.send("GET /content/images/ferry.svg HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        client.last_response().status
    };
    assert_eq!(get(), 503);
    bucket.put("site/images/ferry.svg", b"<svg/>");
    wait_until("the upload is served", || get() == 200);
}

#[test]
fn backups_of_any_name_in_a_folder_are_listed_and_restored() {
    let folder = site();
    let backup = |name: &str| {
        let output = run_on_data(&folder, &["backup", &format!("backups/{name}")]);
        assert!(output.is_success(), "{}", output.err);
        // Backups are ordered by the time of writing, in whole seconds.
        thread::sleep(Duration::from_millis(1100));
    };
    std::fs::create_dir(folder.path().join("backups")).unwrap();
    // The order of writing differs from the order of the names.
    backup("2026-11-28.zip");
    let output = run_on_data(&folder, &["key", "create", "--name", "Later"]);
    assert!(output.is_success(), "{}", output.err);
    backup("2026-11-27.ZIP");
    let other = folder.path().join("backups/photos.zip");
    std::fs::write(&other, "not a backup").unwrap();

    let listed = run_on_data(&folder, &["backup", "list", "--to", "backups"]).out;
    let names: Vec<&str> = listed
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(names, ["2026-11-28.zip", "2026-11-27.ZIP"]);
    let output = run_on_data(&folder, &["restore", "backups", "--data", "restored"]);
    assert!(output.is_success(), "{}", output.err);
    let keys = |data: &str| run_on_data(&folder, &["key", "list", "--data", data]).out;
    assert_eq!(keys("restored"), keys("data"));

    // If the newest backup is damaged, a restore fails instead of using an older one.
    let newest = folder.path().join("backups/2026-11-27.ZIP");
    let whole = std::fs::read(&newest).unwrap();
    std::fs::write(&newest, &whole[..whole.len() / 2]).unwrap();
    let output = run_on_data(&folder, &["restore", "backups", "--data", "other"]);
    assert!(!output.is_success(), "{}", output.out);
    assert!(output.err.contains("damaged"), "{}", output.err);
}

#[test]
fn destination_must_not_be_a_mistyped_url() {
    let folder = site();
    for url in ["s3:/bucket/site", "https://s3.example.com/bucket"] {
        let backup = run_on_data(&folder, &["backup", "--to", url]);
        let expected = format!("\"{url}\" is not a folder or a bucket such as s3://");
        assert!(backup.err.contains(&expected), "{}", backup.err);
        let output = command(&folder, &["check"])
            .env("GALLEY_BACKUP_TO", url)
            .output();
        let backup = CommandOutput::from(output.unwrap());
        assert!(!backup.is_success(), "{}", backup.out);
        assert!(
            backup.err.contains("is not a folder or a bucket"),
            "{}",
            backup.err
        );
    }
    assert_eq!(names_in(folder.path()), ["data"]);
}
