//! Tests that edits are pushed over git's own protocol and over ssh, to git's own server and Debian's.

use std::{
    env, fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::json;

use crate::{
    git::origin::{Origin, site_of},
    program::{Served, galley},
    write_back::{Editor, FERRY, wait_until, with_site_url},
};

const SSHD: &str = "/usr/sbin/sshd";

/// A server of repositories, which ends with the test.
struct Daemon(Child);

impl Daemon {
    /// Starts a server that listens at `port`, and waits until it does.
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
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
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
    let served = Served::greeted(&mut command);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the repository has the edit", || {
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
    let programs = said_by("git", &["--exec-path"]);
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
        "Debian's openssh-server is missing, which tests/run installs"
    );
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let top = origin.top().display();
    for name in ["host", "client"] {
        let key = format!("{top}/{name}");
        said_by("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &key]);
    }
    if said_by("id", &["-u"]) == "0" {
        // As Debian's service does.
        fs::create_dir_all("/run/sshd").expect("a folder");
    }
    let port = free_port();
    let configuration = format!("{top}/sshd_config");
    let text = format!(
        "ListenAddress 127.0.0.1:{port}\nHostKey {top}/host\nAuthorizedKeysFile {top}/client.pub\n\
         StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
    );
    fs::write(&configuration, text).expect("it is written");
    let mut command = Command::new(SSHD);
    command.args(["-D", "-f", &configuration]);
    let _daemon = Daemon::start(&mut command, port);
    let user = said_by("id", &["-un"]);
    let url = format!("ssh://{user}@127.0.0.1:{port}{}", origin.bare().display());
    let ssh = format!(
        "ssh -F /dev/null -i {top}/client -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
    );
    edit_through(&origin, &url, Some(&ssh));
}
