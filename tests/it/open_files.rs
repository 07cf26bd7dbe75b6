//! Tests of the limit on open files, which is checked at start.

use std::{fs, process::Command};

use galley_tests::{
    command_line::{CommandOutput, program},
    galley_process::GalleyProcess,
};
use tempfile::TempDir;

/// Returns `galley serve` with these flags and environment variables, under a system limit of `allowed` open files.
fn serve(folder: &TempDir, allowed: u64, flags: &str, variables: &[(&str, &str)]) -> Command {
    let galley = program().display().to_string();
    let mut command = Command::new("sh");
    command
        .current_dir(folder)
        .arg("-c")
        .arg(format!(
            "ulimit -n {allowed}; exec {galley} serve --no-content --listen 127.0.0.1:0 {flags}"
        ))
        .envs(variables.iter().copied());
    command
}

/// Starts a server, which must fail, and returns its messages.
fn refusal(allowed: u64, flags: &str, variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(&folder, allowed, flags, variables);
    let output = CommandOutput::from(command.output().unwrap());
    assert_eq!(output.code, Some(1));
    assert!(
        !folder.path().join("galley-data").exists(),
        "the data folder was created"
    );
    output.err
}

#[test]
fn low_file_limit_reduces_default_connections_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let process = GalleyProcess::from_command(&mut serve(&folder, 1000, "", &[]));
    let warned = process.log();
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
    let process = GalleyProcess::from_command(&mut serve(&folder, 9000, "--open-files 8192", &[]));
    let limits = fs::read_to_string(format!("/proc/{}/limits", process.pid())).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let soft = line.unwrap().split_whitespace().nth(3);
    assert_eq!(soft, Some("8192"));
    assert!(!process.log().contains("too few"));

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

#[test]
fn reload_with_connections_beyond_the_file_limit_is_rejected_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let _process = GalleyProcess::from_command(&mut serve(&folder, 1000, "", &[]));
    let reload = |connections: u32| {
        let options = format!("server.connections = {connections}\n");
        fs::write(folder.path().join("galley.toml"), options).unwrap();
        let mut command = Command::new(program());
        CommandOutput::from(command.current_dir(&folder).arg("reload").output().unwrap())
    };
    let output = reload(2000);
    assert_eq!(output.code, Some(1));
    assert!(
        output
            .err
            .contains("nothing is changed: 2000 connections (server.connections) need"),
        "{}",
        output.err
    );

    assert!(reload(300).is_success());
}
