//! Tests of TLS: responses, redirects, certificates, and faults.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use galley::certificates::{CertificateFiles, Certificates};
use galley::server::{self, Bound, HttpsOptions, Limits, Scheme};
use galley_tests::{
    edge_server::{BIG_BYTES, COPIED, LONG_BYTES, Paths, limits},
    http_client::{Client, HttpResponse, get, request},
    tls_client::{TestCertificate, TlsClient, connect, trust},
    wait_until,
};
use http::Request;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tempfile::TempDir;

/// A server with listeners for http and https.
struct SecureServer {
    http: SocketAddr,
    https: SocketAddr,
    certificate: TestCertificate,
    certificates: Arc<Certificates>,
    folder: TempDir,
    paths: Arc<Paths>,
    running: Option<server::Server>,
    _files: CertificateFiles,
}

impl SecureServer {
    fn start(limits: Limits) -> Self {
        Self::start_with(limits, &["localhost", "example.com"], 0)
    }

    fn start_with(limits: Limits, names: &[&str], hsts_s: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificate = TestCertificate::new(&["localhost", "example.com"]);
        certificate.write(folder.path());
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let certificates = Arc::new(Certificates::one_for_all(names));
        let file = |name| folder.path().join(name);
        let files =
            CertificateFiles::follow(&certificates, file("cert.pem"), file("key.pem")).unwrap();
        let any_port = "127.0.0.1:0".parse().unwrap();
        let mut bound = Bound::to(&[any_port]).unwrap();
        bound.add(any_port, Scheme::Https).unwrap();
        let [http, https] = bound.addresses().unwrap()[..] else {
            panic!("two addresses must be bound")
        };
        bound.serve_https(HttpsOptions {
            certificates: Arc::clone(&certificates),
            port: Some(https.port()),
            hsts_s,
        });
        let paths = Arc::new(Paths::default());
        let running = server::Server::start_at(bound, Arc::clone(&paths), limits).unwrap();
        Self {
            http,
            https,
            certificate,
            certificates,
            folder,
            paths,
            running: Some(running),
            _files: files,
        }
    }

    fn connect(&self) -> TlsClient {
        connect(self.https, "localhost", &self.certificate.trust()).unwrap()
    }

    fn connect_plainly(&self) -> Client {
        Client::new(TcpStream::connect(self.http).unwrap())
    }

    fn ask_plainly(&self, request: &str) -> HttpResponse {
        let mut client = self.connect_plainly();
        client.send(request);
        client.respond()
    }
}

impl Drop for SecureServer {
    fn drop(&mut self) {
        self.paths.open_gate();
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }
}

#[test]
fn every_kind_of_response_arrives_complete() {
    let server = SecureServer::start(limits());
    let file = server.folder.path().join("file.bin");
    let content: Vec<u8> = (0..300_000_u32).map(|number| number as u8).collect();
    fs::write(&file, &content).unwrap();
    *server.paths.file.lock().unwrap() = Some(file);
    let mut client = server.connect();
    for _ in 0..3 {
        let mut body = |request: String| {
            client.send(request);
            let response = client.respond();
            assert_eq!(response.status / 100, 2, "{response:?}");
            response.body
        };
        assert_eq!(body(get("/memory")), b"from memory");
        assert_eq!(body(get("/worker")), b"from a worker");
        assert_eq!(body(get("/copied")), COPIED.as_bytes());
        assert_eq!(body(get("/nothing")), b"");
        assert_eq!(body(get("/file")), content);
        assert!(body(get("/big")) == [b'x'; BIG_BYTES]);
        assert!(body(get("/long")) == vec![b'x'; LONG_BYTES]);
        let sent = "some text ".repeat(50_000);
        let length = format!("content-length: {}\r\n", sent.len());
        assert_eq!(
            body(request("POST", "/echo", &length) + &sent),
            sent.as_bytes()
        );
    }
}

#[test]
fn pipelined_requests_get_responses_in_order() {
    let server = SecureServer::start(limits());
    let mut client = server.connect();
    let requests = get("/memory") + &get("/copied") + &get("/worker");
    client.send(requests.repeat(40));
    for _ in 0..40 {
        assert_eq!(client.respond().text(), "from memory");
        assert_eq!(client.respond().text(), *COPIED);
        assert_eq!(client.respond().text(), "from a worker");
    }
}

#[test]
fn protocol_is_negotiated() {
    let server = SecureServer::start(limits());
    let negotiated = |offered: &[&str]| {
        let mut config = server.certificate.trust();
        config.alpn_protocols = offered
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect();
        let client = connect(server.https, "localhost", &config).ok()?;
        let protocol = client.stream.conn.alpn_protocol().unwrap_or_default();
        Some(String::from_utf8(protocol.to_vec()).unwrap())
    };
    assert_eq!(negotiated(&["http/1.1", "h2"]).as_deref(), Some("h2"));
    assert_eq!(negotiated(&["http/1.1"]).as_deref(), Some("http/1.1"));
    assert_eq!(negotiated(&[]).as_deref(), Some(""));
    assert_eq!(negotiated(&["gopher"]), None);
}

#[test]
fn http2_is_served() {
    let server = SecureServer::start(limits());
    let mut config = server.certificate.trust();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(server.https).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let stream = connector.connect(name, stream).await.unwrap();
        let (mut requests, connection) = h2::client::Builder::new()
            .handshake::<_, Bytes>(stream)
            .await
            .unwrap();
        tokio::spawn(connection);
        for (path, body) in [
            ("memory", "from memory"),
            ("copied", &COPIED),
            ("worker", "from a worker"),
        ] {
            let request = Request::get(format!("https://localhost/{path}"))
                .body(())
                .unwrap();
            let (response, _) = requests.send_request(request, true).unwrap();
            let mut received = response.await.unwrap().into_body();
            let mut whole = Vec::new();
            while let Some(data) = received.data().await {
                let data = data.unwrap();
                let _ = received.flow_control().release_capacity(data.len());
                whole.extend_from_slice(&data);
            }
            assert_eq!(whole, body.as_bytes());
        }
    });
}

#[test]
fn only_tls_1_2_and_1_3_are_accepted() {
    let server = SecureServer::start(limits());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let config = trust(&server.certificate.certificate, &[version]);
        let client = connect(server.https, "localhost", &config).unwrap();
        assert_eq!(client.stream.conn.protocol_version(), Some(version.version));
    }
    // A ClientHello of TLS 1.1: version 3.2 twice, one cipher suite, no extensions.
    let mut hello = vec![22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2];
    hello.extend([7; 32]);
    hello.extend([0, 0, 2, 0xc0, 0x09, 1, 0]);
    let mut client = TcpStream::connect(server.https).unwrap();
    client.write_all(&hello).unwrap();
    let mut reply = Vec::new();
    let _ = client.read_to_end(&mut reply);
    assert_eq!(
        reply.first(),
        Some(&21),
        "the handshake must be refused with an alert: {reply:?}"
    );
}

#[test]
fn http_is_redirected_to_the_requested_name() {
    let server = SecureServer::start(limits());
    let port = server.https.port();
    for target in ["/memory", "/worker?a=b%20c", "//elsewhere.example/"] {
        let response = server.ask_plainly(&get(target));
        assert_eq!(response.status, 301);
        let location = format!("https://localhost:{port}{target}");
        assert_eq!(response.header("location"), Some(&*location));
        assert_eq!(response.header("strict-transport-security"), None);
    }
    let of_another_host = "GET /a HTTP/1.1\r\nhost: elsewhere.example:8080\r\n\r\n";
    let response = server.ask_plainly(of_another_host);
    let location = format!("https://localhost:{port}/a");
    assert_eq!(response.header("location"), Some(&*location));
}

#[test]
fn reads_are_redirected_to_https_with_301_and_other_methods_with_308() {
    let server = SecureServer::start(limits());
    let location = format!("https://localhost:{}/echo", server.https.port());
    for (method, status) in [
        ("GET", 301),
        ("HEAD", 301),
        ("POST", 308),
        ("PUT", 308),
        ("PATCH", 308),
        ("DELETE", 308),
        ("OPTIONS", 308),
        ("PROPFIND", 308),
    ] {
        let sent = match status {
            301 => request(method, "/echo", ""),
            _ => request(method, "/echo", "content-length: 3\r\n") + "abc",
        };
        let response = server.ask_plainly(&sent);
        assert_eq!(response.status, status, "{method}");
        assert_eq!(response.header("location"), Some(&*location), "{method}");
    }
}

#[test]
fn without_names_http_is_redirected_to_any_host() {
    let server = SecureServer::start_with(limits(), &[], 0);
    let response = server.ask_plainly("GET /a HTTP/1.1\r\nhost: Example.org:8080\r\n\r\n");
    let location = format!("https://example.org:{}/a", server.https.port());
    assert_eq!(response.header("location"), Some(&*location));
}

#[test]
fn request_without_a_host_is_redirected_to_the_first_name_or_refused() {
    let old = "GET /memory HTTP/1.0\r\n\r\n";
    let server = SecureServer::start(limits());
    let location = format!("https://localhost:{}/memory", server.https.port());
    let response = server.ask_plainly(old);
    assert_eq!(response.header("location"), Some(&*location));
    let without_names = SecureServer::start_with(limits(), &[], 0);
    assert_eq!(without_names.ask_plainly(old).status, 400);
}

#[test]
fn challenges_of_authorities_are_not_redirected() {
    let server = SecureServer::start(limits());
    let response = server.ask_plainly(&get("/.well-known/acme-challenge/unknown"));
    assert_eq!(response.status, 200);
}

#[test]
fn hsts_is_sent_over_https_if_it_is_configured() {
    let server = SecureServer::start_with(limits(), &["localhost"], 3600);
    let mut client = server.connect();
    for path in ["/memory", "/worker", "/copied"] {
        client.send(get(path));
        let response = client.respond();
        assert_eq!(
            response.header("strict-transport-security"),
            Some("max-age=3600")
        );
    }
    let response = server.ask_plainly(&get("/memory"));
    assert_eq!(response.header("strict-transport-security"), None);
    let without = SecureServer::start(limits());
    let mut client = without.connect();
    client.send(get("/memory"));
    assert_eq!(client.respond().header("strict-transport-security"), None);
}

/// Returns whether a client that trusts `config` can connect.
fn can_connect(server: &SecureServer, config: &ClientConfig) -> bool {
    connect(server.https, "localhost", config).is_ok()
}

#[test]
fn certificate_is_reloaded_when_its_files_change() {
    let server = SecureServer::start(limits());
    let mut open = server.connect();
    let next = TestCertificate::new(&["localhost"]);
    next.write(server.folder.path());
    wait_until("the new certificate is used", || {
        can_connect(&server, &next.trust())
    });
    assert!(!can_connect(&server, &server.certificate.trust()));
    // An open connection is not affected.
    open.send(get("/memory"));
    assert_eq!(open.respond().text(), "from memory");
}

#[test]
fn invalid_certificate_files_are_reported_and_leave_the_certificate_in_use() {
    let server = SecureServer::start(limits());
    let other = TestCertificate::new(&["localhost"]);
    let key = server.folder.path().join("key.pem");
    for bad in [other.key.as_str(), "", "no key"] {
        let failures = server.certificates.reports()[0].failures;
        fs::write(&key, bad).unwrap();
        wait_until("the problem is reported", || {
            server.certificates.reports()[0].failures > failures
        });
        assert!(server.certificates.reports()[0].problem.is_some());
        assert!(can_connect(&server, &server.certificate.trust()));
    }
    fs::remove_file(&key).unwrap();
    wait_until("the missing file is reported", || {
        let problem = server.certificates.reports().remove(0).problem;
        problem.is_some_and(|problem| problem.contains("cannot read"))
    });
    server.certificate.write(server.folder.path());
    wait_until("the problem is over", || {
        server.certificates.reports()[0].problem.is_none()
    });
}

#[test]
fn invalid_certificate_files_are_refused_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let follow_for = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let certificates = Certificates::one_for_all(names);
        let file = |name| folder.path().join(name);
        CertificateFiles::follow(&certificates, file("cert.pem"), file("key.pem"))
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let follow = || follow_for(&[]);
    assert!(follow().contains("cannot read"));
    TestCertificate::new(&["localhost"]).write(folder.path());
    assert_eq!(follow(), "");
    assert_eq!(follow_for(&["localhost"]), "");
    let refused = follow_for(&["localhost", "example.com", "www.example.com"]);
    let names = "is not for example.com, www.example.com, which domain names";
    assert!(refused.contains(names), "{refused}");
    fs::write(
        folder.path().join("key.pem"),
        TestCertificate::new(&["localhost"]).key,
    )
    .unwrap();
    assert!(follow().contains("cannot be used"), "{}", follow());
}

#[test]
fn stalled_handshake_is_closed() {
    let server = SecureServer::start(Limits {
        headers_timeout: Duration::from_millis(300),
        ..limits()
    });
    let mut client = TcpStream::connect(server.https).unwrap();
    client.write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
    client
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    assert_eq!(client.read(&mut [0; 64]).unwrap_or(0), 0);
}

#[test]
fn stalled_handshakes_are_closed_when_all_slots_are_in_use() {
    let server = SecureServer::start(Limits {
        connections_max: 2,
        ..limits()
    });
    let stalled: Vec<_> = (0..2)
        .map(|_| TcpStream::connect(server.https).unwrap())
        .collect();
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
    drop(stalled);
}

#[test]
fn idle_connection_is_closed() {
    let server = SecureServer::start(Limits {
        idle_timeout: Duration::from_secs(2),
        ..limits()
    });
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
    let ended = client.stream.read(&mut [0; 1]);
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}

#[test]
fn client_that_does_not_read_is_disconnected() {
    let server = SecureServer::start(Limits {
        write_timeout: Duration::from_millis(300),
        ..limits()
    });
    for path in ["/big", "/long"] {
        let mut client = server.connect();
        client.send(get(path));
        std::thread::sleep(Duration::from_millis(1500));
        let mut received = 0;
        let mut space = vec![0; 1 << 20];
        while let Ok(bytes @ 1..) = client.stream.read(&mut space) {
            received += bytes;
        }
        assert!(received < BIG_BYTES.min(LONG_BYTES), "{path}: {received}");
    }
}

#[test]
fn bytes_that_are_not_tls_close_the_connection() {
    let server = SecureServer::start(limits());
    for sent in [get("/memory").into_bytes(), vec![0; 5000], vec![0xff; 5000]] {
        let mut client = TcpStream::connect(server.https).unwrap();
        let _ = client.write_all(&sent);
        client
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        let mut reply = Vec::new();
        let ended = client.read_to_end(&mut reply);
        let is_reset = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(
            ended.is_ok() || ended.as_ref().is_err_and(is_reset),
            "{ended:?}"
        );
        assert!(!reply.starts_with(b"HTTP"));
    }
    assert!(can_connect(&server, &server.certificate.trust()));
}

#[test]
fn refused_upload_gets_a_response_with_the_reason() {
    let server = SecureServer::start(limits());
    let mut client = server.connect();
    let length = 3 * 1024 * 1024;
    client.send(request(
        "POST",
        "/upload",
        &format!("content-length: {length}\r\n"),
    ));
    client.try_send(&vec![b'x'; length]);
    assert_eq!(client.respond().status, 413);
}

#[test]
fn request_in_flight_finishes_when_the_server_stops() {
    let mut server = SecureServer::start(Limits {
        stop_timeout: Duration::from_secs(10),
        ..limits()
    });
    let mut client = server.connect();
    client.send(get("/gate"));
    let gate = &server.paths.at_gate;
    wait_until("the worker is at the gate", || {
        gate.load(std::sync::atomic::Ordering::SeqCst) == 1
    });
    let handshaking = TcpStream::connect(server.https).unwrap();
    let running = server.running.take().unwrap();
    let stopping = std::thread::spawn(|| running.stop());
    std::thread::sleep(Duration::from_millis(100));
    server.paths.open_gate();
    assert_eq!(client.respond().status, 200);
    stopping.join().unwrap();
    drop(handshaking);
}

#[test]
fn session_is_resumed() {
    let server = SecureServer::start(limits());
    let config = server.certificate.trust();
    let kind = || {
        let mut client = connect(server.https, "localhost", &config).unwrap();
        // The tickets arrive with the first response.
        client.send(get("/memory"));
        assert_eq!(client.respond().text(), "from memory");
        client.stream.conn.handshake_kind()
    };
    assert_eq!(kind(), Some(rustls::HandshakeKind::Full));
    assert_eq!(kind(), Some(rustls::HandshakeKind::Resumed));
}
