//! A small HTTP/1.1 client that writes bytes as they are and shows answers as they come.

use std::{
    collections::HashMap,
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

/// Longest wait for anything that should come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until `condition` holds; fails when it does not in good time.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A request for `target` as it goes over the wire.
pub fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

/// The same with any method and more header fields, each with its line break.
pub fn request(method: &str, target: &str, more_headers: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n{more_headers}\r\n")
}

/// A raw HTTP/1.1 client.
pub struct Client {
    pub stream: TcpStream,
    unread: Vec<u8>,
}

/// One answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HashMap<String, String>,
    /// Every value of `Set-Cookie`, in order.
    pub cookies: Vec<String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

impl Client {
    pub fn new(stream: TcpStream) -> Client {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client {
            stream,
            unread: Vec::new(),
        }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Sends as long as the server takes it; false if it does not any more.
    pub fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// The next answer with a body.
    pub fn answer(&mut self) -> Answer {
        let mut answer = self.head();
        let length = answer
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.unread.len() < length {
            assert!(self.read_more() > 0, "the body breaks off: {answer:?}");
        }
        answer.body = self.unread.drain(..length).collect();
        answer
    }

    /// The last answer on this connection: its head, and as its body everything until the server closes.
    pub fn last_answer(&mut self) -> Answer {
        let mut answer = self.head();
        answer.body = self.until_closed();
        answer
    }

    /// The same, if all of it comes.
    pub fn try_last_answer(&mut self) -> Option<Answer> {
        let mut answer = self.try_head()?;
        answer.body = self.until_closed();
        let length = answer.header("content-length").map(str::parse);
        let is_whole = length.is_none_or(|length| length == Ok(answer.body.len()));
        // An answer to HEAD tells the length of a body that it does not have.
        (is_whole || answer.body.is_empty()).then_some(answer)
    }

    /// Whether the server answers; it closes otherwise.
    pub fn is_answered(&mut self) -> bool {
        self.try_head().is_some()
    }

    /// The next answer without a body.
    pub fn head(&mut self) -> Answer {
        self.try_head()
            .expect("the server closes without an answer")
    }

    fn try_head(&mut self) -> Option<Answer> {
        let end = loop {
            if let Some(at) = self.unread.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if self.read_more() == 0 {
                return None;
            }
        };
        let head = String::from_utf8(self.unread.drain(..end).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let fields: Vec<_> = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let cookies = fields.iter().filter(|(name, _)| name == "set-cookie");
        Some(Answer {
            status,
            cookies: cookies.map(|(_, value)| value.clone()).collect(),
            headers: fields.into_iter().collect(),
            body: Vec::new(),
        })
    }

    fn read_more(&mut self) -> usize {
        let mut space = [0; 64 * 1024];
        let read = match self.stream.read(&mut space) {
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            read => read.unwrap(),
        };
        self.unread.extend_from_slice(&space[..read]);
        read
    }

    /// Waits until the server closes the connection and returns what it sent before; fails if it does not close.
    pub fn until_closed(&mut self) -> Vec<u8> {
        let mut space = [0; 64 * 1024];
        loop {
            match self.stream.read(&mut space) {
                Ok(0) => break,
                Ok(read) => self.unread.extend_from_slice(&space[..read]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => panic!("the connection stays open: {error}"),
            }
        }
        std::mem::take(&mut self.unread)
    }

    /// Whether the connection is open after `time` in which nothing came.
    pub fn is_open_after(&mut self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let read = self.stream.read(&mut [0; 1]);
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    pub fn close_for_writing(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}
