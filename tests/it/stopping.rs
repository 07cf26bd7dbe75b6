//! Tests that the process ends soon after SIGTERM, even if remote servers do not respond.

use std::{
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use galley_tests::{
    admin_token,
    bucket_server::{BucketServer, Misbehaviour},
    command_line::run_on_data,
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse},
    multipart::Form,
    wait_until,
};
use tempfile::TempDir;

/// The time limit for requests in flight, and the longest time until the process ends on a busy machine.
const STOP_TIMEOUT: (&str, &str) = ("GALLEY_SERVER_STOP_TIMEOUT_S", "1");
const END_MAX: Duration = Duration::from_secs(5);

/// A server that accepts connections and never sends data.
struct SilentServer {
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl SilentServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&connections);
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                open.push(stream);
                counted.fetch_add(1, SeqCst);
            }
        });
        Self { port, connections }
    }

    fn wait_for_connection(&self, what: &str) {
        wait_until(what, || self.connections.load(SeqCst) > 0);
    }
}

/// Creates a site in `folder/data`, and returns an Admin API key.
fn site(folder: &Path) -> String {
    let made = run_on_data(folder, &["key", "create", "--name", "Test", "--json"]).json();
    made["admin_key"].as_str().unwrap().to_owned()
}

fn assert_ends_soon(process: &GalleyProcess, what: &str) {
    let (status, time) = process.terminate();
    assert!(time < END_MAX, "{what}: it took {time:?}");
    assert!(status.success(), "{what}: {status}");
}

fn send(address: &str, head: &str, body: &[u8]) -> Option<HttpResponse> {
    let mut client = Client::new(TcpStream::connect(address).unwrap());
    let length = body.len();
    let head =
        format!("{head}host: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    client.send([head.as_bytes(), body].concat());
    client.try_last_response()
}

fn get(address: &str, path: &str) -> Option<HttpResponse> {
    send(address, &format!("GET {path} HTTP/1.1\r\n"), b"")
}

fn upload(address: &str, key: &str) -> Option<HttpResponse> {
    let form = Form::default().file("file", "new.txt", "text/plain", b"new");
    let (kind, body) = form.finish();
    let token = admin_token::of_key(key);
    let head = format!(
        "POST /ghost/api/admin/files/upload/ HTTP/1.1\r\nauthorization: Ghost {token}\r\ncontent-type: {kind}\r\n"
    );
    send(address, &head, &body)
}

fn variables_for(bucket: &BucketServer, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let options = bucket.options_of_uploads();
    let variables = options.iter().flat_map(|(key, value)| {
        let name = key.split('.').next_back().unwrap().to_uppercase();
        let of = |table: &str| (format!("GALLEY_{table}_{name}"), value.clone());
        [of("UPLOADS"), of("BACKUP")]
    });
    let mut variables: Vec<_> = variables
        .filter(|(name, _)| name != "GALLEY_BACKUP_BUCKET")
        .collect();
    let more = more.iter().chain([&STOP_TIMEOUT]);
    variables.extend(more.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    variables
}

fn start(folder: &TempDir, variables: &[(String, String)]) -> GalleyProcess {
    let variables: Vec<(&str, &str)> = variables
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    GalleyProcess::start(folder.path(), &variables)
}

#[test]
fn bucket_of_backups_does_not_delay_shutdown() {
    use Misbehaviour::*;
    let cases = [
        ("GET", "list-type", Silent),
        ("GET", "list-type", SlowHead),
        ("GET", "list-type", SlowBody),
        ("GET", "list-type", Status(503)),
        ("GET", "list-type", EndlessKeys),
        ("PUT", "stored/chunks/", Silent),
        ("PUT", "stored/chunks/", SlowHead),
        ("GET", "stored/chunks/", Silent),
        ("GET", "stored/states/", SlowBody),
        ("DELETE", "stored/galley-", Silent),
    ];
    for (method, part, how) in cases {
        let what = format!("{method} {part} {how:?}");
        let folder = tempfile::tempdir().unwrap();
        let bucket = BucketServer::start();
        bucket.put("stored/galley-20200101T000000Z.galley.zip", b"old");
        bucket.misbehave(method, part, how);
        let more = [
            ("GALLEY_BACKUP_TO", "s3://bucket/stored"),
            ("GALLEY_BACKUP_KEEP", "1"),
        ];
        let variables = variables_for(&bucket, &more);
        let of_backups: Vec<_> = variables
            .into_iter()
            .filter(|(name, _)| !name.starts_with("GALLEY_UPLOADS"))
            .collect();
        let process = start(&folder, &of_backups);
        wait_until(&what, || bucket.requests(method, part) > 0);
        assert_ends_soon(&process, &what);
        let log = process.log();
        assert!(!log.contains("did not end in time"), "{what}: {log}");
    }
}

#[test]
fn bucket_of_uploads_does_not_delay_shutdown() {
    use Misbehaviour::*;
    let cases = [
        ("GET", "late.txt", Silent),
        ("GET", "late.txt", SlowHead),
        ("GET", "late.txt", SlowBody),
        ("HEAD", "files", Silent),
        ("PUT", "files", Silent),
        ("PUT", "files", SlowHead),
    ];
    for (method, part, how) in cases {
        let what = format!("{method} {part} {how:?}");
        let folder = tempfile::tempdir().unwrap();
        let key = site(folder.path());
        let bucket = BucketServer::start();
        bucket.put("site/files/late.txt", b"late");
        bucket.misbehave(method, part, how);
        let process = start(&folder, &variables_for(&bucket, &[]));
        let address = process.address().to_owned();
        let client = thread::spawn(move || match method {
            "GET" => get(&address, "/content/files/late.txt"),
            _ => upload(&address, &key),
        });
        wait_until(&what, || bucket.requests(method, part) > 0);
        assert_ends_soon(&process, &what);
        let log = process.log();
        assert!(!log.contains("did not end in time"), "{what}: {log}");
        let response = client.join().unwrap();
        assert_eq!(
            response.map(|response| response.status),
            Some(503),
            "{what}"
        );
    }
}

#[test]
fn bucket_does_not_delay_shutdown_during_the_start() {
    let server = SilentServer::start();
    for scheme in ["http", "https"] {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("{scheme}://127.0.0.1:{}", server.port);
        let before = server.connections.load(SeqCst);
        let variables = [
            ("GALLEY_UPLOADS_BUCKET", "s3://bucket/site"),
            ("GALLEY_UPLOADS_ENDPOINT", &url),
            ("GALLEY_UPLOADS_ACCESS_KEY", "name"),
            ("GALLEY_UPLOADS_SECRET_KEY", "secret"),
            STOP_TIMEOUT,
        ];
        let process = GalleyProcess::spawn(folder.path(), &variables);
        wait_until(scheme, || server.connections.load(SeqCst) > before);
        assert_ends_soon(&process, scheme);
    }
}

#[test]
fn webhook_receiver_does_not_delay_shutdown() {
    let folder = tempfile::tempdir().unwrap();
    let key = site(folder.path());
    let server = SilentServer::start();
    let url = format!("http://127.0.0.1:{}/", server.port);
    let add = [
        "webhook",
        "add",
        "--event",
        "site.changed",
        "--url",
        &url,
        "--integration",
        "Test",
    ];
    run_on_data(&folder, &add).stdout();
    let variables = [("GALLEY_PRIVATE_RECEIVERS", "true"), STOP_TIMEOUT];
    let process = GalleyProcess::start(folder.path(), &variables);
    let token = admin_token::of_key(&key);
    let head = format!(
        "POST /ghost/api/admin/tags/ HTTP/1.1\r\nauthorization: Ghost {token}\r\ncontent-type: application/json\r\n"
    );
    let tag = br#"{"tags":[{"name":"Ferries"}]}"#;
    let added = send(process.address(), &head, tag).unwrap();
    assert_eq!(added.status, 201, "{}", added.text());
    server.wait_for_connection("the webhook is sent");
    assert_ends_soon(&process, "webhook");
}

#[test]
fn mail_server_does_not_delay_shutdown() {
    let folder = tempfile::tempdir().unwrap();
    let server = SilentServer::start();
    let url = format!("smtp://127.0.0.1:{}", server.port);
    let variables = [
        ("GALLEY_MAIL_URL", &*url),
        ("GALLEY_MAIL_FROM", "ferry@example.com"),
        STOP_TIMEOUT,
    ];
    let process = GalleyProcess::start(folder.path(), &variables);
    let head = "POST /members/api/send-magic-link/ HTTP/1.1\r\ncontent-type: application/json\r\n";
    let token = get(process.address(), "/members/api/integrity-token/").unwrap();
    let token = token.text();
    let body =
        format!(r#"{{"email":"jo@example.com","emailType":"signup","integrityToken":"{token}"}}"#);
    let sent = send(process.address(), head, body.as_bytes()).unwrap();
    assert_eq!(sent.status, 201, "{}", sent.text());
    server.wait_for_connection("the mail is sent");
    assert_ends_soon(&process, "mail");
}

#[test]
fn repository_host_authority_and_database_do_not_delay_shutdown() {
    type Variables = fn(u16) -> Vec<(&'static str, String)>;
    let cases: [(&str, Variables); 3] = [
        ("git", |port| {
            let url = format!("http://127.0.0.1:{port}/site.git");
            vec![("GALLEY_SOURCE_GIT_URL", url)]
        }),
        ("authority", |port| {
            let url = format!("https://127.0.0.1:{port}/directory");
            vec![
                ("GALLEY_TLS_ACME_DIRECTORY", url),
                ("GALLEY_DOMAIN", "example.com".to_owned()),
                ("GALLEY_TLS_LISTEN", "127.0.0.1:0".to_owned()),
            ]
        }),
        ("database", |port| {
            let url = format!("postgres://galley@127.0.0.1:{port}/galley");
            vec![
                ("GALLEY_STORE_URL", url),
                ("GALLEY_UPLOADS_FOLDER", ".".to_owned()),
            ]
        }),
    ];
    for (what, variables) in cases {
        let folder = tempfile::tempdir().unwrap();
        let server = SilentServer::start();
        let variables = variables(server.port);
        let mut variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let path = std::env::var("PATH").unwrap();
        variables.extend([STOP_TIMEOUT, ("PATH", &*path)]);
        let process = GalleyProcess::spawn(folder.path(), &variables);
        server.wait_for_connection(what);
        assert_ends_soon(&process, what);
    }
}
