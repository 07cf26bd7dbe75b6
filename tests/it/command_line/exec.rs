//! Tests of `galley exec`, which runs a command with a server for the command's lifetime.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
};

use galley_tests::{
    command_line::{CommandOutput, fetch, galley, program},
    folder::{Folder, post},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Returns a site with a separate folder for temporary files.
fn content() -> Folder {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "![](a.png)")),
        ("posts/a.png", "a picture"),
        ("drafts/b.md", &post("B", "")),
    ]);
    fs::create_dir(temporary(&folder)).expect("a folder");
    folder
}

fn temporary(folder: &Folder) -> PathBuf {
    folder.top().join("tmp")
}

/// Returns `galley exec` with these arguments, not started.
fn exec(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = galley(folder, &[&["exec"], arguments].concat());
    command.env("TMPDIR", temporary(folder));
    command
}

fn run(folder: &Folder, arguments: &[&str]) -> CommandOutput {
    let output = exec(folder, arguments).output();
    CommandOutput::from(output.expect("the program runs"))
}

fn assert_no_files_remain(folder: &Folder) {
    let remaining = fs::read_dir(temporary(folder)).expect("a folder");
    let remaining: Vec<_> = remaining.map(|entry| entry.unwrap().path()).collect();
    assert!(remaining.is_empty(), "{remaining:?}");
    assert!(!folder.top().join("galley-data").exists());
}

/// A started `galley exec`, with its standard output.
struct Running {
    process: Child,
    out: BufReader<ChildStdout>,
}

impl Running {
    /// Starts `galley exec` with default signal actions, because a shell's `&` may have made this process ignore interrupts.
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let program = exec(folder, arguments);
        let mut process = Command::new("/usr/bin/env")
            .arg("--default-signal")
            .arg(program.get_program())
            .args(program.get_args())
            .current_dir(folder.top())
            .env_clear()
            .env("TMPDIR", temporary(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, out }
    }

    /// Reads the next line of the command's output.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("UTF-8");
        line.trim_end().to_owned()
    }

    /// Reads the next line and returns its words.
    fn words(&mut self) -> Vec<String> {
        self.line().split(' ').map(str::to_owned).collect()
    }

    fn write_line(&mut self) {
        let input = self.process.stdin.as_mut().expect("a pipe");
        input.write_all(b"\n").expect("the command reads");
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).expect("the process exists");
    }

    fn end(self) -> CommandOutput {
        CommandOutput::from(self.process.wait_with_output().expect("the program ends"))
    }
}

/// A shell script that prints the server's URL and key, and exits with 7 once it reads a line.
const PRINT_AND_WAIT: &str = r#"echo "$GHOST_URL $GHOST_CONTENT_API_KEY"; read line; exit 7"#;

/// Returns the posts of the server whose URL and key are `words`.
fn posts(words: &[String]) -> Vec<Value> {
    let [url, key] = words else {
        panic!("expected a URL and a key, found {words:?}");
    };
    let address = url.strip_prefix("http://").expect("an address");
    let path = format!("/ghost/api/content/posts/?key={key}");
    let response: Value = serde_json::from_str(&fetch(address, &path)).expect("JSON");
    response["posts"].as_array().expect("a list").clone()
}

#[test]
fn exec_passes_the_site_streams_and_exit_code() {
    let folder = content();
    let mut running = Running::start(&folder, &["--", "sh", "-c", PRINT_AND_WAIT]);
    let words = running.words();
    let posts = posts(&words);
    assert_eq!(posts.len(), 1, "expected only post A: {posts:?}");
    assert_eq!(posts[0]["title"], "A");
    let url = &words[0];
    let html = posts[0]["html"].as_str().expect("a text");
    assert!(
        html.contains(&format!("{url}/content/images/posts/a.png")),
        "{html}"
    );
    running.write_line();
    let output = running.end();
    assert_eq!(output.code, Some(7));
    assert_eq!(output.err, "", "standard error is not empty");
    assert_no_files_remain(&folder);
}

#[test]
fn exec_data_is_private_and_nested_commands_reach_the_server() {
    let folder = content();
    let program = program();
    let program = program.display();
    let script = format!("stat -c %a \"$GALLEY_DATA\"; {program} key list --json");
    let output = run(&folder, &["sh", "-c", &script]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    let (mode, keys) = output.out.split_once('\n').expect("two lines");
    assert_eq!(mode, "700");
    let keys: Value = serde_json::from_str(keys).expect("JSON");
    assert_eq!(keys.as_array().expect("a list").len(), 1);
    assert_no_files_remain(&folder);
}

#[test]
fn several_exec_commands_run_concurrently() {
    let folder = content();
    let arguments = ["--", "sh", "-c", PRINT_AND_WAIT];
    let mut all: Vec<Running> = (0..4)
        .map(|_| Running::start(&folder, &arguments))
        .collect();
    let words: Vec<Vec<String>> = all.iter_mut().map(Running::words).collect();
    for one in &words {
        assert_eq!(posts(one).len(), 1);
    }
    for mut running in all {
        running.write_line();
        assert_eq!(running.end().code, Some(7));
    }
    assert_no_files_remain(&folder);
}

#[test]
fn diagnostics_are_reported_and_strict_prevents_the_run() {
    let folder = content();
    folder.write("posts/broken.md", "+++\ntitle = 1\n+++\n");
    folder.write("posts/odd.md", post("Odd", "[nowhere](nowhere.md)"));
    let output = run(&folder, &["--", "echo", "it runs"]);
    assert_eq!((output.code, output.out.as_str()), (Some(0), "it runs\n"));
    assert!(output.err.contains("posts/broken.md"), "{}", output.err);
    assert!(output.err.contains("nowhere.md"), "{}", output.err);
    let output = run(&folder, &["--strict", "--", "echo", "it runs"]);
    assert_eq!((output.code, output.out.as_str()), (Some(1), ""));
    assert!(
        output
            .err
            .contains("1 error and 1 warning in the content files"),
        "{}",
        output.err
    );
    assert_no_files_remain(&folder);
}

#[test]
fn unknown_command_exits_with_127_like_shells() {
    let folder = content();
    fs::write(folder.top().join("text"), "no program").expect("a file");
    let output = run(&folder, &["--", "misspelt", "--flag"]);
    assert_eq!(output.code, Some(127));
    assert!(output.err.contains("cannot run misspelt"), "{}", output.err);
    let output = run(&folder, &["--", "./text"]);
    assert_eq!(output.code, Some(126));
    assert!(output.err.contains("cannot run ./text"), "{}", output.err);
    assert_no_files_remain(&folder);
}

#[test]
fn exec_needs_a_content_folder() {
    let folder = content();
    let output = run(
        &folder,
        &["--content", "elsewhere", "--", "echo", "it runs"],
    );
    assert_eq!((output.code, output.out.as_str()), (Some(1), ""));
    assert!(output.err.contains("no folder elsewhere"), "{}", output.err);
    assert_no_files_remain(&folder);
}

#[test]
fn signals_are_forwarded_to_the_command() {
    let folder = content();
    let script = "trap 'exit 3' TERM; echo ready; while :; do sleep 0.02; done";
    let mut running = Running::start(&folder, &["--", "sh", "-c", script]);
    assert_eq!(running.line(), "ready");
    running.signal(Signal::TERM);
    assert_eq!(running.end().code, Some(3));
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let script = "echo ready; exec sleep 60";
        let mut running = Running::start(&folder, &["--", "sh", "-c", script]);
        assert_eq!(running.line(), "ready");
        running.signal(signal);
        assert_eq!(running.end().code, Some(code));
    }
    assert_no_files_remain(&folder);
}

#[test]
fn responses_use_the_public_url_unless_configured_otherwise() {
    let folder = content();
    folder.write("site.toml", "url = \"https://harbour.example/blog\"\n");
    let script = format!("echo \"$SITE_URL\"; {PRINT_AND_WAIT}");
    let urls_of_post_a = |arguments: &[&str]| {
        let command = ["--", "sh", "-c", &script];
        let mut running = Running::start(&folder, &[arguments, &command].concat());
        let site = running.line();
        let words = running.words();
        let mut at_host = words.clone();
        at_host[0] = words[0].trim_end_matches("/blog").to_owned();
        let url = posts(&at_host)[0]["url"]
            .as_str()
            .expect("a text")
            .to_owned();
        running.write_line();
        running.end();
        (site, words[0].clone(), url)
    };
    let (site, server_url, post) = urls_of_post_a(&[]);
    assert_eq!(site, "https://harbour.example/blog");
    assert!(server_url.ends_with("/blog"), "{server_url}");
    assert_eq!(post, "https://harbour.example/blog/a/");
    let (_, _, post) = urls_of_post_a(&["--url", "https://other.example"]);
    assert_eq!(post, "https://other.example/a/");
    let (site, server_url, post) = urls_of_post_a(&["--local-urls"]);
    assert_eq!(site, "https://harbour.example/blog");
    assert_eq!(post, format!("{server_url}/a/"));
}
