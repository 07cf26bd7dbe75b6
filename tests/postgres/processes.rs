//! Tests of two processes that serve one site: a client may send each request to either of them.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    command_line::{self, CommandOutput},
    wait_until,
};
use jiff::Timestamp;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::{
    node::{ADMIN, Node, ORIGIN, add_owner, galley, sign_in, two},
    server::Server,
};

#[test]
fn metrics_show_which_process_leads() {
    let (_uploads, one, other) = two();
    let all = ["mail", "newsletters", "scheduler", "webhooks"];
    let all = BTreeSet::from(all.map(str::to_owned));
    wait_until("the two processes lead all work", || {
        let (ones, others) = (one.leads(), other.leads());
        assert!(ones.is_disjoint(&others), "{ones:?} {others:?}");
        &ones | &others == all
    });
    one.process.kill();
    wait_until("the other process leads all work", || other.leads() == all);
}

#[test]
fn acknowledged_changes_are_visible_to_all_processes_immediately() {
    let (_uploads, one, other) = two();
    add_owner(&one);
    for round in 0..20 {
        let cookie = sign_in(&one);
        let session = [("Cookie", &*cookie)];
        // The second process accepts the session that the first one created.
        let writing = [("Cookie", &*cookie), ("Origin", ORIGIN)];
        let post = json!({"posts": [{"title": format!("Round {round}"), "status": "published"}]});
        let added = other.send("POST", &format!("{ADMIN}/posts/"), &writing, &post);
        assert_eq!(added.status, 201, "{}", added.text());
        let post = added.json();
        let path = format!(
            "{ADMIN}/posts/{}/",
            post["posts"][0]["id"].as_str().unwrap()
        );
        // The first process has the post that the second one created, and signing out of one ends the session in both.
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
fn readers_of_another_process_see_a_change_shortly_after() {
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
fn status_lists_the_processes_and_their_work() {
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
fn start_without_shared_uploads_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let url = Server::shared().new_store();
    let serve = ["serve", "--no-content", "--listen", "127.0.0.1:0"];
    let mut command = galley(folder.path(), &serve, &url, folder.path());
    command.env_remove("GALLEY_UPLOADS_FOLDER");
    let refused = CommandOutput::from(command.output().unwrap());
    assert!(
        !refused.is_success() && refused.err.contains("uploads.folder"),
        "{}",
        refused.err
    );
}

/// The process is paused for longer than its lease time, and its clients disconnect. Their changes must not appear when it is
/// resumed.
#[test]
fn paused_process_commits_nothing_late() {
    const PAUSE: Duration = Duration::from_secs(14);
    let (_uploads, one, other) = two();
    add_owner(&one);
    let cookie = sign_in(&one);
    let pid = one.process.pid();
    let count = || {
        let path = format!("{ADMIN}/posts/?limit=1&fields=id");
        let list = other.send("GET", &path, &[("Cookie", &*cookie)], &Value::Null);
        list.json()["meta"]["pagination"]["total"].as_u64().unwrap()
    };
    let is_over = AtomicBool::new(false);
    let (address, cookie) = (one.process.address(), &*cookie);
    let before = thread::scope(|scope| {
        for writer in 0..10 {
            let is_over = &is_over;
            scope.spawn(move || {
                for round in 0.. {
                    if is_over.load(SeqCst) {
                        return;
                    }
                    try_to_publish(address, cookie, &format!("{writer}-{round}"));
                }
            });
        }
        thread::sleep(Duration::from_secs(1));
        kill_process(pid, Signal::STOP).unwrap();
        thread::sleep(PAUSE);
        is_over.store(true, SeqCst);
        count()
    });
    assert!(before > 3, "{before}");
    kill_process(pid, Signal::CONT).unwrap();
    let ready = || one.send("GET", "/readyz", &[], &Value::Null).status == 200;
    wait_until("the process notices the pause", || !ready());
    wait_until("the process is ready", ready);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(count(), before, "{}", one.process.log());
    let added = json!({"posts": [{"title": "After", "status": "published"}]});
    let headers = [("Cookie", cookie), ("Origin", ORIGIN)];
    let added = one.send("POST", &format!("{ADMIN}/posts/"), &headers, &added);
    assert_eq!(added.status, 201, "{}", added.text());
}

/// Sends a post, and waits for the response for at most a second.
fn try_to_publish(address: &str, cookie: &str, title: &str) {
    let body = json!({"posts": [{"title": title, "status": "published"}]}).to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let request = format!(
        "POST {ADMIN}/posts/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\nCookie: {cookie}\r\nOrigin: {ORIGIN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    // The client disconnects without a response.
    let _ = stream.read(&mut [0; 1024]);
}

#[test]
fn backup_of_a_database_needs_no_data_folder() {
    let uploads = tempfile::tempdir().unwrap();
    let url = Server::shared().new_store();
    let node = Node::start(&url, uploads.path());
    add_owner(&node);
    let elsewhere = tempfile::tempdir().unwrap();
    let words = ["backup", "site.zip", "--data", "new"];
    let mut backup = galley(elsewhere.path(), &words, &url, uploads.path());
    let output = CommandOutput::from(backup.output().unwrap());
    assert!(output.is_success(), "{}", output.err);
    assert!(elsewhere.path().join("site.zip").is_file());
}

#[test]
fn next_leader_continues_the_backups() {
    let (uploads, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let to = elsewhere.path().join("backups").display().to_string();
    let url = Server::shared().new_store();
    let variables = [("GALLEY_BACKUP_TO", &*to), ("GALLEY_BACKUP_MAX_LOSS", "1s")];
    let start = || {
        let folder = tempfile::tempdir().unwrap();
        Node::start_with(folder, (&url, uploads.path()), &variables)
    };
    let leads = |node: &Node| node.leads().contains("backups");
    let (one, other) = (start(), start());
    wait_until("a process leads", || leads(&one) || leads(&other));
    let (leader, next) = if leads(&one) {
        (one, other)
    } else {
        (other, one)
    };
    next.command(&["key", "create", "--name", "first"], "");
    wait_until_covered(&leader);
    leader.process.kill();
    wait_until("the other process leads", || leads(&next));
    next.command(&["key", "create", "--name", "second"], "");
    wait_until_covered(&next);

    let run = |words: &[&str]| {
        command_line::run(elsewhere.path(), words)
            .stdout()
            .to_owned()
    };
    let checked = run(&["check", "backups"]);
    assert!(checked.ends_with("intact.\n"), "{checked}");
    run(&["restore", "backups", "--data", "restored"]);
    let keys = run(&["key", "list", "--data", "restored"]);
    assert!(keys.contains("first") && keys.contains("second"), "{keys}");
}

/// Waits until the leading process has backed up all changes so far.
fn wait_until_covered(leader: &Node) {
    let now = Timestamp::now();
    wait_until("the changes are backed up", || {
        let status: Value =
            serde_json::from_str(&leader.command(&["status", "--json"], "")).unwrap();
        let covered = status["backups"]["covered_until"].as_str();
        covered.is_some_and(|time| time.parse::<Timestamp>().unwrap() > now)
    });
}
