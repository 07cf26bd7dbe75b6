//! A repository host over HTTP or HTTPS on this machine: `git http-backend` behind a small server.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    thread,
};

use data_encoding::BASE64;
use rcgen::{CertificateParams, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};

/// A host that serves the repositories below a folder while the test runs.
pub struct Host {
    scheme: &'static str,
    port: u16,
    is_away: Arc<AtomicBool>,
    repositories: Repositories,
}

/// The repositories, and the conditions for access.
#[derive(Clone)]
struct Repositories {
    folder: PathBuf,
    /// The required value of `Authorization`.
    expected: Option<String>,
    /// The status of the response to pushes; 0 if pushes are accepted.
    push_refusal: Arc<AtomicU16>,
}

impl Host {
    /// Serves the repositories in `folder`, to all clients or to those with `token`.
    pub fn serve(folder: &Path, token: Option<&str>) -> Self {
        Self::start(folder, token, None)
    }

    /// Serves the repositories in `folder` over https to clients with `token`, and writes the certificate to `ca.pem` in
    /// `folder`.
    pub fn serve_tls(folder: &Path, token: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let names = CertificateParams::new(["127.0.0.1".to_owned()]).expect("names");
        let certificate = names.self_signed(&key).expect("a certificate");
        std::fs::write(folder.join("ca.pem"), certificate.pem()).expect("it is written");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a key of the certificate");
        Self::start(folder, Some(token), Some(Arc::new(config)))
    }

    fn start(folder: &Path, token: Option<&str>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let is_away = Arc::new(AtomicBool::new(false));
        let repositories = Repositories {
            folder: folder.to_owned(),
            expected: token.map(|token| {
                let encoded = BASE64.encode(format!("x-access-token:{token}").as_bytes());
                format!("Basic {encoded}")
            }),
            push_refusal: Arc::default(),
        };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (served, away) = (repositories.clone(), Arc::clone(&is_away));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if away.load(Ordering::SeqCst) {
                    continue;
                }
                let (served, tls) = (served.clone(), tls.clone());
                thread::spawn(move || match tls {
                    None => served.respond(connection),
                    Some(config) => {
                        let session = ServerConnection::new(config).expect("a session");
                        let mut stream = StreamOwned::new(session, connection);
                        served.respond(&mut stream);
                        stream.conn.send_close_notify();
                        // The client may have disconnected.
                        let _ = stream.flush();
                    }
                });
            }
        });
        Self {
            scheme,
            port,
            is_away,
            repositories,
        }
    }

    /// Returns the URL of the repository with this name.
    pub fn url(&self, name: &str) -> String {
        format!("{}://127.0.0.1:{}/{name}", self.scheme, self.port)
    }

    /// Sets whether the host closes every connection immediately.
    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    /// Sets the status of the response to pushes, such as for a token that may only read; 0 accepts pushes.
    pub fn refuse_pushes(&self, status: u16) {
        let refusal = &self.repositories.push_refusal;
        refusal.store(status, Ordering::SeqCst);
    }
}

impl Repositories {
    /// Responds to one request with `git http-backend`, which is run as a CGI program. The client reports its errors.
    fn respond(&self, mut connection: impl Read + Write) {
        let mut reader = BufReader::new(&mut connection);
        let mut line = String::new();
        reader.read_line(&mut line).expect("a request");
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return;
        };
        let mut fields = Vec::new();
        loop {
            let mut field = String::new();
            reader.read_line(&mut field).expect("a field");
            let Some((name, value)) = field.trim_end().split_once(": ") else {
                break;
            };
            fields.push((name.to_lowercase(), value.to_owned()));
        }
        let field = |name: &str| {
            let found = fields.iter().find(|(own, _)| own == name);
            found.map_or("", |(_, value)| value.as_str())
        };
        let is_known = self
            .expected
            .as_ref()
            .is_none_or(|expected| field("authorization") == expected);
        let push_refusal = self.push_refusal.load(Ordering::SeqCst);
        let refusal = match push_refusal {
            _ if !is_known => 401,
            status if target.contains("git-receive-pack") => status,
            _ => 0,
        };
        if refusal != 0 {
            let refusal = format!(
                "HTTP/1.1 {refusal} Refused\r\nwww-authenticate: Basic realm=\"git\"\r\n\
                 content-length: 0\r\nconnection: close\r\n\r\n"
            );
            connection
                .write_all(refusal.as_bytes())
                .expect("the response is sent");
            return;
        }
        let mut body = vec![0; field("content-length").parse().unwrap_or(0)];
        reader.read_exact(&mut body).expect("the body");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut program = Command::new("git")
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", &self.folder)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            // `git http-backend` accepts pushes from clients with a user name.
            .envs(self.expected.as_ref().map(|_| ("REMOTE_USER", "ada")))
            .envs([
                ("REQUEST_METHOD", method),
                ("PATH_INFO", path),
                ("QUERY_STRING", query),
            ])
            .env("CONTENT_TYPE", field("content-type"))
            .env("CONTENT_LENGTH", body.len().to_string())
            .env("HTTP_CONTENT_ENCODING", field("content-encoding"))
            .env("GIT_PROTOCOL", field("git-protocol"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("git runs");
        program
            .stdin
            .take()
            .expect("a pipe")
            .write_all(&body)
            .expect("git reads");
        let output = program.wait_with_output().expect("git replies").stdout;
        let end = output
            .windows(4)
            .position(|part| part == b"\r\n\r\n")
            .expect("a header")
            + 4;
        let header = String::from_utf8_lossy(&output[..end]);
        let status = header
            .lines()
            .find_map(|line| line.strip_prefix("Status: "))
            .unwrap_or("200 OK");
        let length = output.len() - end;
        let start =
            format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n");
        // The client may disconnect once it has all the data that it needs.
        let _ = connection
            .write_all(start.as_bytes())
            .and_then(|()| connection.write_all(&output));
    }
}
