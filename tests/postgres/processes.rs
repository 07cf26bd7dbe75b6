//! Tests of two processes that serve one site: a client may talk to either, request by request.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

const ADMIN: &str = "/ghost/api/admin";

/// Where clients find the site, behind a proxy.
const ORIGIN: &str = "http://site.test";

/// A process of Galley with a data folder of its own.
struct Node {
    folder: TempDir,
    url: String,
    port: u16,
    /// The port of its metrics.
    metrics: u16,
    process: Child,
}

impl Node {
    fn start(url: &str, uploads: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [port, metrics] = listeners.map(|listener| listener.local_addr().unwrap().port());
        let process = galley(folder.path(), url, uploads)
            .args(["serve", "--no-content", "--listen"])
            .arg(format!("127.0.0.1:{port}"))
            .env("GALLEY_METRICS_LISTEN", format!("127.0.0.1:{metrics}"))
            .spawn();
        let node = Self {
            folder,
            url: url.to_owned(),
            port,
            metrics,
            process: process.unwrap(),
        };
        let begun = Instant::now();
        while node.try_send("GET", "/healthz", &[], "").is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{}", node.log());
            thread::sleep(Duration::from_millis(20));
        }
        node
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn command(&self, words: &[&str], input: &str) -> String {
        let mut command = galley(self.folder.path(), &self.url, self.folder.path());
        let mut running = command
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        running
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let done = running.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", self.log());
        String::from_utf8(done.stdout).unwrap()
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> (u16, String) {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.try_send(method, path, headers, &body).unwrap()
    }

    fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<(u16, String)> {
        Self::try_send_at(self.port, method, path, headers, body)
    }

    fn try_send_at(
        port: u16,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
        .ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let status = response.split(' ').nth(1)?.parse().ok()?;
        Some((status, response))
    }
}

impl Node {
    /// The work that it leads, as its metrics say.
    fn leads(&self) -> BTreeSet<String> {
        let (status, page) = Self::try_send_at(self.metrics, "GET", "/metrics", &[], "").unwrap();
        assert_eq!(status, 200, "{page}");
        let led = page.lines().filter_map(|line| {
            let work = line.strip_prefix("galley_leads{work=\"")?;
            Some(work.strip_suffix("\"} 1")?.to_owned())
        });
        led.collect()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn galley(folder: &Path, url: &str, uploads: &Path) -> Command {
    let log = fs::File::options()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_galley"));
    command
        .current_dir(folder)
        .env("GALLEY_STORE_URL", url)
        .env("GALLEY_UPLOADS_FOLDER", uploads)
        .env("GALLEY_URL", ORIGIN)
        .env("GALLEY_STAFF_DEVICE_VERIFICATION", "false")
        .stdout(Stdio::null())
        .stderr(log);
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
    let (status, response) = node.send(
        "POST",
        &format!("{ADMIN}/session/"),
        &[("Origin", ORIGIN)],
        &credentials,
    );
    assert_eq!(status, 201, "{response}");
    let cookie = response.lines().find_map(|line| {
        line.to_lowercase()
            .starts_with("set-cookie: ")
            .then(|| &line[12..])
    });
    cookie.unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn metrics_show_which_process_leads() {
    let (_uploads, mut one, other) = two();
    let all = ["mail", "newsletters", "scheduler", "webhooks"];
    let all = BTreeSet::from(all.map(str::to_owned));
    let begun = Instant::now();
    let is_late = || begun.elapsed() > Duration::from_secs(60);
    loop {
        let (ones, others) = (one.leads(), other.leads());
        assert!(ones.is_disjoint(&others), "{ones:?} {others:?}");
        if &ones | &others == all {
            break;
        }
        assert!(!is_late(), "{ones:?} {others:?}");
        thread::sleep(Duration::from_millis(50));
    }
    one.process.kill().unwrap();
    one.process.wait().unwrap();
    while other.leads() != all {
        assert!(!is_late(), "{:?}", other.leads());
        thread::sleep(Duration::from_millis(50));
    }
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
        let (status, response) = other.send("POST", &format!("{ADMIN}/posts/"), &writing, &post);
        assert_eq!(status, 201, "{response}");
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        let post: Value = serde_json::from_str(body).unwrap();
        let path = format!(
            "{ADMIN}/posts/{}/",
            post["posts"][0]["id"].as_str().unwrap()
        );
        // The post that the other made is there for the one, and what ends the session ends it everywhere.
        let (status, response) = one.send("GET", &path, &session, &Value::Null);
        assert_eq!(status, 200, "{response}");
        let leaving = [("Cookie", &*cookie), ("Origin", ORIGIN)];
        let (status, response) = one.send(
            "DELETE",
            &format!("{ADMIN}/session/"),
            &leaving,
            &Value::Null,
        );
        assert_eq!(status, 204, "{response}");
        let (status, response) = other.send("GET", &path, &session, &Value::Null);
        assert_eq!(status, 403, "{response}");
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
    while other.send("GET", &path, &[], &Value::Null).0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(2), "{}", other.log());
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
    let mut command = galley(folder.path(), &url, folder.path());
    let refused = command
        .env_remove("GALLEY_UPLOADS_FOLDER")
        .stderr(Stdio::piped())
        .args(["serve", "--no-content"])
        .output()
        .unwrap();
    let reason = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && reason.contains("uploads.folder"),
        "{reason}"
    );
}
