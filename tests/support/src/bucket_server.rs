//! An S3 bucket in memory, with faults that a test can inject.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use data_encoding::HEXLOWER;
use md5::{Digest, Md5};
use percent_encoding::percent_decode_str;

/// A fault of the bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// It never responds.
    Silent,
    /// It sends the header section slowly, byte by byte.
    SlowHead,
    /// It sends the body slowly, byte by byte.
    SlowBody,
    /// It responds with this status.
    Status(u16),
    /// It responds with status 200 and a web page.
    Page,
    /// One byte of the content is changed.
    Changed,
    /// The last byte is missing, and the length is adjusted.
    Shorter,
    /// There is an additional byte, and the length is adjusted.
    Longer,
    /// The connection is closed before the last byte is sent.
    CutOff,
    /// More bytes are sent than the length announces.
    Excess,
    /// The content is that of another object.
    Swapped,
    /// The length is missing, and there is an additional byte.
    Unbounded,
    /// The header section declares a compressed content.
    Encoded,
    /// Every page of a list has the same continuation token.
    RepeatedToken,
    /// Pages of a list alternate between two continuation tokens.
    AlternatingTokens,
    /// Every page of a list has the same objects and a new token.
    RepeatedKeys,
    /// Every page of a list is empty and has a new token.
    EmptyPages,
    /// Every page of a list has new objects and a new token.
    EndlessKeys,
    /// A list is marked as incomplete, without a continuation token.
    LostToken,
    /// A list has an object outside of the prefix.
    OutsideKey,
    /// A list has no objects.
    EmptyList,
}

/// A rule: requests with this method, whose target contains this text.
type Rule = (&'static str, &'static str, Misbehaviour);

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    parts: BTreeMap<(String, u32), Vec<u8>>,
    rules: Vec<Rule>,
    /// The request lines of all requests.
    requests: Vec<String>,
    pages: usize,
}

/// A server of a bucket named `bucket`, which runs until the test ends.
#[derive(Clone, Default)]
pub struct BucketServer {
    state: Arc<Mutex<State>>,
    port: u16,
}

struct Request {
    method: String,
    /// The decoded key.
    key: String,
    query: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl BucketServer {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            ..Self::default()
        };
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let serving = serving.clone();
                // The client may have disconnected.
                thread::spawn(move || drop(serving.serve(stream.unwrap())));
            }
        });
        server
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the options with which a site stores its uploads in the bucket.
    pub fn options_of_uploads(&self) -> [(&'static str, String); 4] {
        [
            ("uploads.bucket", "s3://bucket/site".to_owned()),
            ("uploads.endpoint", self.url()),
            ("uploads.access_key", "name".to_owned()),
            ("uploads.secret_key", "secret".to_owned()),
        ]
    }

    /// Adds a fault for all requests of a method whose target contains `part`.
    pub fn misbehave(&self, method: &'static str, part: &'static str, how: Misbehaviour) {
        self.state().rules.push((method, part, how));
    }

    /// Removes all faults.
    pub fn behave(&self) {
        self.state().rules.clear();
    }

    /// Stores an object.
    pub fn put(&self, key: &str, content: &[u8]) {
        let key = key.to_owned();
        self.state().objects.insert(key, content.to_vec());
    }

    /// Removes an object.
    pub fn remove(&self, key: &str) {
        self.state().objects.remove(key);
    }

    /// Returns the keys of all objects, sorted.
    pub fn keys(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }

    /// Returns the number of uploaded parts that are neither completed nor aborted.
    pub fn parts(&self) -> usize {
        self.state().parts.len()
    }

    /// Returns the number of requests of a method whose target contains `part`.
    pub fn requests(&self, method: &str, part: &str) -> usize {
        let state = self.state();
        let requests = state.requests.iter();
        let matching = requests.filter(|line| line.starts_with(method) && line.contains(part));
        matching.count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut out = stream;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let request = read_request(&line, &mut reader)?;
            let how = {
                let mut state = self.state();
                state.requests.push(line.trim_end().to_owned());
                let mut rules = state.rules.iter();
                let rule = rules
                    .find(|(method, part, _)| request.method == *method && line.contains(part));
                rule.map(|(.., how)| *how)
            };
            if !self.respond(&request, how, &mut out)? {
                return Ok(());
            }
        }
    }

    /// Sends a response. Returns whether the connection stays open for another request.
    fn respond(
        &self,
        request: &Request,
        how: Option<Misbehaviour>,
        out: &mut TcpStream,
    ) -> std::io::Result<bool> {
        use Misbehaviour::*;
        match how {
            Some(Silent) => {
                thread::park_timeout(Duration::from_secs(120));
                return Ok(false);
            }
            Some(Page) => {
                let page = "<!DOCTYPE html><title>Sign in</title>";
                let kind = "Content-Type: text/html\r\n";
                write_response(out, 200, kind, page.as_bytes(), 0)?;
                return Ok(true);
            }
            Some(Status(status)) => {
                write_response(out, status, "", b"", 0)?;
                return Ok(true);
            }
            _ => {}
        }
        let (status, mut body, etag) = self.response_to(request, how);
        // Some services send this content type even with responses that are not web pages.
        let mut more = format!("ETag: \"{etag}\"\r\nContent-Type: text/html\r\n");
        let mut cut = 0;
        match how {
            Some(Changed) => {
                let middle = body.len() / 2;
                body[middle] ^= 1;
            }
            Some(Shorter) => drop(body.pop()),
            Some(Longer) => body.push(b'x'),
            Some(CutOff) => cut = 1,
            Some(Encoded) => more.push_str("Content-Encoding: gzip\r\n"),
            Some(Unbounded) => {
                body.push(b'x');
                write!(out, "HTTP/1.1 {status} X\r\n{more}\r\n")?;
                out.write_all(&body)?;
                return Ok(false);
            }
            Some(Excess) => {
                write_response(out, status, &more, &body, 0)?;
                out.write_all(b"and more")?;
                return Ok(true);
            }
            Some(SlowHead) => {
                for _ in 0..1200 {
                    out.write_all(b"H")?;
                    thread::sleep(Duration::from_millis(100));
                }
            }
            Some(SlowBody) => {
                let length = body.len() + 1200;
                write!(
                    out,
                    "HTTP/1.1 {status} X\r\n{more}Content-Length: {length}\r\n\r\n"
                )?;
                for _ in 0..1200 {
                    out.write_all(b" ")?;
                    thread::sleep(Duration::from_millis(100));
                }
            }
            _ => {}
        }
        let is_head = request.method == "HEAD";
        if is_head {
            let length = body.len();
            write!(
                out,
                "HTTP/1.1 {status} X\r\n{more}Content-Length: {length}\r\n\r\n"
            )?;
            return Ok(true);
        }
        write_response(out, status, &more, &body, cut)?;
        Ok(cut == 0)
    }

    /// Returns a status, a body, and the entity tag of the object.
    fn response_to(&self, request: &Request, how: Option<Misbehaviour>) -> (u16, Vec<u8>, String) {
        let Request {
            method,
            key,
            query,
            body,
        } = request;
        let mut state = self.state();
        if query.contains_key("list-type") {
            let list = state.list(query, how);
            return (200, list.into_bytes(), String::new());
        }
        match (
            method.as_str(),
            query.get("partNumber"),
            query.get("uploadId"),
        ) {
            ("PUT", Some(number), _) => {
                let part = (key.clone(), number.parse().unwrap());
                state.parts.insert(part, body.clone());
                (200, Vec::new(), etag(body))
            }
            ("POST", _, None) => {
                let begun = format!(
                    "<InitiateMultipartUploadResult xmlns=\"{XMLNS}\"><Bucket>bucket</Bucket><Key>{key}</Key><UploadId>one</UploadId></InitiateMultipartUploadResult>"
                );
                (200, begun.into_bytes(), String::new())
            }
            ("POST", _, Some(_)) => {
                let parts = std::mem::take(&mut state.parts);
                let whole = parts.into_values().flatten().collect();
                state.objects.insert(key.clone(), whole);
                (
                    200,
                    b"<CompleteMultipartUploadResult/>".to_vec(),
                    String::new(),
                )
            }
            ("DELETE", _, Some(_)) => {
                state.parts.clear();
                (204, Vec::new(), String::new())
            }
            ("PUT", ..) => {
                state.objects.insert(key.clone(), body.clone());
                (200, Vec::new(), etag(body))
            }
            ("DELETE", ..) => {
                state.objects.remove(key);
                (204, Vec::new(), String::new())
            }
            _ => {
                let other = state.objects.iter().find(|(known, _)| *known != key);
                let found = match how {
                    Some(Misbehaviour::Swapped) => other.map(|(_, content)| content),
                    _ => state.objects.get(key),
                };
                match found {
                    Some(content) => (200, content.clone(), etag(content)),
                    None => (404, Vec::new(), String::new()),
                }
            }
        }
    }
}

const XMLNS: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

fn etag(content: &[u8]) -> String {
    HEXLOWER.encode(&Md5::digest(content))
}

impl State {
    fn list(&mut self, query: &BTreeMap<String, String>, how: Option<Misbehaviour>) -> String {
        use Misbehaviour::*;
        let prefix = &query["prefix"];
        self.pages += 1;
        let page = self.pages;
        let entry = |key: &str, bytes: usize, etag: &str| {
            format!(
                "<Contents><ETag>\"{etag}\"</ETag><Key>{key}</Key><LastModified>2026-11-28T00:00:00.000Z</LastModified><Size>{bytes}</Size><StorageClass>STANDARD</StorageClass></Contents>"
            )
        };
        let stored = || -> String {
            let objects = self.objects.iter();
            let matching = objects.filter(|(key, _)| key.starts_with(prefix.as_str()));
            let entries = matching.map(|(key, content)| entry(key, content.len(), &etag(content)));
            entries.collect()
        };
        let (objects, token) = match how {
            Some(RepeatedToken) => (
                entry(&format!("{prefix}{page}"), 1, "x"),
                Some("again".to_owned()),
            ),
            Some(AlternatingTokens) => (
                entry(&format!("{prefix}{page}"), 1, "x"),
                Some(format!("token {}", page % 2)),
            ),
            Some(RepeatedKeys) => (
                entry(&format!("{prefix}same"), 1, "x"),
                Some(format!("token {page}")),
            ),
            Some(EmptyPages) => (String::new(), Some(format!("token {page}"))),
            Some(EndlessKeys) => (
                entry(&format!("{prefix}{page}"), 1, "x"),
                Some(format!("token {page}")),
            ),
            Some(OutsideKey) => (entry("elsewhere/secret", 1, "x"), None),
            Some(EmptyList | LostToken) => (String::new(), None),
            _ => (stored(), None),
        };
        let is_cut = token.is_some() || how == Some(LostToken);
        let token =
            token.map(|token| format!("<NextContinuationToken>{token}</NextContinuationToken>"));
        format!(
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"{XMLNS}\"><Name>bucket</Name><Prefix>{prefix}</Prefix><MaxKeys>1000</MaxKeys><IsTruncated>{is_cut}</IsTruncated>{}{objects}</ListBucketResult>",
            token.unwrap_or_default()
        )
    }
}

fn read_request(line: &str, reader: &mut impl BufRead) -> std::io::Result<Request> {
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let query = pairs.map(|(name, value)| (decoded(name), decoded(value)));
    let key = path.strip_prefix("/bucket").unwrap_or(path);
    let mut length = 0;
    loop {
        let mut field = String::new();
        if reader.read_line(&mut field)? == 0 || field.trim().is_empty() {
            break;
        }
        let (name, value) = field.split_once(':').unwrap();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Request {
        method,
        key: decoded(key.trim_start_matches('/')),
        query: query.collect(),
        body,
    })
}

/// Writes a response without the last `cut` bytes of its body.
fn write_response(
    out: &mut TcpStream,
    status: u16,
    more: &str,
    body: &[u8],
    cut: usize,
) -> std::io::Result<()> {
    let length = body.len();
    write!(
        out,
        "HTTP/1.1 {status} X\r\n{more}Content-Length: {length}\r\n\r\n"
    )?;
    out.write_all(&body[..length.saturating_sub(cut)])
}
