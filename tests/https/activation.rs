//! Tests that the sockets of a service manager are served.

use std::{
    collections::BTreeMap,
    net::TcpStream,
    process::{Command, Stdio},
};

use crate::{pebble::Process, site::HttpsSite};
use galley_tests::{
    http_client::Client,
    tls_client::{TestCertificate, connect},
    wait_until,
};

/// Listens at the addresses of its arguments and becomes the program, as systemd does.
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
            // With names, the addresses that are configured need not be those of the sockets.
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
        wait_until("it serves", || {
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
