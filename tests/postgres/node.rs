//! A process that serves a site in PostgreSQL, and commands on the same site.

use std::{
    collections::BTreeSet,
    io::Write,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
};

use galley_tests::{
    command_line::{self, CommandOutput, fetch},
    galley_process::GalleyProcess,
    http_client::{HttpResponse, send_raw},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

pub const ADMIN: &str = "/ghost/api/admin";

/// The origin of the site for clients, behind a proxy.
pub const ORIGIN: &str = "http://site.test";

/// A process of Galley with a separate data folder.
pub struct Node {
    pub process: GalleyProcess,
    pub folder: TempDir,
    pub url: String,
    /// The address of the metrics page.
    pub metrics: String,
}

impl Node {
    pub fn start(url: &str, uploads: &Path) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), url, uploads)
    }

    /// Starts a process with the data folder of an earlier one.
    pub fn start_in(folder: TempDir, url: &str, uploads: &Path) -> Self {
        Self::start_with(folder, (url, uploads), &[])
    }

    /// Starts a process with additional environment variables.
    pub fn start_with(
        folder: TempDir,
        (url, uploads): (&str, &Path),
        variables: &[(&str, &str)],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let metrics = listener.local_addr().unwrap().to_string();
        drop(listener);
        let serve = ["serve", "--no-content", "--listen", "127.0.0.1:0"];
        let mut command = galley(folder.path(), &serve, url, uploads);
        command.env("GALLEY_METRICS_LISTEN", &metrics);
        command.envs(variables.iter().copied());
        Self {
            process: GalleyProcess::from_command(&mut command),
            folder,
            url: url.to_owned(),
            metrics,
        }
    }

    /// Stops the process gracefully, and returns its data folder.
    pub fn stop(self) -> TempDir {
        self.process.terminate();
        self.folder
    }

    /// Runs a command, which must succeed, and returns its standard output.
    pub fn command(&self, words: &[&str], input: &str) -> String {
        let folder = self.folder.path();
        let mut running = galley(folder, words, &self.url, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut typed = running.stdin.take().unwrap();
        typed.write_all(input.as_bytes()).unwrap();
        drop(typed);
        let output = CommandOutput::from(running.wait_with_output().unwrap());
        output.stdout().to_owned()
    }

    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> HttpResponse {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        send_raw(self.process.address(), request)
    }

    /// Returns the work that the process leads, according to its metrics.
    pub fn leads(&self) -> BTreeSet<String> {
        let page = fetch(&self.metrics, "/metrics");
        let led = page.lines().filter_map(|line| {
            let work = line.strip_prefix("galley_leads{work=\"")?;
            Some(work.strip_suffix("\"} 1")?.to_owned())
        });
        led.collect()
    }
}

pub fn galley(folder: &Path, arguments: &[&str], url: &str, uploads: &Path) -> Command {
    let mut command = command_line::galley(folder, arguments);
    command
        .env("GALLEY_STORE_URL", url)
        .env("GALLEY_UPLOADS_FOLDER", uploads)
        .env("GALLEY_URL", ORIGIN)
        .env("GALLEY_STAFF_DEVICE_VERIFICATION", "false");
    command
}

pub fn two() -> (TempDir, Node, Node) {
    let uploads = tempfile::tempdir().unwrap();
    let url = Server::shared().new_store();
    let one = Node::start(&url, uploads.path());
    let other = Node::start(&url, uploads.path());
    (uploads, one, other)
}

/// Sets up the site with an owner.
pub fn add_owner(node: &Node) {
    let account = [
        "user",
        "create",
        "--name",
        "Ada",
        "--email",
        "ada@example.com",
        "--password-stdin",
        "--role",
        "owner",
    ];
    node.command(&account, "a long password\n");
}

/// Signs in on a node, and returns the cookie.
pub fn sign_in(node: &Node) -> String {
    let credentials = json!({"username": "ada@example.com", "password": "a long password"});
    let endpoint = format!("{ADMIN}/session/");
    let response = node.send("POST", &endpoint, &[("Origin", ORIGIN)], &credentials);
    assert_eq!(response.status, 201, "{}", response.text());
    response.cookies[0].split(';').next().unwrap().to_owned()
}
