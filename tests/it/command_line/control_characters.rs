//! Tests that external text cannot control a terminal or forge a line in the log or the output of commands: file names,
//! responses of a bucket, output of git, and names in archives.

use std::{fs, io::Write};

use galley_tests::{
    command_line::{CommandOutput, galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    other_site::{OtherSite, raw_response},
    scripts::write_script,
};
use rustix::process::Signal;
use serde_json::Value;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::repository::origin::site_of;

/// Text that clears the screen, begins a line, starts a control sequence with one character and reorders the text after it.
const HOSTILE: &str = "\u{1b}[2J\nerror: forged\u{9b}31m\u{202e}\u{2028}";

/// [`HOSTILE`] with escapes, as it must be shown.
const SHOWN: &str = r"\u{1b}[2J\nerror: forged\u{9b}31m\u{202e}\u{2028}";

const BAD: &str = "+++\ntitle = \n+++\nText.\n";

/// Asserts that a text does not control a terminal and has no forged line.
fn assert_harmless(text: &str) {
    let controls = |character: char| {
        let reorders = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let separates = matches!(character, '\u{2028}' | '\u{2029}');
        (character.is_control() && character != '\n') || reorders || separates
    };
    assert!(!text.contains(controls), "{text:?}");
    assert!(
        !text.lines().any(|line| line.starts_with("error: forged")),
        "{text:?}"
    );
}

fn assert_shown_escaped(output: &CommandOutput) {
    let text = format!("{}{}", output.out, output.err);
    assert_harmless(&text);
    assert!(text.contains(SHOWN), "{text}");
}

/// Creates a content folder with a valid and an invalid file, both with hostile names.
fn hostile_folder() -> Folder {
    let folder = Folder::new();
    folder.write(&format!("posts/good{HOSTILE}.md"), post("Good", "Text."));
    folder.write(&format!("posts/bad{HOSTILE}.md"), BAD);
    folder
}

#[test]
fn names_of_content_files_are_escaped_by_commands() {
    let folder = hostile_folder();
    assert_shown_escaped(&run(&folder, &["check", "content"]));
    assert_shown_escaped(&run(&folder, &["check", "content", "--explain"]));
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);
    assert_shown_escaped(&run(&folder, &["status", "--data", "data"]));
    drop(served);
    assert_shown_escaped(&run(
        &folder,
        &["check", &format!("content/posts/gone{HOSTILE}.md")],
    ));
    assert_shown_escaped(&run(&folder, &["check", &format!("--gone{HOSTILE}")]));
    let import = run(&folder, &["import", "content", "--data", "data"]);
    assert_harmless(&format!("{}{}", import.out, import.err));
    let report = run(&folder, &["check", "content", "--json"]);
    assert_harmless(&report.out);
    let file = report.json()[0]["file"].clone();
    assert_eq!(file, format!("posts/bad{HOSTILE}.md"));
}

#[test]
fn names_of_content_files_are_escaped_in_the_log_of_both_formats() {
    for format in ["text", "json"] {
        let folder = hostile_folder();
        let arguments = ["--content", "content", "--log-format", format];
        let output = GalleyProcess::serve(&folder, &arguments).stop(Signal::TERM);
        assert_harmless(&output.err);
        if format == "text" {
            assert!(output.err.contains(SHOWN), "{}", output.err);
            continue;
        }
        let events: Vec<Value> = output
            .err
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let of_file = |event: &Value| event["fields"]["diagnostics"].is_string();
        let event = events
            .iter()
            .find(|event| of_file(event))
            .expect("the problem");
        let text = event["fields"]["diagnostics"].as_str().expect("a text");
        assert!(text.contains(SHOWN), "{text}");
    }
}

#[test]
fn errors_of_a_bucket_are_escaped() {
    let bucket = OtherSite::start(|_| {
        let body =
            format!("<Error><Code>Denied{HOSTILE}</Code><Message>No{HOSTILE}</Message></Error>");
        raw_response("403 Forbidden", "content-type: application/xml\r\n", body)
    });
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let arguments = ["backup", "list", "--to", "s3://backups", "--data", "data"];
    let mut command = galley(&folder, &arguments);
    command.env("GALLEY_BACKUP_ENDPOINT", bucket.at(""));
    command.env("GALLEY_BACKUP_ACCESS_KEY", "key");
    command.env("GALLEY_BACKUP_SECRET_KEY", "secret");
    let output = CommandOutput::from(command.output().expect("the program runs"));
    assert_eq!(output.code, Some(1), "{}", output.err);
    assert_harmless(&output.err);
    assert!(
        output.err.contains("403") || output.err.contains("Denied"),
        "{}",
        output.err
    );
}

#[test]
fn output_of_git_and_of_a_repository_is_escaped() {
    let folder = site_of("ssh://host.invalid/site.git", 3600, "");
    let script = folder.top().join("ssh");
    let output = HOSTILE.replace('\n', "\\n");
    write_script(
        &script,
        &format!("#!/bin/sh\nprintf 'remote: {output}\\n' >&2\nexit 1\n"),
    );
    for arguments in [
        &["sync", "--data", "data"][..],
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data",
            "data",
            "--log-format",
            "json",
        ],
    ] {
        let mut command = galley(&folder, arguments);
        command.env("GIT_SSH_COMMAND", &script);
        let output = CommandOutput::from(command.output().expect("the program runs"));
        let text = format!("{}{}", output.out, output.err);
        assert_harmless(&text);
        assert!(text.contains(r"\u{1b}[2J"), "{text}");
        assert!(text.contains(r"\u{9b}31m\u{202e}"), "{text}");
    }
}

#[test]
fn names_in_archives_are_escaped() {
    let folder = Folder::new();
    let path = folder.top().join("archive.zip");
    let mut archive = ZipWriter::new(fs::File::create(&path).expect("a file"));
    for name in [
        "package.json",
        &format!("../{HOSTILE}.hbs"),
        &format!("{HOSTILE}.txt"),
    ] {
        let options = SimpleFileOptions::default();
        archive.start_file(name, options).expect("an entry");
        archive.write_all(b"{}").expect("the entry is written");
    }
    archive.finish().expect("an archive");
    for arguments in [
        ["import", "archive.zip", "--data", "data"],
        ["theme", "add", "archive.zip", "--quiet"],
    ] {
        let output = run(&folder, &arguments);
        let text = format!("{}{}", output.out, output.err);
        assert_harmless(&text);
    }
    let output = run(&folder, &["import", "archive.zip", "--data", "data"]);
    assert_shown_escaped(&output);
}
