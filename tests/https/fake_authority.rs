//! An authority that accepts accounts and refuses every order for a while, which `pebble` does not.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use serde_json::json;

/// A running authority; it ends with the process.
pub struct FakeAuthority {
    address: SocketAddr,
    orders: Arc<AtomicUsize>,
}

impl FakeAuthority {
    /// Starts an authority whose refusals say to wait for so many seconds.
    pub fn start(retry_after_s: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let orders = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&orders);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let counted = Arc::clone(&counted);
                thread::spawn(move || serve(stream.unwrap(), address, retry_after_s, &counted));
            }
        });
        Self { address, orders }
    }

    pub fn directory(&self) -> String {
        format!("http://{}/dir", self.address)
    }

    /// Returns how many orders were placed.
    pub fn orders(&self) -> usize {
        self.orders.load(SeqCst)
    }
}

fn serve(stream: TcpStream, address: SocketAddr, retry_after_s: u64, orders: &AtomicUsize) {
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
        let url = |path: &str| format!("http://{address}{path}");
        let (status, more, body) = match path.as_str() {
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
        };
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
