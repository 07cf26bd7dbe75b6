//! Tests that edits are pushed over the git protocol to git's daemon, over ssh to Debian's server, and over https with a token.

use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use data_encoding::BASE64;
use galley_tests::{
    command_line::{galley, run},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::{
        host::Host,
        origin::{Origin, site_of},
    },
    write_back::editing::{Editor, FERRY, with_site_url},
};

const SSHD: &str = "/usr/sbin/sshd";

/// A server process that is killed at the end of the test.
struct Daemon(Child);

impl Daemon {
    /// Starts a server and waits until it listens at `port`.
    fn start(command: &mut Command, port: u16) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let daemon = Self(child);
        wait_until("the server listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        daemon
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // The server may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .trim()
        .to_owned()
}

/// Edits the ferry of a site that follows the repository at `url`, and waits until the repository has the edit.
fn edit_through(origin: &Origin, url: &str, ssh: Option<&str>) {
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n";
    let folder = site_of(url, 1, settings);
    with_site_url(&folder);
    let mut command = galley(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    command.env("PATH", env::var_os("PATH").expect("a path"));
    command.envs(ssh.map(|ssh| ("GIT_SSH_COMMAND", ssh)));
    let served = GalleyProcess::from_command(&mut command);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the edit is in the repository", || {
        origin.git(&["fetch", "-q", "origin"]);
        origin
            .git(&["show", "origin/main:posts/night-ferry.md"])
            .contains("The day ferry")
    });
}

#[test]
fn edits_are_pushed_to_git_daemon() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let port = free_port();
    let programs = output_of("git", &["--exec-path"]);
    let mut command = Command::new(Path::new(&programs).join("git-daemon"));
    command
        .args(["--reuseaddr", "--export-all", "--enable=receive-pack"])
        .args(["--listen=127.0.0.1", &format!("--port={port}")])
        .arg(format!("--base-path={}", origin.top().display()));
    let _daemon = Daemon::start(&mut command, port);
    let url = format!("git://127.0.0.1:{port}/site.git");
    edit_through(&origin, &url, None);
}

#[test]
fn edits_are_pushed_over_ssh() {
    assert!(
        Path::new(SSHD).exists(),
        "Debian's openssh-server is missing; tests/run installs it"
    );
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let top = origin.top().display();
    for name in ["host", "client"] {
        let key = format!("{top}/{name}");
        output_of("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &key]);
    }
    if output_of("id", &["-u"]) == "0" {
        // Debian's service also creates this folder.
        fs::create_dir_all("/run/sshd").expect("a folder");
    }
    let port = free_port();
    let configuration = format!("{top}/sshd_config");
    let text = format!(
        "ListenAddress 127.0.0.1:{port}\nHostKey {top}/host\nAuthorizedKeysFile {top}/client.pub\n\
         StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    );
    fs::write(&configuration, text).expect("the file is written");
    let mut command = Command::new(SSHD);
    command.args(["-D", "-f", &configuration]);
    let _daemon = Daemon::start(&mut command, port);
    let user = output_of("id", &["-un"]);
    let url = format!("ssh://{user}@127.0.0.1:{port}{}", origin.bare().display());
    let ssh = format!(
        "ssh -F /dev/null -i {top}/client -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    );
    edit_through(&origin, &url, Some(&ssh));
}

/// Collects the arguments of all git processes until `is_over` is true.
fn process_list_until(is_over: &AtomicBool) -> String {
    let mut seen = String::new();
    while !is_over.load(Ordering::SeqCst) {
        for process in fs::read_dir("/proc").expect("processes").flatten() {
            // The process may have ended already.
            let arguments = fs::read(process.path().join("cmdline")).unwrap_or_default();
            if arguments.starts_with(b"git") || arguments.windows(4).any(|part| part == b"/git") {
                seen += &String::from_utf8_lossy(&arguments).replace('\0', " ");
                seen.push('\n');
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
    seen
}

#[test]
fn edits_wait_until_the_token_may_write_and_the_token_is_never_shown() {
    const TOKEN: &str = "ghp_OnlyForReading1";
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let host = Host::serve_tls(origin.top(), TOKEN);
    host.refuse_pushes(403);
    let settings =
        format!("token = \"{TOKEN}\"\n[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n");
    let folder = site_of(&host.url("site.git"), 1, &settings);
    with_site_url(&folder);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let processes = thread::spawn(move || process_list_until(&over));
    let arguments = ["serve", "-vv", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = galley(&folder, &arguments);
    command.env("GIT_SSL_CAINFO", origin.top().join("ca.pem"));
    let served = GalleyProcess::from_command(&mut command);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    let status = || {
        let (_, found) = editor.send("GET", "git/", &Value::Null);
        found["git"][0].clone()
    };
    for (refusal, output) in [(403, "error: 403"), (401, "could not read Username")] {
        host.refuse_pushes(refusal);
        run(&folder, &["sync", "--data", "data"]);
        wait_until("the status names the missing permission", || {
            let status = status();
            let message = status["failure"]["message"].as_str().unwrap_or_default();
            message.contains(output)
                && message.contains("the permission \"Contents: read and write\" (GitHub), \"write_repository\" (GitLab)")
        });
        assert_eq!(status()["waiting_edits"], 1);
        assert_eq!(editor.read("night-ferry")["title"], "The day ferry");
    }
    let printed = run(&folder, &["status", "--data", "data"]);
    assert!(printed.out.contains("1 edit"), "{}", printed.out);
    assert!(printed.out.contains("write_repository"), "{}", printed.out);
    host.refuse_pushes(0);
    wait_until("the edit is in the repository", || {
        run(&folder, &["sync", "--data", "data"]);
        origin.git(&["fetch", "-q", "origin"]);
        let text = origin.git(&["show", "origin/main:posts/night-ferry.md"]);
        text.contains("The day ferry")
    });
    wait_until("no edit is pending", || status()["waiting_edits"] == 0);
    let responded = status().to_string();
    let logged = served.stop(Signal::TERM);
    is_over.store(true, Ordering::SeqCst);
    let processes = processes.join().expect("a list");
    assert!(processes.contains("push --quiet"), "{processes}");
    let encoded = BASE64.encode(format!("x-access-token:{TOKEN}").as_bytes());
    let shown = [
        responded,
        printed.out,
        printed.err,
        logged.out,
        logged.err,
        processes,
    ]
    .concat();
    assert!(!shown.contains(TOKEN) && !shown.contains(&encoded));
}
