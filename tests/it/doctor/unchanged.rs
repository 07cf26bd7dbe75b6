//! Tests that `galley doctor` changes nothing.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

use galley_tests::{
    command_line::run_on_data, dns_server::DnsServer, folder::post, galley_process::GalleyProcess,
};
use rustix::fs::{fgetxattr, listxattr};
use walkdir::WalkDir;

use super::{examine, with_site};

/// The compared state of a file: permissions, times, attributes and content.
type FileState = (u32, i64, i64, Vec<u8>, Vec<u8>);

/// Returns the state of all files and folders below a folder.
fn state(folder: &Path) -> BTreeMap<String, FileState> {
    let entries = WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries
        .map(|entry| {
            let metadata = entry.metadata().unwrap();
            let content = if metadata.is_file() {
                fs::read(entry.path()).unwrap()
            } else {
                Vec::new()
            };
            let mut names = vec![0; 1024];
            let length = listxattr(entry.path(), &mut names).unwrap_or(0);
            names.truncate(length);
            let mark = mark(entry.path());
            let path = entry.path().display().to_string();
            let modified = (metadata.mtime(), metadata.mtime_nsec());
            let attributes = [names, mark].concat();
            (
                path,
                (metadata.mode(), modified.0, modified.1, attributes, content),
            )
        })
        .collect()
}

/// Returns the extended attribute that marks a closed store; empty if there is none.
fn mark(path: &Path) -> Vec<u8> {
    let mut mark = vec![0; 1024];
    let length = fs::File::open(path)
        .ok()
        .and_then(|file| fgetxattr(file, "user.galley.closed", &mut mark).ok());
    mark.truncate(length.unwrap_or(0));
    mark
}

#[test]
fn doctor_changes_nothing_of_a_site_that_is_not_served() {
    let dns = DnsServer::start();
    let folder = with_site(
        "url = \"http://harbour.example\"\nlisten = \"127.0.0.1:0\"\nbackup.to = \"backups\"\n",
    );
    let before = state(folder.top());

    let report = examine(&folder, &["--dns", &dns.address()]);

    report.assert("site", "ok", &["whole"]);
    assert_eq!(state(folder.top()), before);
}

#[test]
fn doctor_changes_nothing_of_a_killed_server() {
    let folder = with_site("listen = \"127.0.0.1:0\"\n");
    folder.write("posts/first.md", post("First", "text"));
    let served = GalleyProcess::start(folder.top(), &[]);
    served.kill();
    let before = state(folder.top());

    let report = examine(&folder, &[]);

    report.assert("site", "ok", &["whole"]);
    assert_eq!(state(folder.top()), before);
    let status = run_on_data(&folder, &["status"]);
    assert!(status.out.contains("1 post"), "{}", status.out);
}

#[test]
fn doctor_creates_nothing_in_a_folder_without_a_site() {
    let folder = super::configured("listen = \"127.0.0.1:0\"\nbackup.to = \"backups\"\n");
    let before = state(folder.top());
    examine(&folder, &[]).assert("site", "skipped", &["none yet"]);
    assert_eq!(state(folder.top()), before);
}
