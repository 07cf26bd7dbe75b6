//! Tests of the commands `galley backup`, `galley restore`, and `galley check` of a backup.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use galley_tests::{
    command_line::{CommandOutput, galley, program, run_on_data},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Pid;
use serde_json::Value;
use tempfile::TempDir;

use super::{folder, names_in, verdict, write};

/// Returns a command on the data folder `data`.
pub(super) fn command(folder: &TempDir, arguments: &[&str]) -> Command {
    galley(folder, &[&["--data", "data"], arguments].concat())
}

/// A folder with a site in `data`.
pub(super) fn site() -> TempDir {
    let folder = folder();
    let made = run_on_data(&folder, &["key", "create", "--name", "Reader"]);
    assert!(made.is_success(), "{}", made.err);
    write(folder.path().join("data/images/ferry.svg"), "<svg/>");
    folder
}

/// Adds an upload that takes long to read, as a sparse file that needs little disk space.
fn add_long_upload(folder: &TempDir) {
    let long = File::create(folder.path().join("data/images/long.bin")).unwrap();
    long.set_len(40 << 30).unwrap();
}

/// Runs a command under a limit of file sizes, so that writing fails as on a full disk.
fn run_with_small_files(folder: &TempDir, arguments: &str) -> CommandOutput {
    let galley = program().display().to_string();
    let output = Command::new("sh")
        .current_dir(folder.path())
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f 8; exec {galley} {arguments}"
        ))
        .output();
    output.unwrap().into()
}

#[test]
fn backup_is_written_checked_and_restored_without_a_server() {
    let folder = site();
    let output = run_on_data(&folder, &["backup", "site.zip"]);
    assert!(output.is_success(), "{}", output.err);
    assert!(
        output.out.starts_with("site.zip: revision 2, 2 files, "),
        "{}",
        output.out
    );

    let output = run_on_data(&folder, &["check", "site.zip"]);
    assert!(output.is_success());
    let checked = output.out;
    assert!(checked.contains("revision 2, written 20"), "{checked}");
    assert!(checked.contains("      1 integration\n"), "{checked}");
    assert!(checked.ends_with("intact.\n"), "{checked}");

    let output = run_on_data(&folder, &["restore", "site.zip", "--data", "restored"]);
    assert!(output.is_success(), "{}", output.err);
    assert!(output.out.ends_with("Restored into restored.\n"));
    let keys = |data: &str| run_on_data(&folder, &["key", "list", "--data", data]).out;
    assert_eq!(keys("restored"), keys("data"));
    let image = fs::read(folder.path().join("restored/images/ferry.svg"));
    assert_eq!(image.unwrap(), b"<svg/>");
}

#[test]
fn running_server_writes_the_backup() {
    let folder = site();
    let server = GalleyProcess::start(folder.path(), &[]);
    let output = run_on_data(&folder, &["backup", "site.zip", "--json"]);
    assert!(output.is_success(), "{}", output.err);
    let report: Value = output.json();
    let found = verdict(&folder.path().join("site.zip")).unwrap();
    assert_eq!(report["revision"], found.revision);
    assert_eq!(report["files"], 2);
    assert!(found.damages.is_empty());

    let output = run_on_data(&folder, &["backup", "site.zip"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("site.zip already exists"));
    let output = run_on_data(&folder, &["backup", "site.zip", "--force"]);
    assert!(output.is_success(), "{}", output.err);

    let output = run_on_data(&folder, &["restore", "site.zip"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("in use by Galley"), "{}", output.err);
    assert!(server.is_running());
}

#[test]
fn backup_can_be_piped() {
    let folder = site();
    for with_server in [false, true] {
        let _server = with_server.then(|| GalleyProcess::start(folder.path(), &[]));
        let file = File::create(folder.path().join("passed.zip")).unwrap();
        let piped = command(&folder, &["backup", "-"]).stdout(file).output();
        let output = CommandOutput::from(piped.unwrap());
        assert!(output.is_success(), "{}", output.err);
        assert!(output.err.starts_with("-: revision "), "{}", output.err);
        let verdict = verdict(&folder.path().join("passed.zip")).unwrap();
        assert!(verdict.damages.is_empty());
        let names = names_in(&folder.path().join("data"));
        let socket = with_server.then_some("galley.sock");
        let of_store = ["galley.lock", "galley.redb"].into_iter();
        assert!(
            names.iter().eq(of_store.chain(socket).chain(["images"])),
            "{names:?}"
        );
    }
}

#[test]
fn check_of_a_damaged_backup_exits_with_1_and_names_the_file() {
    let folder = site();
    run_on_data(&folder, &["backup", "site.zip"]);
    let path = folder.path().join("site.zip");
    let mut bytes = fs::read(&path).unwrap();
    let image = bytes.windows(6).position(|at| at == b"<svg/>").unwrap();
    bytes[image] = b'>';
    fs::write(&path, bytes).unwrap();
    let output = run_on_data(&folder, &["check", "site.zip"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output
            .out
            .ends_with("Damaged:\n  images/ferry.svg: its content has changed\n"),
        "{}",
        output.out
    );
    let output = run_on_data(&folder, &["check", "site.zip", "--json"]);
    let report: Value = output.json();
    assert_eq!(report["damages"][0]["place"], "images/ferry.svg");
}

#[test]
fn check_of_a_folder_of_backups_verifies_each_and_names_the_damaged_ones() {
    let folder = site();
    let backups = folder.path().join("backups");
    fs::create_dir(&backups).unwrap();
    for name in ["a.galley.zip", "b.galley.zip", "c.galley.zip"] {
        run_on_data(&folder, &["backup", &format!("backups/{name}")]);
    }
    fs::write(backups.join("notes.txt"), "not a backup").unwrap();
    let output = run_on_data(&folder, &["check", "backups"]);
    assert!(output.is_success(), "{}{}", output.out, output.err);
    assert!(
        output.out.ends_with("3 backups, all intact.\n"),
        "{}",
        output.out
    );

    let damaged = backups.join("b.galley.zip");
    let mut bytes = fs::read(&damaged).unwrap();
    let image = bytes.windows(6).position(|at| at == b"<svg/>").unwrap();
    bytes[image] = b'>';
    fs::write(&damaged, bytes).unwrap();
    let cut = fs::read(backups.join("c.galley.zip")).unwrap();
    fs::write(backups.join("c.galley.zip"), &cut[..cut.len() / 2]).unwrap();

    for paths in [
        &["backups"][..],
        &[
            "backups/a.galley.zip",
            "backups/b.galley.zip",
            "backups/c.galley.zip",
        ],
    ] {
        let output = run_on_data(&folder, &[&["check"], paths].concat());
        assert_eq!(output.code, Some(1));
        let text = output.out;
        assert!(
            text.contains("  images/ferry.svg: its content has changed\n"),
            "{text}"
        );
        assert!(text.contains("backups/c.galley.zip: damaged: "), "{text}");
        let named = "3 backups, 2 damaged:\n  backups/b.galley.zip\n  backups/c.galley.zip\n";
        assert!(text.ends_with(named), "{text}");
    }
    let output = run_on_data(&folder, &["check", "backups", "--json"]);
    let report: Value = output.json();
    assert_eq!(report[0]["verdict"]["damages"], serde_json::json!([]));
    assert_eq!(
        report[1]["verdict"]["damages"][0]["place"],
        "images/ferry.svg"
    );
    assert!(report[2]["error"].is_string(), "{report}");
}

#[test]
fn full_disk_leaves_no_partial_backup_or_restored_site() {
    let folder = site();
    let output = run_with_small_files(&folder, "backup site.zip --data data");
    assert_eq!(output.code, Some(1));
    assert!(output.err.starts_with("galley: "), "{}", output.err);
    assert_eq!(output.err.lines().count(), 1, "{}", output.err);
    assert_eq!(names_in(folder.path()), ["data"]);
    assert_eq!(
        names_in(&folder.path().join("data")),
        ["galley.lock", "galley.redb", "images"]
    );

    assert!(run_on_data(&folder, &["backup", "site.zip"]).is_success());
    let output = run_with_small_files(&folder, "restore site.zip --data new/restored");
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("cannot write"), "{}", output.err);
    assert_eq!(names_in(folder.path()), ["data", "site.zip"]);
}

#[test]
fn killed_backup_leaves_no_files() {
    let folder = site();
    add_long_upload(&folder);
    let mut backup = command(&folder, &["backup", "site.zip"]).spawn().unwrap();
    wait_until_it_writes(Pid::from_child(&backup), folder.path());
    backup.kill().unwrap();
    backup.wait().unwrap();
    fs::remove_file(folder.path().join("data/images/long.bin")).unwrap();
    assert!(run_on_data(&folder, &["status"]).is_success());
    assert_eq!(names_in(folder.path()), ["data"]);
    assert_eq!(
        names_in(&folder.path().join("data")),
        ["galley.lock", "galley.redb", "images"]
    );
}

#[test]
fn backup_is_cancelled_when_the_client_disconnects() {
    let folder = site();
    add_long_upload(&folder);
    let server = GalleyProcess::start(folder.path(), &[]);
    let mut backup = command(&folder, &["backup", "site.zip"]).spawn().unwrap();
    wait_until_it_writes(server.pid(), folder.path());
    backup.kill().unwrap();
    backup.wait().unwrap();
    wait_until("nothing is written", || {
        !is_writing(server.pid(), folder.path())
    });
    assert!(server.is_running());
    assert!(!folder.path().join("site.zip").exists());
}

/// Returns whether a process has an unnamed file open in `folder`.
fn is_writing(process: Pid, folder: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .any(|file| {
            let name = file.to_string_lossy();
            name.ends_with(" (deleted)") && file.parent() == Some(folder)
        })
}

fn wait_until_it_writes(process: Pid, folder: &Path) {
    wait_until("the backup is being written", || {
        is_writing(process, folder)
    });
    thread::sleep(Duration::from_millis(100));
}

#[test]
fn backup_refuses_a_terminal_and_does_not_create_a_missing_site() {
    let folder = folder();
    let output = run_on_data(&folder, &["backup", "site.zip"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("there is no data folder data"));
    assert_eq!(names_in(folder.path()), [""; 0]);
    let mut closed = command(&folder, &["backup", "missing/site.zip"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    closed
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "");
    assert_eq!(closed.wait().unwrap().code(), Some(1));
}

#[test]
fn failed_backup_reports_the_error_of_the_system() {
    let folder = site();
    let _server = GalleyProcess::start(folder.path(), &[]);
    fs::remove_file(folder.path().join("data/galley.redb")).unwrap();
    let output = run_on_data(&folder, &["backup", "site.zip"]);
    assert!(!output.is_success(), "{}", output.out);
    assert!(output.err.contains("galley.redb"), "{}", output.err);
    assert!(output.err.contains("No such file"), "{}", output.err);
}
