//! Tests of the status and metrics of a process whose database is unavailable, hangs, is read-only, or has been replaced by
//! another one.

use std::{fs, path::Path, sync::atomic::Ordering::SeqCst};

use galley_tests::{
    command_line::{CommandOutput, fetch},
    http_client::HttpResponse,
    wait_until,
};
use redb::{Database, TableDefinition};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    failures::Proxy,
    node::{ADMIN, Node, ORIGIN, add_owner, galley},
    server::Server,
};

/// The arguments that serve the site on any free port.
const SERVE: &[&str] = &["serve", "--no-content", "--listen", "127.0.0.1:0"];

fn get(node: &Node, path: &str) -> HttpResponse {
    node.send("GET", path, &[], &Value::Null)
}

/// Runs a command with the data folder of a node, and waits for its end.
fn run(folder: &Path, arguments: &[&str], url: &str, uploads: &Path) -> CommandOutput {
    CommandOutput::from(galley(folder, arguments, url, uploads).output().unwrap())
}

#[test]
fn process_that_starts_while_the_database_is_unavailable_serves_readers() {
    let mut server = Server::start();
    let uploads = tempfile::tempdir().unwrap();
    let url = server.new_store();
    let node = Node::start(&url, uploads.path());
    add_owner(&node);
    let made = node.command(&["key", "create", "--name", "Reader", "--json"], "");
    let keys: Value = serde_json::from_str(&made).unwrap();
    let content = format!(
        "/ghost/api/content/settings/?key={}",
        keys["content_key"].as_str().unwrap()
    );
    assert_eq!(get(&node, "/readyz").status, 200);
    let folder = node.stop();
    server.stop();

    let node = Node::start_in(folder, &url, uploads.path());
    assert_unavailable(&node, &get(&node, "/readyz"));
    for path in ["/healthz", &content] {
        assert_eq!(get(&node, path).status, 200, "{path}");
    }
    let credentials = json!({"username": "ada@example.com", "password": "a long password"});
    let endpoint = format!("{ADMIN}/session/");
    let refused = node.send("POST", &endpoint, &[("Origin", ORIGIN)], &credentials);
    assert_eq!(refused.status, 503, "{}", refused.text());
    let log = node.process.log();
    assert_eq!(log.matches(" ERROR ").count(), 1, "{log}");
    assert!(log.contains("error connecting to server"), "{log}");

    server.resume();
    wait_until("the node is ready", || get(&node, "/readyz").status == 200);
    wait_until("the node leads", || !node.leads().is_empty());
    node.command(&["key", "create", "--name", "Another"], "");
    assert!(fetch(&node.metrics, "/metrics").contains("\ngalley_store_up 1\n"));

    server.stop();
    wait_until("the outage is noticed", || {
        get(&node, "/readyz").status == 503
    });
    assert_unavailable(&node, &get(&node, "/readyz"));
}

/// Asserts that readiness, metrics and status report that the database is unavailable.
fn assert_unavailable(node: &Node, readiness: &HttpResponse) {
    assert_eq!(readiness.status, 503);
    let since = readiness.text().split_once("since ").unwrap().1;
    assert!(since.contains("changes are refused"), "{since}");
    let page = fetch(&node.metrics, "/metrics");
    assert!(page.contains("\ngalley_store_up 0\n"), "{page}");
    assert!(
        page.contains("\ngalley_store_lost_timestamp_seconds "),
        "{page}"
    );
    assert!(!page.contains("\ngalley_store_bytes "), "{page}");
    let status = node.command(&["status"], "");
    let says = status.contains("The database is not available since")
        && status.contains("from the replica");
    assert!(says, "{status}");
}

/// The database is like a standby, or a primary that became a standby.
#[test]
fn read_only_database_is_reported_everywhere() {
    let server = Server::start();
    let uploads = tempfile::tempdir().unwrap();
    let node = Node::start(&server.new_store(), uploads.path());
    let page = || fetch(&node.metrics, "/metrics");
    wait_until("the node is ready", || get(&node, "/readyz").status == 200);
    assert!(page().contains("\ngalley_store_writable 1\n"));
    server
        .run("ALTER ROLE galley SET default_transaction_read_only = on")
        .unwrap();
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'galley'").unwrap();

    wait_until("the node is not ready", || {
        let ready = get(&node, "/readyz");
        ready.status == 503 && ready.text().contains("accepts no changes since")
    });
    assert_eq!(get(&node, "/healthz").status, 200);
    let shown = page();
    for line in ["galley_store_up 1", "galley_store_writable 0"] {
        assert!(shown.contains(&format!("\n{line}\n")), "{shown}");
    }
    let status = node.command(&["status"], "");
    assert!(
        status.contains("The store accepts no changes since") && status.contains("read-only"),
        "{status}"
    );
    let examined = run(
        node.folder.path(),
        &["doctor", "--json"],
        &node.url,
        uploads.path(),
    );
    let findings = examined.json()["findings"].clone();
    for check in ["database", "site"] {
        let is_reported = findings.as_array().unwrap().iter().any(|finding| {
            finding["check"] == check
                && finding["verdict"] == "error"
                && finding["message"]
                    .as_str()
                    .unwrap()
                    .contains("accepts no changes")
        });
        assert!(is_reported, "{check}: {findings}");
    }
    wait_until("the log says it", || {
        node.process.log().contains("the store refuses changes")
    });

    server.run("SET transaction_read_only = off; ALTER ROLE galley RESET default_transaction_read_only").unwrap();
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'galley'").unwrap();
    // A change on an earlier connection is refused once more.
    wait_until("the node is ready again", || {
        get(&node, "/readyz").status == 200 && page().contains("\ngalley_store_writable 1\n")
    });
    node.command(&["key", "create", "--name", "Another"], "");
}

/// Packets are dropped, so each request to the database takes seconds. Metrics are served during the first one, before the
/// outage is noticed. The status command waits, and then reports the outage.
#[test]
fn metrics_and_status_are_available_while_the_database_hangs() {
    let mut server = Server::start();
    let port = server.listen();
    let proxy = Proxy::start(port);
    let uploads = tempfile::tempdir().unwrap();
    let url = server.url_at(&server.new_schema(), proxy.port);
    let node = Node::start(&url, uploads.path());
    let page = || fetch(&node.metrics, "/metrics");
    assert!(page().contains("\ngalley_store_bytes "));

    proxy.is_cut.store(true, SeqCst);

    let shown = page();
    assert!(
        shown.contains("\ngalley_store_bytes ") && shown.contains("\ngalley_store_up 1\n"),
        "{shown}"
    );
    let status = node.command(&["status"], "");
    let is_reported = status.contains("The database is not available since");
    assert!(is_reported, "{status}");
    wait_until("the outage is noticed", || {
        let shown = page();
        shown.contains("\ngalley_store_up 0\n") && !shown.contains("\ngalley_store_bytes ")
    });
    proxy.is_cut.store(false, SeqCst);
}

/// Returns the data folder of a node that has run, the URL of its database, and the URL of another database on the same server.
fn node_that_ran(server: &Server, uploads: &Path) -> (TempDir, String, String) {
    let (url, other) = (server.new_store(), server.new_store());
    let node = Node::start(&url, uploads);
    node.command(&["key", "create", "--name", "Reader"], "");
    (node.stop(), url, other)
}

#[test]
fn replica_of_another_database_is_not_served_during_an_outage() {
    let mut server = Server::start();
    let uploads = tempfile::tempdir().unwrap();
    let (folder, url, other) = node_that_ran(&server, uploads.path());
    server.stop();

    let refused = run(folder.path(), SERVE, &other, uploads.path());
    assert!(!refused.is_success(), "{}", refused.err);
    assert!(
        refused.err.contains("is of another one") && refused.err.contains("store.url"),
        "{}",
        refused.err
    );

    // For its own database, the replica is served.
    let node = Node::start_in(folder, &url, uploads.path());
    assert_eq!(get(&node, "/healthz").status, 200);
    let folder = node.stop();

    // Replicas of earlier versions do not record their database.
    let replica = Database::open(folder.path().join("galley-data/replica.redb")).unwrap();
    let transaction = replica.begin_write().unwrap();
    let identity = TableDefinition::<&str, &str>::new("replicated_store");
    assert!(transaction.delete_table(identity).unwrap());
    transaction.commit().unwrap();
    drop(replica);
    let node = Node::start_in(folder, &url, uploads.path());
    assert_eq!(get(&node, "/healthz").status, 200);
    drop(node.stop());
}

#[test]
fn data_folder_of_a_node_is_not_used_as_an_empty_site() {
    let server = Server::shared();
    let uploads = tempfile::tempdir().unwrap();
    let (folder, url, _) = node_that_ran(server, uploads.path());
    let files = || {
        let entries = fs::read_dir(folder.path().join("galley-data")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    let without_database = |arguments: &[&str]| {
        let mut command = galley(folder.path(), arguments, &url, uploads.path());
        CommandOutput::from(command.env_remove("GALLEY_STORE_URL").output().unwrap())
    };

    for arguments in [
        SERVE,
        &["status"],
        &["key", "create", "--name", "Reader"],
        &["backup", "site.zip"],
        &["compact"],
    ] {
        let refused = without_database(arguments);
        assert!(!refused.is_success(), "{arguments:?}: {}", refused.err);
        for words in [
            "GALLEY_STORE_URL",
            "--store-url",
            "To begin with a new, empty site",
        ] {
            assert!(
                refused.err.contains(words),
                "{arguments:?}: {}",
                refused.err
            );
        }
    }
    assert_eq!(files(), before);
    let examined = without_database(&["doctor", "--json"]);
    assert!(
        examined.out.contains("is in a database"),
        "{}",
        examined.out
    );

    // An empty site is created once the replica is deleted, as the message says.
    fs::remove_file(folder.path().join("galley-data/replica.redb")).unwrap();
    let made = without_database(&["key", "create", "--name", "Reader"]);
    assert!(made.is_success(), "{}", made.err);
}
