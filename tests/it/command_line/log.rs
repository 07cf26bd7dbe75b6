//! Tests of the log of `galley serve`: its formats, its levels, and systemd's journal.

use std::{
    fs,
    net::TcpStream,
    process::{Child, Stdio},
};

use galley_tests::{
    command_line::{fetch, galley},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::serve::{SERVE, wait_for_address};

#[test]
fn log_formats_and_levels_apply() {
    let folder = Folder::with(&[
        ("posts/bad.md", "+++\ntitle = \n+++\n"),
        ("posts/x.md", "+++\ntitle = \"X\"\n+++\n"),
    ]);
    let output = GalleyProcess::serve(&folder, &["--log-format", "json"]).stop(Signal::TERM);
    for line in output.err.lines() {
        let line: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["level"].is_string());
    }
    let levels =
        |output: &str| ["ERROR", "WARN", "INFO", "DEBUG"].map(|level| output.contains(level));
    let output = GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    assert_eq!(
        levels(&output.err),
        [true, true, true, false],
        "{}",
        output.err
    );
    let output = GalleyProcess::serve(&folder, &["-v"]).stop(Signal::TERM);
    assert!(output.err.contains("INFO"), "{}", output.err);

    let process = galley(&folder, &[&SERVE[..], &["-q"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(TcpStream::connect(wait_for_address(&folder)).is_ok());
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(output.stdout.is_empty());
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(levels(&log), [true, false, false, false], "{log}");
}

/// Serves a folder in a process that writes standard error to the file `log`, as if the file were systemd's journal.
fn serve_into_journal(folder: &Folder) -> Child {
    let log = fs::File::create(folder.top().join("log")).unwrap();
    let file = rustix::fs::fstat(&log).unwrap();
    galley(folder, &SERVE)
        .env("JOURNAL_STREAM", format!("{}:{}", file.st_dev, file.st_ino))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Systemd's journal reads the priority from the beginning of each line.
#[test]
fn lines_for_the_journal_have_priorities_and_requests() {
    let folder = Folder::with(&[("posts/bad.md", "+++\ntitle = \n+++\n")]);
    let mut process = serve_into_journal(&folder);
    let address = wait_for_address(&folder);
    fetch(&address, "/healthz");
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    process.wait().unwrap();
    let log = fs::read_to_string(folder.top().join("log")).unwrap();
    for line in log.lines() {
        let begin = line.get(..3).unwrap();
        assert!(["<3>", "<4>", "<6>", "<7>"].contains(&begin), "{line}");
    }
    let has = |begin: &str, text: &str| {
        let mut lines = log.lines();
        lines.any(|line| line.starts_with(begin) && line.contains(text))
    };
    assert!(has("<3>", "posts/bad.md"), "{log}");
    assert!(has("<7>", "path=\"/healthz\""), "{log}");
    assert!(has("<6>", "stopped"), "{log}");
}

#[test]
fn refused_start_is_an_error_in_the_journal() {
    let folder = Folder::new();
    let options = "log.levl = \"warn\"\nunheard_of = 1\n";
    fs::write(folder.top().join("galley.toml"), options).unwrap();
    let status = serve_into_journal(&folder).wait().unwrap();
    assert_eq!(status.code(), Some(1));
    let log = fs::read_to_string(folder.top().join("log")).unwrap();
    assert!(log.contains("unheard_of"), "{log}");
    assert!(log.lines().all(|line| line.starts_with("<3>")), "{log}");
}

#[test]
fn emptied_content_folder_is_a_warning_with_the_number_of_files() {
    let folder = Folder::with(&[
        ("posts/first.md", &post("First", "")),
        ("posts/second.md", &post("Second", "")),
    ]);
    let served = GalleyProcess::serve(&folder, &[]);
    folder.remove("posts/first.md");
    served.wait_for_titles(|titles| titles == ["Second"]);

    // An empty folder may be a disk that is not mounted.
    folder.remove("posts/second.md");
    served.wait_for_titles(|titles| titles.is_empty());

    let log = served.stop(Signal::TERM).err;
    let warnings: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("files are gone"))
        .collect();
    assert_eq!(warnings.len(), 1, "{log}");
    assert!(warnings[0].contains("files=1"), "{log}");
}
