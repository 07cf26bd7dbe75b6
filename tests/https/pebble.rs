//! An ACME authority with a DNS server, run by Debian's `pebble`.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
};

use galley_tests::{
    http_client::Client,
    tls_client::{TestCertificate, connect},
    wait_until,
};
use serde_json::json;
use tempfile::TempDir;

/// Returns an address of this machine with a port that is currently free.
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap()
}

/// A process that is killed when it is dropped.
pub struct Process(Child);

impl Process {
    pub fn start(command: &mut Command) -> Self {
        let started = command.stdin(Stdio::null()).spawn();
        let name = command.get_program().to_string_lossy();
        Self(started.unwrap_or_else(|error| panic!("{name} is not installed: {error}")))
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The options of an authority: its validation ports and the certificates that it issues.
pub struct PebbleOptions {
    /// The ports on which it validates names.
    pub http_port: u16,
    pub tls_port: u16,
    /// The validity of its certificates, in seconds.
    pub validity_s: u64,
}

/// A running authority.
pub struct Pebble {
    process: Process,
    _dns: Process,
    dns_address: SocketAddr,
    dns_management: SocketAddr,
    address: SocketAddr,
    management: SocketAddr,
    certificate: TestCertificate,
    folder: TempDir,
}

impl Pebble {
    pub fn start(options: &PebbleOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificate = TestCertificate::new(&["localhost"]);
        certificate.write(folder.path());
        let [address, management, dns_address, dns_management] = [(); 4].map(|()| free_address());
        let file = |name| folder.path().join(name);
        let configuration = json!({ "pebble": {
            "listenAddress": address.to_string(),
            "managementListenAddress": management.to_string(),
            "certificate": file("cert.pem"),
            "privateKey": file("key.pem"),
            "httpPort": options.http_port,
            "tlsPort": options.tls_port,
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": options.validity_s,
        }});
        fs::write(file("pebble.json"), configuration.to_string()).unwrap();
        let dns = Process::start(
            Command::new("pebble-challtestsrv")
                .args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", ""])
                .args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
                .args(["-dns01", &dns_address.to_string()])
                .args(["-management", &dns_management.to_string()])
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        let process = start(&folder, dns_address);
        let pebble = Self {
            process,
            _dns: dns,
            dns_address,
            dns_management,
            address,
            management,
            certificate,
            folder,
        };
        pebble.wait_until_it_listens();
        pebble
    }

    fn wait_until_it_listens(&self) {
        for address in [self.address, self.management, self.dns_management] {
            wait_until("the authority listens", || {
                TcpStream::connect(address).is_ok()
            });
        }
    }

    /// Returns the URL of the authority's directory.
    pub fn directory(&self) -> String {
        format!("https://localhost:{}/dir", self.address.port())
    }

    /// Returns the path of the certificate of the authority's own server.
    pub fn server_root(&self) -> String {
        self.folder
            .path()
            .join("cert.pem")
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// Returns the root of the issued certificates, in PEM.
    pub fn issuing_root(&self) -> String {
        let trust = self.certificate.trust();
        let mut client = connect(self.management, "localhost", &trust).unwrap();
        // The response to HTTP/1.0 is not chunked.
        client.send("GET /roots/0 HTTP/1.0\r\n\r\n");
        client.last_response().text().to_owned()
    }

    /// Makes all names resolve to this address.
    pub fn resolve_to(&self, address: &str) {
        self.change_dns("set-default-ipv4", &json!({ "ip": address }));
    }

    /// Makes one name resolve to this address.
    pub fn resolve_name_to(&self, name: &str, address: &str) {
        let host = format!("{name}.");
        self.change_dns("clear-a", &json!({ "host": host }));
        self.change_dns("add-a", &json!({ "host": host, "addresses": [address] }));
    }

    fn change_dns(&self, path: &str, body: &serde_json::Value) {
        let mut client = Client::new(TcpStream::connect(self.dns_management).unwrap());
        let body = body.to_string();
        let length = body.len();
        client.send(format!(
            "POST /{path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}"
        ));
        assert_eq!(client.head().status, 200);
    }

    /// Stops the authority, so that it is unreachable.
    pub fn stop(&mut self) {
        self.process.kill();
    }

    /// Restarts the authority with an empty state.
    pub fn start_again(&mut self) {
        self.process = start(&self.folder, self.dns_address);
        self.wait_until_it_listens();
    }

    /// Returns the log of the authority.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Returns the number of accounts that were registered.
    pub fn accounts(&self) -> usize {
        self.log().matches(" accounts in memory").count()
    }
}

fn start(folder: &TempDir, dns: SocketAddr) -> Process {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.path().join("log"))
        .unwrap();
    Process::start(
        Command::new("pebble")
            .args(["-strict", "-dnsserver", &dns.to_string(), "-config"])
            .arg(folder.path().join("pebble.json"))
            .env("PEBBLE_VA_NOSLEEP", "1")
            .env("PEBBLE_AUTHZREUSE", "0")
            .stdout(log.try_clone().unwrap())
            .stderr(log),
    )
}
