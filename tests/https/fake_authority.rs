//! Authorities with behaviour that `pebble` lacks: refused orders with a `Retry-After`, and suggested renewal times.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use serde_json::json;

use crate::pebble::Pebble;

/// A running authority that refuses every order. It runs until the process ends.
pub struct FakeAuthority {
    address: SocketAddr,
    orders: Arc<AtomicUsize>,
}

impl FakeAuthority {
    /// Starts an authority whose refusals have a `Retry-After` of `retry_after_s` seconds.
    pub fn start(retry_after_s: u64) -> Self {
        let orders = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&orders);
        let address = listen(move |path, address| respond(path, address, retry_after_s, &counted));
        Self { address, orders }
    }

    pub fn directory(&self) -> String {
        format!("http://{}/dir", self.address)
    }

    /// Returns the number of orders that were placed.
    pub fn orders(&self) -> usize {
        self.orders.load(SeqCst)
    }
}

/// The directory of a [`Pebble`], with suggested renewal times (RFC 9773). The second request for a suggestion fails. It runs
/// until the process ends.
pub struct SuggestingDirectory {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    revoked: Arc<Mutex<Option<String>>>,
}

impl SuggestingDirectory {
    pub fn start(pebble: &Pebble) -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let revoked = Arc::<Mutex<Option<String>>>::default();
        let (noted, refused) = (Arc::clone(&asked), Arc::clone(&revoked));
        let base = pebble.directory().replace("/dir", "");
        let address = listen(move |path, address| {
            let body = match path.strip_prefix("/renewal/") {
                Some(identifier) => {
                    let mut noted = noted.lock().unwrap();
                    noted.push(identifier.to_owned());
                    if noted.len() == 2 {
                        return ("500 Internal Server Error", String::new(), String::new());
                    }
                    let is_revoked = refused.lock().unwrap().as_deref() == Some(identifier);
                    let year = if is_revoked { 2020 } else { 2120 };
                    json!({ "suggestedWindow": {
                        "start": format!("{year}-01-01T00:00:00Z"),
                        "end": format!("{year}-01-02T00:00:00Z"),
                    }})
                }
                None => json!({
                    "newNonce": format!("{base}/nonce-plz"),
                    "newAccount": format!("{base}/sign-me-up"),
                    "newOrder": format!("{base}/order-plz"),
                    "revokeCert": format!("{base}/revoke-cert"),
                    "keyChange": format!("{base}/rollover-account-key"),
                    "renewalInfo": format!("http://{address}/renewal"),
                }),
            };
            ("200 OK", "retry-after: 1\r\n".to_owned(), body.to_string())
        });
        Self {
            address,
            asked,
            revoked,
        }
    }

    pub fn directory(&self) -> String {
        format!("http://{}/dir", self.address)
    }

    /// Returns the identifiers of the certificates in requests for a suggestion, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// From now on, suggests a renewal time in the past for this certificate.
    pub fn revoke(&self, identifier: &str) {
        *self.revoked.lock().unwrap() = Some(identifier.to_owned());
    }
}

/// A status, further header fields and a body.
type Response = (&'static str, String, String);

/// Responds to requests until the process ends. `reply` returns the response for a path and the address of the server.
fn listen(reply: impl Fn(&str, SocketAddr) -> Response + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let reply = Arc::new(reply);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let reply = Arc::clone(&reply);
            thread::spawn(move || serve(stream.unwrap(), address, &*reply));
        }
    });
    address
}

fn serve(stream: TcpStream, address: SocketAddr, reply: &dyn Fn(&str, SocketAddr) -> Response) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap().to_owned();
        let mut length = 0;
        loop {
            let mut field = String::new();
            reader.read_line(&mut field).unwrap();
            if field.trim().is_empty() {
                break;
            }
            if let Some(value) = field.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let (status, more, body) = reply(&path, address);
        let body = if line.starts_with("HEAD") {
            String::new()
        } else {
            body
        };
        let response = format!(
            "HTTP/1.1 {status}\r\nreplay-nonce: bm9uY2U\r\ncontent-type: application/json\r\n{more}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(response.as_bytes()).unwrap();
    }
}

/// Returns the response of an authority that refuses orders.
fn respond(path: &str, address: SocketAddr, retry_after_s: u64, orders: &AtomicUsize) -> Response {
    let url = |path: &str| format!("http://{address}{path}");
    match path {
        "/dir" => {
            let directory = json!({
                "newNonce": url("/nonce"),
                "newAccount": url("/account"),
                "newOrder": url("/order"),
                "revokeCert": url("/revoke"),
                "keyChange": url("/key"),
            });
            ("200 OK", String::new(), directory.to_string())
        }
        "/account" => {
            let location = format!("location: {}\r\n", url("/accounts/1"));
            (
                "201 Created",
                location,
                json!({ "status": "valid" }).to_string(),
            )
        }
        "/accounts/1" => (
            "200 OK",
            String::new(),
            json!({ "status": "valid" }).to_string(),
        ),
        "/order" => {
            orders.fetch_add(1, SeqCst);
            let problem = json!({
                "type": "urn:ietf:params:acme:error:rateLimited",
                "detail": "too many certificates already issued",
            });
            let more = format!("retry-after: {retry_after_s}\r\n");
            ("429 Too Many Requests", more, problem.to_string())
        }
        _ => ("200 OK", String::new(), String::new()),
    }
}
