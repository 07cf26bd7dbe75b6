//! A small HTTP/1.1 client that sends raw bytes and returns raw responses.

use std::{
    collections::HashMap,
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream, ToSocketAddrs},
    time::Duration,
};

use crate::wait::PATIENCE;

/// Sends a raw request on a new connection, which the server must close after its response.
pub fn send_raw(address: impl ToSocketAddrs, request: impl AsRef<[u8]>) -> HttpResponse {
    let mut client = Client::new(TcpStream::connect(address).unwrap());
    client.send(request);
    client.last_response()
}

/// Returns the raw GET request for `target`.
pub fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

/// Returns a raw request with this method and additional header fields, as complete lines.
pub fn request(method: &str, target: &str, more_headers: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n{more_headers}\r\n")
}

/// A raw HTTP/1.1 client, over TCP or TLS.
pub struct Client<S = TcpStream> {
    /// The connection.
    pub stream: S,
    unread: Vec<u8>,
}

/// A raw response.
#[derive(Debug)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Header fields, with names as sent. If a name is repeated, the last value counts.
    pub headers: HashMap<String, String>,
    /// Every value of `Set-Cookie`, in order.
    pub cookies: Vec<String>,
    /// The raw body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns the body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

impl Client {
    /// Returns a client on a connection, with a timeout of [`PATIENCE`].
    pub fn new(stream: TcpStream) -> Client {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client::over(stream)
    }

    /// Returns whether the connection is still open after `time` without data.
    pub fn is_open_after(&mut self, time: Duration) -> bool {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let read = self.stream.read(&mut [0; 1]);
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    /// Closes the connection for writing.
    pub fn close_for_writing(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

impl<S: Read + Write> Client<S> {
    /// Returns a client on a connection.
    pub fn over(stream: S) -> Client<S> {
        Client {
            stream,
            unread: Vec::new(),
        }
    }

    /// Sends bytes.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Sends bytes. Returns false if the server no longer accepts them.
    pub fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Reads the next response with a body.
    pub fn respond(&mut self) -> HttpResponse {
        let mut response = self.head();
        let length = response
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.unread.len() < length {
            assert!(self.read_more() > 0, "the body breaks off: {response:?}");
        }
        response.body = self.unread.drain(..length).collect();
        response
    }

    /// Reads the last response on this connection, whose body ends when the server closes.
    pub fn last_response(&mut self) -> HttpResponse {
        let mut response = self.head();
        response.body = self.until_closed();
        response
    }

    /// Reads the last response, if it is complete.
    pub fn try_last_response(&mut self) -> Option<HttpResponse> {
        let mut response = self.try_head()?;
        response.body = self.until_closed();
        let length = response.header("content-length").map(str::parse);
        let is_whole = length.is_none_or(|length| length == Ok(response.body.len()));
        // A response to HEAD announces the length of a body that is not sent.
        (is_whole || response.body.is_empty()).then_some(response)
    }

    /// Returns whether the server responds. Otherwise it must close the connection.
    pub fn is_responded(&mut self) -> bool {
        self.try_head().is_some()
    }

    /// Reads the next response without a body.
    pub fn head(&mut self) -> HttpResponse {
        self.try_head()
            .expect("the server closes without a response")
    }

    fn try_head(&mut self) -> Option<HttpResponse> {
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
        Some(HttpResponse {
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

    /// Waits until the server closes the connection, and returns the bytes that it sent before.
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
}
