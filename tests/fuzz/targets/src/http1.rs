//! A site on a running server, and a client that reads its HTTP/1.1 responses from a connection.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{Arc, LazyLock},
    thread,
    time::Duration,
};

use galley::server::{Limits, Server};
use memchr::memmem;
use rustix::{
    io::Errno,
    net::{AddressFamily, SocketFlags, SocketType, bind, socket_with},
};
use serde_json::Value;

use super::small_site::{self, SmallSite};

/// The server's timeout for the rest of a request, and for the next request.
const PATIENCE: Duration = Duration::from_millis(300);

/// The client's timeout, after which the server is considered stuck.
const STUCK: Duration = Duration::from_secs(10);

/// The client's pause between the pieces of a request, which makes the server read them separately.
const BETWEEN_PIECES: Duration = Duration::from_millis(1);

/// The maximum length of all responses on a connection, in bytes.
const RESPONSE_BYTES_MAX: u64 = 1 << 20;

/// Placeholder in an input for the key of the Content API, which no input can contain.
const KEY: &str = "CONTENT_KEY";

/// The content type of a response without an end.
const EVENT_STREAM: &str = "text/event-stream";

/// A site on a running server.
struct Fixture {
    site: SmallSite,
    _server: Server,
    address: SocketAddr,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let site = SmallSite::with_content();
    let limits = Limits {
        threads: 1,
        workers: 2,
        headers_timeout: PATIENCE,
        body_timeout: PATIENCE,
        idle_timeout: PATIENCE,
        heartbeat: PATIENCE,
        ..Limits::default()
    };
    let any_port = "127.0.0.1:0".parse().unwrap();
    let handler = Arc::new(site.api());
    let server = Server::start(&[any_port], handler, limits).unwrap();
    Fixture {
        address: server.addresses()[0],
        site,
        _server: server,
    }
});

/// Returns a request whose response is always the same, with status 200. `fields` are further header fields, each with
/// its line end.
pub fn good_request(fields: &str) -> Vec<u8> {
    let key = &FIXTURE.site.integration.content_key.secret;
    let target = format!("/ghost/api/content/settings/?key={key}");
    format!("GET {target} HTTP/1.1\r\nHost: harbour.example\r\n{fields}\r\n").into_bytes()
}

/// Returns the input with the placeholder replaced by the key of the Content API.
pub fn with_key(input: &[u8]) -> Vec<u8> {
    let key = FIXTURE.site.integration.content_key.secret.as_bytes();
    match memmem::find(input, KEY.as_bytes()) {
        Some(start) => [&input[..start], key, &input[start + KEY.len()..]].concat(),
        None => input.to_vec(),
    }
}

/// A response without the parts that differ between responses: date, and the identifier of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub status: u16,
    pub fields: Vec<String>,
    pub body: Vec<u8>,
}

impl Response {
    /// Whether the server closes the connection after this response.
    pub fn is_last(&self) -> bool {
        self.fields.iter().any(|field| field == "connection: close")
    }
}

/// Connects to the server from an address that has not sent a wrong key yet. Reads time out after [`STUCK`].
pub fn connect() -> TcpStream {
    let client =
        Ipv4Addr::from_bits(0x7f00_0001 + small_site::new_client().to_bits() % 0x00ff_0000);
    let flags = SocketFlags::CLOEXEC;
    let socket = loop {
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None).unwrap();
        bind(&socket, &SocketAddr::from((client, 0))).unwrap();
        match rustix::net::connect(&socket, &FIXTURE.address) {
            // libFuzzer's alarm signal interrupted the call. A socket cannot be connected a second time.
            Err(Errno::INTR) => {}
            connected => {
                connected.unwrap();
                break socket;
            }
        }
    };
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(STUCK)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Writes a request to a new connection and returns the response; `None` if the server closes the connection without
/// one.
pub fn response_to(request: &[u8]) -> Option<Response> {
    Some(replies(&[request], &[request])?.remove(0))
}

/// Writes `requests`, split into `pieces`, to a new connection and returns the responses; `None` if the server closes
/// the connection before the last of them.
pub fn replies(pieces: &[&[u8]], requests: &[&[u8]]) -> Option<Vec<Response>> {
    let mut reader = written(pieces);
    let read = |request: &&[u8]| read_response(&mut reader, request);
    requests.iter().map(read).collect()
}

/// Writes `pieces` to a new connection and returns all responses. The requests must not be `HEAD`.
pub fn all_responses(pieces: &[&[u8]]) -> Vec<Response> {
    let mut reader = written(pieces);
    std::iter::from_fn(|| read_response(&mut reader, &[])).collect()
}

fn written(pieces: &[&[u8]]) -> impl BufRead + use<> {
    let mut stream = connect();
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            thread::sleep(BETWEEN_PIECES);
        }
        // The server may close the connection once it has read enough.
        let _ = stream.write_all(piece);
    }
    BufReader::new(stream.take(RESPONSE_BYTES_MAX))
}

/// Returns the next final response, which is for `request`; `None` if the connection is closed.
fn read_response(reader: &mut impl BufRead, request: &[u8]) -> Option<Response> {
    let mut reply = read_head(reader)?;
    while (100..200).contains(&reply.status) {
        reply = read_head(reader)?;
    }
    // Blank lines before a request are ignored (RFC 9112, section 2.2).
    let is_head = request.trim_ascii_start().starts_with(b"HEAD ");
    let has_body = !is_head && !matches!(reply.status, 204 | 304);
    if has_body {
        let length = reply.fields.iter().find_map(|field| {
            let length = field.strip_prefix("content-length: ")?;
            Some(length.parse::<usize>().unwrap())
        });
        let Some(length) = length else {
            let is_endless = |field: &String| field.contains(EVENT_STREAM);
            assert!(reply.fields.iter().any(is_endless), "{reply:?}");
            return Some(reply);
        };
        let mut body = vec![0; length];
        match reader.read_exact(&mut body) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
            read => read.expect("the complete body"),
        }
        reply.body = without_number(body);
    }
    // The ETag of an error depends on its identifier too.
    let is_error = reply.status >= 400;
    reply.fields.retain(|field| {
        let is_own = field.starts_with("date: ") || (is_error && field.starts_with("etag: "));
        !is_own
    });
    Some(reply)
}

/// Returns the body of an error without its unique identifier.
fn without_number(body: Vec<u8>) -> Vec<u8> {
    let Ok(Value::Object(mut reply)) = serde_json::from_slice(&body) else {
        return body;
    };
    let Some(Value::Array(errors)) = reply.get_mut("errors") else {
        return body;
    };
    for error in errors {
        error["id"] = Value::Null;
    }
    Value::Object(reply).to_string().into_bytes()
}

/// Returns the status and the header fields of the next response; `None` if the connection is closed.
fn read_head(reader: &mut impl BufRead) -> Option<Response> {
    let mut line = |is_first: bool| {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(0) if is_first => None,
            // If the server closes the connection while the client is still writing, the connection is reset and unread
            // data is lost.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => None,
            Ok(_) => Some(line.strip_suffix("\r\n").expect("a whole line").to_owned()),
            Err(error) => panic!("{error}"),
        }
    };
    let status = line(true)?;
    let words: Vec<&str> = status.splitn(3, ' ').collect();
    assert!(["HTTP/1.0", "HTTP/1.1"].contains(&words[0]), "{status}");
    let status = words[1].parse().unwrap();
    let mut fields = Vec::new();
    loop {
        let field = line(false)?;
        if field.is_empty() {
            break;
        }
        let (name, value) = field.split_once(": ").expect("a name and a value");
        fields.push(format!("{}: {value}", name.to_ascii_lowercase()));
    }
    Some(Response {
        status,
        fields,
        body: Vec::new(),
    })
}
