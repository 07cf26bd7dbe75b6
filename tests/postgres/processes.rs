//! Tests of two processes that serve one site: a client may talk to either, request by request.

use std::{
    collections::BTreeSet,
    io::Write,
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use galley_tests::{
    command_line::{self, Said, fetch},
    galley_process::GalleyProcess,
    http_client::{HttpResponse, send_raw},
    wait_until,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

const ADMIN: &str = "/ghost/api/admin";

/// Where clients find the site, behind a proxy.
const ORIGIN: &str = "http://site.test";

/// A process of Galley with a data folder of its own.
struct Node {
    process: GalleyProcess,
    folder: TempDir,
    url: String,
    /// The address of its metrics.
    metrics: String,
}

impl Node {
    fn start(url: &str, uploads: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let metrics = listener.local_addr().unwrap().to_string();
        drop(listener);
        let serve = ["serve", "--no-content", "--listen", "127.0.0.1:0"];
        let mut command = galley(folder.path(), &serve, url, uploads);
        command.env("GALLEY_METRICS_LISTEN", &metrics);
        Self {
            process: GalleyProcess::from_command(&mut command),
            folder,
            url: url.to_owned(),
            metrics,
        }
    }

    /// Returns the standard output of a command that succeeds.
    fn command(&self, words: &[&str], input: &str) -> String {
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
        let said = Said::from(running.wait_with_output().unwrap());
        said.output().to_owned()
    }

    fn send(
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

    /// Returns the work that it leads, from its metrics.
    fn leads(&self) -> BTreeSet<String> {
        let page = fetch(&self.metrics, "/metrics");
        let led = page.lines().filter_map(|line| {
            let work = line.strip_prefix("galley_leads{work=\"")?;
            Some(work.strip_suffix("\"} 1")?.to_owned())
        });
        led.collect()
    }
}

fn galley(folder: &Path, arguments: &[&str], url: &str, uploads: &Path) -> Command {
    let mut command = command_line::galley(folder, arguments);
    command
        .env("GALLEY_STORE_URL", url)
        .env("GALLEY_UPLOADS_FOLDER", uploads)
        .env("GALLEY_URL", ORIGIN)
        .env("GALLEY_STAFF_DEVICE_VERIFICATION", "false");
    command
}

fn two() -> (TempDir, Node, Node) {
    let uploads = tempfile::tempdir().unwrap();
    let url = Server::shared().new_store();
    let one = Node::start(&url, uploads.path());
    let other = Node::start(&url, uploads.path());
    (uploads, one, other)
}

/// Signs in on a node, and returns the cookie.
fn sign_in(node: &Node) -> String {
    let credentials = json!({"username": "ada@example.com", "password": "a long password"});
    let endpoint = format!("{ADMIN}/session/");
    let response = node.send("POST", &endpoint, &[("Origin", ORIGIN)], &credentials);
    assert_eq!(response.status, 201, "{}", response.text());
    response.cookies[0].split(';').next().unwrap().to_owned()
}

#[test]
fn metrics_show_which_process_leads() {
    let (_uploads, one, other) = two();
    let all = ["mail", "newsletters", "scheduler", "webhooks"];
    let all = BTreeSet::from(all.map(str::to_owned));
    wait_until("both lead all work", || {
        let (ones, others) = (one.leads(), other.leads());
        assert!(ones.is_disjoint(&others), "{ones:?} {others:?}");
        &ones | &others == all
    });
    one.process.kill();
    wait_until("the other leads all work", || other.leads() == all);
}

#[test]
fn what_one_process_acknowledged_all_find_at_once() {
    let (_uploads, one, other) = two();
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
    one.command(&account, "a long password\n");
    for round in 0..20 {
        let cookie = sign_in(&one);
        let session = [("Cookie", &*cookie)];
        // The session that the one began is known to the other.
        let writing = [("Cookie", &*cookie), ("Origin", ORIGIN)];
        let post = json!({"posts": [{"title": format!("Round {round}"), "status": "published"}]});
        let added = other.send("POST", &format!("{ADMIN}/posts/"), &writing, &post);
        assert_eq!(added.status, 201, "{}", added.text());
        let post = added.json();
        let path = format!(
            "{ADMIN}/posts/{}/",
            post["posts"][0]["id"].as_str().unwrap()
        );
        // The post that the other made is there for the one, and what ends the session ends it everywhere.
        let read = one.send("GET", &path, &session, &Value::Null);
        assert_eq!(read.status, 200, "{}", read.text());
        let leaving = [("Cookie", &*cookie), ("Origin", ORIGIN)];
        let endpoint = format!("{ADMIN}/session/");
        let left = one.send("DELETE", &endpoint, &leaving, &Value::Null);
        assert_eq!(left.status, 204, "{}", left.text());
        let refused = other.send("GET", &path, &session, &Value::Null);
        assert_eq!(refused.status, 403, "{}", refused.text());
    }
}

#[test]
fn readers_elsewhere_see_a_change_within_moments() {
    let (_uploads, one, other) = two();
    let made = one.command(&["key", "create", "--name", "Reader", "--json"], "");
    let keys: Value = serde_json::from_str(&made).unwrap();
    let path = format!(
        "/ghost/api/content/settings/?key={}",
        keys["content_key"].as_str().unwrap()
    );

    let begun = Instant::now();
    while other.send("GET", &path, &[], &Value::Null).status != 200 {
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{}",
            other.process.log()
        );
    }
}

#[test]
fn status_names_the_processes_and_what_they_lead() {
    let (_uploads, one, _other) = two();
    let status = one.command(&["status", "--json"], "");

    let status: Value = serde_json::from_str(&status).unwrap();
    let nodes = status["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2, "{nodes:?}");
    let led: Vec<&str> = nodes
        .iter()
        .flat_map(|node| node["leads"].as_array().unwrap())
        .map(|work| work.as_str().unwrap())
        .collect();
    let mut led_once = led.clone();
    led_once.sort();
    led_once.dedup();
    assert_eq!(led.len(), led_once.len(), "{led:?}");
    assert!(led.contains(&"webhooks"), "{led:?}");
}

#[test]
fn a_start_without_shared_uploads_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let url = Server::shared().new_store();
    let serve = ["serve", "--no-content"];
    let mut command = galley(folder.path(), &serve, &url, folder.path());
    command.env_remove("GALLEY_UPLOADS_FOLDER");
    let refused = Said::from(command.output().unwrap());
    assert!(
        !refused.is_success() && refused.err.contains("uploads.folder"),
        "{}",
        refused.err
    );
}
