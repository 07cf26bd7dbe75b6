//! Another site on loopback, which a site fetches from.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

/// A server that takes its responses from a function, and serves until the process ends.
pub struct OtherSite {
    /// The listen address.
    pub address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
}

impl OtherSite {
    /// Starts a server. `respond` returns the raw response to a path and query.
    pub fn start(respond: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requested = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&requested);
        thread::spawn(move || {
            for mut stream in listener.incoming().map(Result::unwrap) {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let mut line = || lines.next().and_then(Result::ok).unwrap_or_default();
                let target = line().split(' ').nth(1).unwrap_or_default().to_owned();
                while !line().is_empty() {}
                let response = respond(&target);
                log.lock().unwrap().push(target);
                // The client may disconnect once it has read enough.
                let _ = stream.write_all(&response);
            }
        });
        Self { address, requested }
    }

    /// Returns the URL of a path.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the path and query of each request so far.
    pub fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }
}

/// Returns a raw response with these header fields, as complete lines.
pub fn raw_response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}
