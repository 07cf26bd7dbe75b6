//! Tests of the regular backups of a served site: kills, outages of the location, and the commands that list, check and
//! restore the backups.

use std::{fs, os::unix::fs::symlink, path::Path, thread, time::Duration};

use galley_tests::{
    bucket_server::{BucketServer, Misbehaviour},
    command_line::{CommandOutput, run_on_data},
    galley_process::GalleyProcess,
    wait_until,
};
use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use super::{commands::site, files_of, names_in, write};

pub(super) const VARIABLES: [(&str, &str); 2] = [
    ("GALLEY_BACKUP_TO", "backups"),
    ("GALLEY_BACKUP_MAX_LOSS", "1s"),
];

fn done(folder: &TempDir, arguments: &[&str]) -> CommandOutput {
    let output = run_on_data(folder, arguments);
    assert!(output.is_success(), "{arguments:?}: {}", output.err);
    output
}

pub(super) fn add_key(folder: &TempDir, name: &str) {
    done(folder, &["key", "create", "--name", name]);
}

pub(super) fn key_list(folder: &TempDir, data: &str) -> String {
    done(folder, &["key", "list", "--data", data]).out
}

pub(super) fn status(folder: &TempDir) -> Value {
    done(folder, &["status", "--json"]).json()
}

/// Waits until all changes so far are in a backup.
pub(super) fn wait_until_covered(folder: &TempDir) {
    let now = Timestamp::now();
    wait_until("the changes are backed up", || {
        let covered = &status(folder)["backups"]["covered_until"];
        covered
            .as_str()
            .is_some_and(|time| time.parse::<Timestamp>().unwrap() > now)
    });
}

/// Restores the newest backup, or the one that the arguments `more` select, and returns the list of its keys.
pub(super) fn restored_keys(folder: &TempDir, more: &[&str]) -> String {
    let words = [&["restore", "backups", "--data", "restored"], more].concat();
    done(folder, &words);
    let keys = key_list(folder, "restored");
    fs::remove_dir_all(folder.path().join("restored")).unwrap();
    keys
}

#[test]
fn killed_server_leaves_intact_backups_of_every_covered_change() {
    let folder = site();
    for round in 0..4 {
        let server = GalleyProcess::start(folder.path(), &VARIABLES);
        add_key(&folder, &format!("covered {round}"));
        wait_until_covered(&folder);
        let covered = key_list(&folder, "data");
        for number in 0..3 {
            add_key(&folder, &format!("late {round} {number}"));
            // Each round kills the server at another moment of the next backup.
            thread::sleep(Duration::from_millis(90 * round));
        }
        server.kill();
        let checked = done(&folder, &["check", "backups"]).out;
        assert!(checked.ends_with("intact.\n"), "{checked}");
        let restored = restored_keys(&folder, &[]);
        for line in covered.lines() {
            assert!(restored.contains(line), "{line}: {restored}");
        }
    }
    // The next process removes temporary files of a killed process.
    write(folder.path().join("backups/chunks/waiting-x"), "torn");
    let _server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    let chunks = names_in(&folder.path().join("backups/chunks"));
    assert!(!chunks.contains(&"waiting-x".to_owned()), "{chunks:?}");
}

#[test]
fn moments_are_listed_checked_and_restored_by_commands() {
    let folder = site();
    done(&folder, &["backup", "--to", "backups"]);
    let in_file = key_list(&folder, "data");
    // Names of moments have whole seconds: after the pause, changes belong to a later moment.
    let after_file = Timestamp::now();
    thread::sleep(Duration::from_millis(1100));
    let _server = GalleyProcess::start(folder.path(), &VARIABLES);
    add_key(&folder, "in a state or segment");
    wait_until_covered(&folder);
    let first = key_list(&folder, "data");
    let after_first = Timestamp::now();
    thread::sleep(Duration::from_millis(1100));
    add_key(&folder, "in a later segment");
    wait_until_covered(&folder);

    let at = |time: Timestamp| format!("{time:.0}");
    assert_eq!(restored_keys(&folder, &["--at", &at(after_file)]), in_file);
    assert_eq!(restored_keys(&folder, &["--at", &at(after_first)]), first);
    assert_eq!(restored_keys(&folder, &[]), key_list(&folder, "data"));

    let listed = done(&folder, &["backup", "list", "--to", "backups"]).out;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("galley-20"), "{listed}");
    assert!(lines[1].starts_with("states/20"), "{listed}");
    assert!(lines[2].starts_with("  and "), "{listed}");
    let listed = done(&folder, &["backup", "list", "--to", "backups", "--json"]);
    let listed: Value = listed.json();
    let listed = listed.as_array().unwrap().clone();
    assert!(listed.len() > 2, "{listed:?}");
    assert_eq!(listed.last().unwrap()["is_state"], false);

    let checked = done(&folder, &["check", "backups"]).out;
    assert!(checked.contains("1 state, "), "{checked}");
    assert!(checked.ends_with("1 backup, all intact.\n"), "{checked}");
    let segments = folder.path().join("backups/segments");
    let last = segments.join(names_in(&segments).pop().unwrap());
    fs::write(&last, "torn").unwrap();
    let output = run_on_data(&folder, &["check", "backups"]);
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("  segments/20"), "{}", output.out);
    let end = "1 backup, all intact.\nMoments: 1 object damaged, listed above.\n";
    assert!(output.out.ends_with(end), "{}", output.out);
    let before = files_of(&folder.path().join("backups"));
    let output = run_on_data(&folder, &["restore", "backups", "--data", "restored"]);
    assert!(output.err.contains("it is damaged"), "{}", output.err);
    assert!(output.err.contains("`--at 20"), "{}", output.err);
    assert!(!folder.path().join("restored").exists());
    assert_eq!(files_of(&folder.path().join("backups")), before);

    for (words, expected) in [
        (
            ["restore", "backups", "--at", "2020-01-01T00:00"],
            "the first one is from",
        ),
        (
            ["restore", "backups", "--at", "noon"],
            "expected a time such as",
        ),
        (
            ["restore", "other.zip", "--at", "2026-01-01T00:00"],
            "--at needs a folder",
        ),
    ] {
        let output = run_on_data(&folder, &[&words[..], &["--data", "restored"]].concat());
        assert!(output.err.contains(expected), "{words:?}: {}", output.err);
    }
}

#[test]
fn outage_of_the_location_and_its_end_are_logged_once() {
    let folder = site();
    let bucket = BucketServer::start();
    let url = bucket.url();
    let variables = [
        ("GALLEY_BACKUP_TO", "s3://bucket/stored"),
        ("GALLEY_BACKUP_ENDPOINT", &*url),
        ("GALLEY_BACKUP_ACCESS_KEY", "name"),
        ("GALLEY_BACKUP_SECRET_KEY", "secret"),
        ("GALLEY_BACKUP_MAX_LOSS", "1s"),
        ("GALLEY_BACKUP_EVERY", "1s"),
    ];
    let server = GalleyProcess::start(folder.path(), &variables);
    wait_until_covered(&folder);
    bucket.misbehave("PUT", "/stored/", Misbehaviour::Status(403));
    add_key(&folder, "during the outage");
    let failures = || status(&folder)["backups"]["failures"].as_u64();
    wait_until("the backup fails repeatedly", || failures() > Some(2));
    let failure = &status(&folder)["backups"]["failure"]["message"];
    assert!(failure.to_string().contains("status 403"), "{failure}");
    bucket.behave();
    wait_until_covered(&folder);
    let log = server.log();
    let lines = |text: &str| {
        let lines = log.lines().filter(|line| line.contains(text));
        lines.filter(|line| !line.contains("DEBUG")).count()
    };
    assert_eq!(lines("the site could not be backed up"), 1, "{log}");
    assert_eq!(lines("the site can be backed up again"), 1, "{log}");
    let keys = bucket.keys();
    assert!(
        keys.iter().any(|key| key.starts_with("stored/states/")),
        "{keys:?}"
    );
}

#[test]
fn stopping_server_backs_up_the_latest_changes() {
    let folder = site();
    let variables = [VARIABLES[0], ("GALLEY_BACKUP_MAX_LOSS", "1h")];
    let server = GalleyProcess::start(folder.path(), &variables);
    let has_backup = || status(&folder)["backups"]["last"].is_object();
    wait_until("the first state is written", has_backup);
    add_key(&folder, "shortly before the end");
    let expected = key_list(&folder, "data");
    assert!(server.stop(Signal::TERM).is_success());
    assert_eq!(restored_keys(&folder, &[]), expected);
}

/// A symbolic link moves the folder to another disk, like a mount.
#[test]
fn unmounted_disk_is_reported_and_nothing_is_written_below_its_mount_point() {
    let folder = site();
    let disk = TempDir::new_in("/dev/shm").unwrap();
    let backups = folder.path().join("backups");
    symlink(disk.path(), &backups).unwrap();
    let variables = [&VARIABLES[..], &[("GALLEY_BACKUP_EVERY", "1s")]].concat();
    let server = GalleyProcess::start(folder.path(), &variables);
    wait_until_covered(&folder);
    fs::remove_file(&backups).unwrap();
    fs::create_dir(&backups).unwrap();
    add_key(&folder, "without a disk");
    let message = || status(&folder)["backups"]["failure"]["message"].to_string();
    wait_until("the failure is reported", || {
        message().contains("on a different disk than before")
    });
    assert!(files_of(&backups).is_empty());

    fs::remove_dir(&backups).unwrap();
    symlink(disk.path(), &backups).unwrap();
    server.stop(Signal::TERM);
    let _server = GalleyProcess::start(folder.path(), &VARIABLES);
    wait_until_covered(&folder);
    assert_eq!(restored_keys(&folder, &[]), key_list(&folder, "data"));
}

#[test]
fn backups_inside_the_data_folder_are_refused() {
    let folder = site();
    // The check at start does not follow links, so the writer refuses this one.
    symlink("data/backups", folder.path().join("link")).unwrap();
    let variables = [("GALLEY_BACKUP_TO", "link")];
    let _server = GalleyProcess::start(folder.path(), &variables);
    let message = || status(&folder)["backups"]["failure"]["message"].to_string();
    wait_until("the location is refused", || {
        message().contains("outside of it")
    });
    assert!(!Path::new(&folder.path().join("data/backups")).exists());
}

#[test]
fn check_fails_without_any_backup_and_for_damaged_full_backups() {
    let folder = site();
    let chunk = format!("backups/chunks/{}.gz", "a".repeat(64));
    write(folder.path().join(chunk), "");
    let output = run_on_data(&folder, &["check", "backups"]);
    assert!(!output.is_success(), "{}", output.out);
    assert!(
        output.err.contains("there is no backup in"),
        "{}",
        output.err
    );

    let name = "backups/galley-20261127T120005Z.galley.zip";
    write(folder.path().join(name), "torn");
    let output = run_on_data(&folder, &["check", "backups", "--json"]);
    assert!(!output.is_success(), "{}", output.out);
    let backups = &output.json()["backups"];
    assert!(backups[0]["error"].is_string(), "{backups}");
}
