//! Tests of socket activation: the sockets of a service manager are served, and restarts lose no connection.

use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::Duration,
};

use crate::{pebble::Process, site::HttpsSite};
use galley_tests::{
    http_client::Client,
    tls_client::{TestCertificate, connect},
    wait_until,
};

/// Listens on the addresses of its arguments and executes the program, like systemd.
const SERVICE_MANAGER: &str = r#"
import os, socket, sys
sockets = []
for address in sys.argv[1:3]:
    host, port = address.rsplit(":", 1)
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((host, int(port)))
    one.listen()
    sockets.append(one)
copies = [os.dup2(one.fileno(), 20 + place) for place, one in enumerate(sockets)]
for place, copy in enumerate(copies):
    os.dup2(copy, 3 + place, inheritable=True)
os.environ.update(LISTEN_FDS=str(len(sockets)), LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[3], sys.argv[3:])
"#;

#[test]
fn sockets_of_a_service_manager_are_served() {
    for names in [Some("https:http"), None] {
        let site = HttpsSite::new();
        let certificate = TestCertificate::new(&["localhost"]);
        certificate.write(site.folder.path());
        let file = |name: &str| site.folder.path().join(name).to_str().unwrap().to_owned();
        let mut variables = BTreeMap::from([
            ("GALLEY_DATA", site.data().to_str().unwrap().to_owned()),
            ("GALLEY_CONTENT", String::new()),
            ("GALLEY_TLS_CERT", file("cert.pem")),
            ("GALLEY_TLS_KEY", file("key.pem")),
        ]);
        match names {
            // With names, the configured addresses may differ from those of the sockets.
            Some(names) => variables.insert("LISTEN_FDNAMES", names.to_owned()),
            None => variables.insert("GALLEY_TLS_LISTEN", site.https.to_string()),
        };
        let _process = Process::start(
            Command::new("python3")
                .args(["-c", SERVICE_MANAGER])
                .args([site.https.to_string(), site.http.to_string()])
                .args([env!("CARGO_BIN_EXE_galley"), "-q", "serve"])
                .current_dir(site.folder.path())
                .envs(variables)
                .stdout(Stdio::null()),
        );
        wait_until("the site is served", || {
            connect(site.https, "localhost", &certificate.trust()).is_ok()
        });
        let mut client = connect(site.https, "localhost", &certificate.trust()).unwrap();
        client.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(client.respond().status, 200);
        let mut client = Client::new(TcpStream::connect(site.http).unwrap());
        client.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(client.respond().status, 301);
    }
}

/// Listens on the addresses of its arguments, like systemd, and runs the program. Each line of input restarts the program.
const RESTARTING_MANAGER: &str = r#"
import os, signal, socket, subprocess, sys
sockets = []
for address in sys.argv[1:3]:
    host, port = address.rsplit(":", 1)
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind((host, int(port)))
    one.listen(1024)
    sockets.append(one)
def start():
    code = """import os, sys
for place, number in enumerate(map(int, sys.argv[1].split(","))):
    os.dup2(number, 20 + place)
for place in range(2):
    os.dup2(20 + place, 3 + place, inheritable=True)
os.environ.update(LISTEN_FDS="2", LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])"""
    numbers = [one.fileno() for one in sockets]
    words = [sys.executable, "-c", code, ",".join(map(str, numbers)), *sys.argv[3:]]
    return subprocess.Popen(words, pass_fds=numbers)
running = start()
for line in sys.stdin:
    running.send_signal(signal.SIGTERM)
    running.wait()
    running = start()
    print("restarted", flush=True)
running.send_signal(signal.SIGTERM)
running.wait()
"#;

#[test]
fn restarts_lose_no_connection() {
    // `RESTARTS=100` measures more restarts.
    let restarts = env::var("RESTARTS").map_or(6, |count| count.parse().unwrap());
    let site = HttpsSite::new();
    let certificate = TestCertificate::new(&["localhost"]);
    certificate.write(site.folder.path());
    let file = |name: &str| site.folder.path().join(name).to_str().unwrap().to_owned();
    let mut manager = Command::new("python3")
        .args(["-c", RESTARTING_MANAGER])
        .args([site.https.to_string(), site.http.to_string()])
        .args([env!("CARGO_BIN_EXE_galley"), "-q", "serve"])
        .current_dir(site.folder.path())
        .envs([
            ("GALLEY_DATA", site.data().to_str().unwrap().to_owned()),
            ("GALLEY_CONTENT", String::new()),
            ("GALLEY_TLS_CERT", file("cert.pem")),
            ("GALLEY_TLS_KEY", file("key.pem")),
            ("LISTEN_FDNAMES", "https:http".to_owned()),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the site is served", || {
        connect(site.https, "localhost", &certificate.trust()).is_ok()
    });
    let (is_over, responses) = (AtomicBool::new(false), AtomicUsize::new(0));
    let lost = thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|number| {
                let (site, certificate) = (&site, &certificate);
                let (is_over, responses) = (&is_over, &responses);
                scope.spawn(move || {
                    let mut lost = Vec::new();
                    while !is_over.load(SeqCst) {
                        match respond_over_new_connection(site, certificate, number % 2 == 0) {
                            Ok(()) => _ = responses.fetch_add(1, SeqCst),
                            Err(error) => lost.push(error.to_string()),
                        }
                    }
                    lost
                })
            })
            .collect();
        let mut input = manager.stdin.take().unwrap();
        let mut replies = BufReader::new(manager.stdout.take().unwrap()).lines();
        for _ in 0..restarts {
            thread::sleep(Duration::from_millis(300));
            input.write_all(b"again\n").unwrap();
            while replies.next().unwrap().unwrap() != "restarted" {}
        }
        thread::sleep(Duration::from_secs(1));
        is_over.store(true, SeqCst);
        let lost = clients
            .into_iter()
            .flat_map(|client| client.join().unwrap());
        lost.collect::<Vec<_>>()
    });
    manager.wait().unwrap();
    let responses = responses.load(SeqCst);
    eprintln!("{restarts} restarts, {responses} responses");
    assert!(responses > 10 * restarts, "{responses}");
    assert!(lost.is_empty(), "{} of {responses}: {lost:?}", lost.len());
}

/// Sends one request over a new connection, and waits for the response.
fn respond_over_new_connection(
    site: &HttpsSite,
    certificate: &TestCertificate,
    is_https: bool,
) -> std::io::Result<()> {
    let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let mut received = Vec::new();
    if is_https {
        let mut stream = connect(site.https, "localhost", &certificate.trust())?.stream;
        stream.write_all(request)?;
        let _ = stream.read_to_end(&mut received);
    } else {
        let mut stream = TcpStream::connect(site.http)?;
        stream.write_all(request)?;
        stream.read_to_end(&mut received)?;
    }
    if received.starts_with(b"HTTP/1.1 ") {
        Ok(())
    } else {
        Err(std::io::Error::other("no response"))
    }
}
