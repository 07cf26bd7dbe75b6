//! Tests of the regular backups of a served site whose destination or uploads become unavailable.

use std::{fs, thread, time::Duration};

use galley_tests::{
    command_line::{CommandOutput, run_on_data},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Signal;
use tempfile::TempDir;

use super::{
    commands::{command, site},
    regular::{VARIABLES, add_key, key_list, restored_keys, status, wait_until_covered},
    write,
};

/// Waits until backups fail with an error message that contains this text.
fn wait_until_failed(folder: &TempDir, reason: &str) {
    let message = || status(folder)["backups"]["failure"]["message"].to_string();
    wait_until(reason, || message().contains(reason));
}

#[test]
fn missing_uploads_are_logged_once_and_reported_until_they_are_back() {
    let folder = site();
    let variables = [&VARIABLES[..], &[("GALLEY_BACKUP_EVERY", "1s")]].concat();
    let server = GalleyProcess::start(folder.path(), &variables);
    wait_until_covered(&folder);
    let images = folder.path().join("data/images");
    let away = folder.path().join("away");
    fs::rename(&images, &away).unwrap();
    wait_until_failed(&folder, "images is missing");
    let failures = || status(&folder)["backups"]["failures"].as_u64();
    wait_until("the backup fails repeatedly", || failures() > Some(2));
    fs::rename(&away, &images).unwrap();
    wait_until_covered(&folder);
    let log = server.log();
    let lines = |text: &str| {
        let lines = log.lines().filter(|line| line.contains(text));
        lines.filter(|line| !line.contains("DEBUG")).count()
    };
    assert_eq!(lines("images is missing"), 1, "{log}");
    assert_eq!(lines("the site can be backed up again"), 1, "{log}");
}

#[test]
fn upload_without_a_commit_is_backed_up_in_time() {
    let folder = site();
    let _server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    write(folder.path().join("data/images/2026/late.svg"), "<svg/>");
    wait_until_covered(&folder);
    let restored = run_on_data(&folder, &["restore", "backups", "--data", "restored"]);
    assert!(restored.is_success(), "{}", restored.err);
    let late = fs::read(folder.path().join("restored/images/2026/late.svg"));
    assert_eq!(late.unwrap(), b"<svg/>");
}

#[test]
fn missing_destination_is_reported_without_a_change() {
    let folder = site();
    let _server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    fs::remove_dir_all(folder.path().join("backups")).unwrap();
    wait_until_failed(&folder, "the claim of this process is gone");
    let before = status(&folder)["backups"]["covered_until"].clone();
    // Times have whole seconds, so a change needs a longer wait to show.
    thread::sleep(Duration::from_millis(1100));
    assert_eq!(status(&folder)["backups"]["covered_until"], before);
    let (name, to) = VARIABLES[0];
    let doctor = command(&folder, &["doctor"]).env(name, to).output();
    let output = CommandOutput::from(doctor.unwrap());
    let reported = |line: &str| line.starts_with("error") && line.contains("is no longer in");
    assert!(output.out.lines().any(reported), "{}", output.out);
}

#[test]
fn stopping_server_logs_changes_that_are_not_backed_up() {
    let folder = site();
    let server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    write(
        folder
            .path()
            .join("backups/owners/9999999999-0123abcd.json"),
        "{}",
    );
    add_key(&folder, "not in a backup");
    wait_until_failed(&folder, "now belongs to another process");
    let output = server.stop(Signal::TERM);
    let lost = |line: &str| {
        line.contains("the latest changes are not in the backup")
            && line.contains("now belongs to another process")
    };
    assert!(output.err.lines().any(lost), "{}", output.err);
}

#[test]
fn stopping_server_uses_a_destination_that_is_back() {
    let folder = site();
    let server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    fs::remove_dir_all(folder.path().join("backups")).unwrap();
    wait_until_failed(&folder, "the claim of this process is gone");
    add_key(&folder, "shortly before the end");
    let expected = key_list(&folder, "data");
    let output = server.stop(Signal::TERM);
    assert!(
        !output.err.contains("are not in the backup"),
        "{}",
        output.err
    );
    assert_eq!(restored_keys(&folder, &[]), expected);
}
