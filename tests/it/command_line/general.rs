//! Tests of the command line: flags in any position, help with examples, and errors with advice.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

use galley::data_folder::DataFolder;
use tempfile::TempDir;

#[test]
fn common_flags_are_accepted_before_the_subcommand() {
    let folder = folder();
    let said = galley(
        &folder,
        &["--data", "data", "-q", "key", "create", "--name", "CI"],
    );
    assert!(said.status.success(), "{}", errors(&said));
    let said = galley(&folder, &["key", "list", "--data", "data"]);
    assert!(output(&said).contains("CI\n  Content API key"));
}

#[test]
fn command_waits_briefly_for_a_locked_data_folder() {
    let folder = folder();
    let other = DataFolder::open(folder.path().join("data")).unwrap();
    let done = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(other);
    });
    let said = galley(&folder, &["key", "list", "--data", "data"]);
    assert!(said.status.success(), "{}", errors(&said));
    done.join().unwrap();
}

#[test]
fn flags_of_serve_before_another_subcommand_are_rejected() {
    let said = galley(&folder(), &["--listen", "127.0.0.1:0", "status"]);
    assert_eq!(said.status.code(), Some(2));
    assert!(errors(&said).contains("options of `serve` only"));
}

#[test]
fn read_only_commands_do_not_create_a_missing_data_folder() {
    let folder = folder();
    for arguments in [
        &["key", "list", "--data", "misspelt"][..],
        &["key", "revoke", "CI", "--data", "misspelt"],
        &["status", "--data", "misspelt"],
        &["compact", "--data", "misspelt"],
    ] {
        let said = galley(&folder, arguments);
        assert_eq!(said.status.code(), Some(1), "{arguments:?}");
        assert!(errors(&said).contains("there is no data folder misspelt"));
    }
    assert!(!folder.path().join("misspelt").exists());
}

#[test]
fn every_command_shows_examples() {
    for arguments in [
        &["--help"][..],
        &["serve", "--help"],
        &["check", "--help"],
        &["compact", "--help"],
        &["copy", "--help"],
        &["export", "--help"],
        &["key", "--help"],
        &["key", "create", "--help"],
        &["key", "list", "--help"],
        &["key", "revoke", "--help"],
        &["members", "--help"],
        &["members", "merge", "--help"],
        &["status", "--help"],
    ] {
        let help = output(&galley(&folder(), arguments));
        assert!(help.contains("Example"), "{arguments:?} shows none");
    }
}

#[test]
fn checked_file_belongs_to_its_project_and_not_to_the_nearest_folder() {
    let folder = folder();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let text = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n[deck]({{< ref \"deck.md\" >}})\n";
    // A project of Hugo, in which a folder by itself looks like one of Galley's.
    write("hugo/hugo.toml", "");
    write("hugo/content/posts/ferry.md", text);
    // One of Jekyll, in which folders have posts of their own.
    write("jekyll/_config.yml", "");
    write("jekyll/sea/_posts/2026-02-03-ferry.md", text);
    // Documents beside the project that names them.
    write(
        "docs/web/docusaurus.config.js",
        "module.exports = { presets: [['classic', { docs: { path: '../pages' } }]] }",
    );
    write("docs/pages/ferry.md", text);
    // A folder of its own settings, inside of a project.
    write(
        "hugo/own/galley.toml",
        "content = \"texts\"\n[content_files]\nposts = [\"**\"]\n",
    );
    write("hugo/own/texts/ferry.md", text);
    for (file, expected) in [
        (
            "hugo/content/posts/ferry.md",
            "content/posts/ferry.md: a post\n",
        ),
        (
            "jekyll/sea/_posts/2026-02-03-ferry.md",
            "sea/_posts/2026-02-03-ferry.md: a post\n",
        ),
        ("docs/pages/ferry.md", "pages/ferry.md: a page\n"),
        ("hugo/own/texts/ferry.md", "ferry.md: a post\n"),
    ] {
        let said = galley(&folder, &["check", "--explain", file]);
        assert!(
            output(&said).starts_with(expected),
            "{file}: {}{}",
            output(&said),
            errors(&said)
        );
    }
    let said = galley(&folder, &["check", "hugo/content/posts/ferry.md"]);
    assert!(
        output(&said).contains("link target not found: "),
        "{}",
        output(&said)
    );
}

#[test]
fn counts_of_one_are_singular() {
    let folder = folder();
    galley(&folder, &["key", "create", "--name", "CI"]);
    let status = output(&galley(&folder, &["status"]));
    assert!(status.contains(" 1 integration\n"), "{status}");
    assert!(status.contains(" 0 posts published\n"), "{status}");
}

#[test]
fn listen_address_without_a_port_gets_an_error_with_an_example() {
    let said = galley(&folder(), &["--listen", "localhost"]);
    assert!(errors(&said).contains("such as 127.0.0.1:2368"));
}

#[test]
fn listen_address_may_be_a_host_name() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address");
    let named = format!("localhost:{}", address.port());
    let said = galley(&folder(), &["--no-content", "--listen", &named]);
    // The port is taken, so the server says what the name stands for.
    let message = format!("cannot listen at {address}");
    assert!(errors(&said).contains(&message), "{}", errors(&said));
}

#[test]
fn second_server_of_a_site_reports_the_first_before_the_port_conflict() {
    let folder = folder();
    let listen = ["--no-content", "--listen", &free_address()];
    let first = Server::start(&folder, &listen);
    let second = galley(&folder, &listen);
    let named = format!(
        "in use by Galley {}, process {}",
        env!("CARGO_PKG_VERSION"),
        first.0.id()
    );
    assert_eq!(second.status.code(), Some(1));
    assert!(errors(&second).contains(&named), "{}", errors(&second));
}

#[test]
fn port_in_use_is_reported_and_creates_no_data_folder() {
    let folder = folder();
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    let said = galley(&folder, &["--no-content", "--listen", &address]);
    assert!(errors(&said).contains(&format!("cannot listen at {address}")));
    assert!(!folder.path().join("galley-data").exists());
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Returns a free address of this machine.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

fn command(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galley"));
    command
        .current_dir(folder.path())
        .env_clear()
        .args(arguments)
        .stdin(Stdio::null());
    command
}

fn galley(folder: &TempDir, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .output()
        .expect("the program runs")
}

fn output(said: &Output) -> String {
    String::from_utf8_lossy(&said.stdout).into_owned()
}

fn errors(said: &Output) -> String {
    String::from_utf8_lossy(&said.stderr).into_owned()
}

/// A server that has said where it is; killed when dropped.
struct Server(Child);

impl Server {
    fn start(folder: &TempDir, arguments: &[&str]) -> Self {
        let mut child = command(folder, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = child.stdout.take().expect("invariant: piped above");
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .expect("the greeting");
        assert!(line.contains(" is at http://"), "{line}");
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
