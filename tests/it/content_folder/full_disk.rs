//! Tests of a store that cannot grow while the content folder changes: the previous content is served, and the reason is shown.

use std::{fs, process::Command};

use galley_tests::{
    command_line::{program, run_on_data},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::{Resource, Rlimit, prlimit};
use serde_json::Value;

/// Serves the folder in a process that ignores SIGXFSZ, so that writes beyond the limit of [`limit_files`] fail as on a full
/// disk.
fn serve(folder: &Folder) -> GalleyProcess {
    let galley = program().display().to_string();
    let arguments = "serve --listen 127.0.0.1:0 --data data --content content";
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("trap '' XFSZ; exec {galley} {arguments}")])
        .current_dir(folder.top());
    GalleyProcess::from_command(&mut command)
}

fn limit_files(process: &GalleyProcess, bytes: Option<u64>) {
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(Some(process.pid()), Resource::Fsize, limit).unwrap();
}

fn status(folder: &Folder) -> Value {
    run_on_data(folder, &["status", "--json"]).json()
}

#[test]
fn files_that_cannot_be_stored_are_reported_until_stored() {
    let folder = Folder::with(&[("posts/first.md", &post("First", "text"))]);
    let process = serve(&folder);
    assert_eq!(status(&folder)["content_failure"], Value::Null);
    let store = folder.data().join("galley.redb");
    limit_files(&process, Some(fs::metadata(store).unwrap().len()));
    let long = "Low water at noon. ".repeat(300_000);
    folder.write("posts/second.md", post("Second", &long));

    wait_until("the failure is reported", || {
        status(&folder)["content_failure"]["since"].is_string()
    });
    let reported = status(&folder);
    assert!(
        reported["content_failure"]["reason"]
            .as_str()
            .unwrap()
            .contains("space"),
        "{reported}"
    );
    let shown = run_on_data(&folder, &["status"]);
    assert!(
        shown.out.contains("the previous content is served"),
        "{}",
        shown.out
    );
    let doctor = run_on_data(&folder, &["doctor"]);
    assert!(
        doctor.out.contains("could not be read into the store"),
        "{}",
        doctor.out
    );
    assert_eq!(process.titles(), ["First"]);

    limit_files(&process, None);
    process.wait_for_titles(|titles| titles.len() == 2);
    wait_until("the failure is cleared", || {
        status(&folder)["content_failure"].is_null()
    });
}
