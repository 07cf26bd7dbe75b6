//! Tests of the limit of open files, which is checked at start.

use std::{
    fs,
    io::Read,
    process::{Child, Command, Stdio},
    time::Instant,
};

use galley_tests::wait::PATIENCE;
use tempfile::TempDir;

/// `galley serve` with these flags and variables, where the system allows so many open files.
fn serve(folder: &TempDir, allowed: u64, flags: &str, variables: &[(&str, &str)]) -> Child {
    let galley = env!("CARGO_BIN_EXE_galley");
    Command::new("sh")
        .current_dir(folder.path())
        .arg("-c")
        .arg(format!(
            "ulimit -n {allowed}; exec {galley} serve --no-content --listen 127.0.0.1:0 {flags}"
        ))
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(fs::File::create(folder.path().join("out")).unwrap())
        .stderr(fs::File::create(folder.path().join("err")).unwrap())
        .spawn()
        .unwrap()
}

fn said(folder: &TempDir, name: &str) -> String {
    let mut text = String::new();
    let file = fs::File::open(folder.path().join(name));
    file.unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Waits until it serves, looks at it, and ends it.
fn while_it_serves<T>(folder: &TempDir, mut served: Child, check: impl FnOnce(u32) -> T) -> T {
    let start = Instant::now();
    while !said(folder, "out").contains("Ctrl-C") {
        let ended = served.try_wait().unwrap();
        assert!(
            ended.is_none() && start.elapsed() < PATIENCE,
            "it does not serve: {}",
            said(folder, "err")
        );
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let seen = check(served.id());
    served.kill().unwrap();
    served.wait().unwrap();
    seen
}

/// What it says when it does not start.
fn refusal(allowed: u64, flags: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let ended = serve(&folder, allowed, flags, variables).wait().unwrap();
    assert_eq!(ended.code(), Some(1));
    assert!(
        !folder.path().join("galley-data").exists(),
        "it has begun already"
    );
    said(&folder, "err")
}

#[test]
fn low_file_limit_reduces_default_connections_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(&folder, 1000, "", &[]);
    while_it_serves(&folder, served, |_| ());
    let warned = said(&folder, "err");
    assert!(
        warned.contains("limit of open files is too low"),
        "{warned}"
    );
    assert!(warned.contains("requested=4096 connections="), "{warned}");
}

#[test]
fn connection_limit_beyond_the_file_limit_is_rejected_with_advice() {
    let refused = refusal(1000, "", &[("GALLEY_SERVER_CONNECTIONS", "2000")]);
    assert!(
        refused.contains("2000 connections (server.connections) need"),
        "{refused}"
    );
    assert!(refused.contains("may have 1000."), "{refused}");
    assert!(refused.contains("LimitNOFILE="), "{refused}");
    assert!(refused.contains("ulimit -Hn"), "{refused}");
}

#[test]
fn requested_file_limit_is_applied_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(&folder, 9000, "--open-files 8192", &[]);
    let limits = while_it_serves(&folder, served, |process| {
        fs::read_to_string(format!("/proc/{process}/limits")).unwrap()
    });
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let soft = line.unwrap().split_whitespace().nth(3);
    assert_eq!(soft, Some("8192"));
    assert!(!said(&folder, "err").contains("too few"));

    let refused = refusal(9000, "--open-files 1000", &[]);
    assert!(refused.contains("may have 1000."), "{refused}");
}

#[test]
fn file_limit_too_low_for_any_connection_is_rejected() {
    let refused = refusal(100, "", &[]);
    assert!(
        refused.contains("this process may have 100 open files"),
        "{refused}"
    );
}
