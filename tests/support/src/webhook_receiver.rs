//! A webhook receiver on loopback that records deliveries. Unless another reaction is set, it responds with NNN to
//! `/status/NNN` and with 200 to any other path.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use crate::wait::PATIENCE;

/// Receives deliveries until it is dropped.
pub struct WebhookReceiver {
    address: SocketAddr,
    received: Arc<Received>,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Path and query.
    pub target: String,
    /// Header fields, with names in lower case.
    pub headers: HashMap<String, String>,
    /// The raw body.
    pub body: Vec<u8>,
}

/// The reaction of a receiver to a request.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// Responds with this status, these header fields as lines, and this body.
    HttpResponse(u16, &'static [&'static str], &'static str),
    /// Responds with 200 after a delay.
    Late(Duration),
    /// Sends nothing until the receiver is dropped.
    Hang,
    /// Closes the connection.
    Close,
}

type React = dyn Fn(&Delivery) -> Reaction + Send + Sync;

#[derive(Default)]
struct Received {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    deliveries: Vec<Delivery>,
    react: Option<Arc<React>>,
    connections: usize,
    stopped: bool,
}

impl Received {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl WebhookReceiver {
    /// Starts a receiver on a free port.
    pub fn start() -> Self {
        Self::start_at("127.0.0.1:0")
    }

    /// Starts a receiver on this address.
    pub fn start_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Received::default());
        let shared = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.state().stopped {
                    return;
                }
                shared.state().connections += 1;
                let received = Arc::clone(&shared);
                thread::spawn(move || receive(&stream, &received));
            }
        });
        Self { address, received }
    }

    /// Returns the URL of the receiver: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the reaction to later requests.
    pub fn react(&self, react: impl Fn(&Delivery) -> Reaction + Send + Sync + 'static) {
        self.received.state().react = Some(Arc::new(react));
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.received.state().connections
    }

    /// Returns the number of deliveries that no test has taken yet.
    pub fn count(&self) -> usize {
        self.received.state().deliveries.len()
    }

    /// Takes the oldest delivery at a path, or at any path; `None` if none arrives within `patience`.
    pub fn delivery_within(&self, target: Option<&str>, patience: Duration) -> Option<Delivery> {
        let end = Instant::now() + patience;
        let wanted = |one: &Delivery| target.is_none_or(|target| one.target == target);
        let mut state = self.received.state();
        loop {
            if let Some(index) = state.deliveries.iter().position(wanted) {
                return Some(state.deliveries.remove(index));
            }
            let left = end.checked_duration_since(Instant::now())?;
            state = self.received.arrived.wait_timeout(state, left).unwrap().0;
        }
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.received.state().stopped = true;
        self.received.arrived.notify_all();
        // Wakes the thread that waits for the next connection.
        drop(TcpStream::connect(self.address));
    }
}

/// Handles the requests of one connection until the sender closes it or sends an invalid one.
fn receive(stream: &TcpStream, received: &Received) {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(delivery) = request(&mut reader) {
        let react = received.state().react.clone();
        let reaction = match react {
            Some(react) => react(&delivery),
            None => Reaction::HttpResponse(status(&delivery.target), &[], ""),
        };
        received.state().deliveries.push(delivery);
        received.arrived.notify_all();
        let (status, headers, body) = match reaction {
            Reaction::HttpResponse(status, headers, body) => (status, headers, body),
            Reaction::Late(after) => {
                thread::sleep(after);
                (200, &[][..], "")
            }
            Reaction::Hang => {
                let state = received.state();
                drop(received.arrived.wait_while(state, |state| !state.stopped));
                return;
            }
            Reaction::Close => return,
        };
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let response =
            format!("HTTP/1.1 {status} said\r\n{headers}content-length: {length}\r\n\r\n{body}");
        let mut stream = stream;
        if stream.write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

fn status(target: &str) -> u16 {
    let wanted = target.strip_prefix("/status/");
    wanted.and_then(|status| status.parse().ok()).unwrap_or(200)
}

/// Reads the next request, whose body has a content length.
fn request(reader: &mut impl BufRead) -> Option<Delivery> {
    let target = line(reader)?.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let line = line(reader)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Delivery {
        target,
        headers,
        body,
    })
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    Some(line.strip_suffix("\r\n")?.to_owned())
}
