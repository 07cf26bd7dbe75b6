//! Properties of the beginning of a connection: any bytes get complete HTTP responses or none, never a server error, the
//! same when repeated, split or pipelined, and other clients are still served.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, LazyLock, Mutex},
    thread,
    time::Duration,
};

use galley::server::{Limits, Server};
use memchr::memmem;
use serde_json::Value;

use super::small_site::SmallSite;

/// How long the server waits for the rest of a request here, and for the next one.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long a client waits for the server: it is stuck then.
const STUCK: Duration = Duration::from_secs(10);

/// How long a client waits between the pieces of a request, so that the server reads them one by one.
const BETWEEN_PIECES: Duration = Duration::from_millis(1);

/// Longest answer that is expected, in bytes.
const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// A site that is served, and a client that is served all the time.
struct World {
    site: SmallSite,
    _server: Server,
    address: SocketAddr,
    /// What another client asks for again and again.
    question: String,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
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
    let question = format!(
        "GET /ghost/api/content/settings/?key={} HTTP/1.1\r\nHost: harbour.example\r\n\r\n",
        site.integration.content_key.secret
    );
    World {
        address: server.addresses()[0],
        question,
        site,
        _server: server,
    }
});

/// What stands in an input for the key of the Content API, which no input can know.
const KEY: &str = "CONTENT_KEY";

/// The kind of an answer without an end.
const EVENT_STREAM: &str = "text/event-stream";

/// Answers of another form, or that come when something changes: not looked into.
const OTHERWISE_ANSWERED: [&str; 2] = ["PRI * HTTP/2", "/changes/"];

/// Panics unless all this holds of what a client writes. A blank line is added, without which it would be no request.
pub fn hold(input: &[u8]) {
    // All come from one address, which is refused when nothing good comes from it for long.
    static ONE_AFTER_THE_OTHER: Mutex<()> = Mutex::new(());
    let _one = ONE_AFTER_THE_OTHER.lock();
    let text = String::from_utf8_lossy(input);
    let is_otherwise = OTHERWISE_ANSWERED.iter().any(|mark| text.contains(mark));
    let request = [&with_key(input)[..], b"\r\n\r\n"].concat();
    if is_otherwise {
        let mut stream = connect();
        let _ = stream.write_all(&request);
    } else if let Some(first) = answer_to(&request) {
        assert!(is_expected(first.status), "{first:?}");
        if request.starts_with(b"GET ") {
            hold_repetition(&request, &first);
        }
    }
    let other_client = answer_to(WORLD.question.as_bytes()).expect("others are served");
    assert_eq!(other_client.status, 200);
}

/// A repeated request gets the same response, however its bytes are split. A server that has read enough may close before all is
/// written, and then nothing comes.
fn hold_repetition(request: &[u8], first: &Answer) {
    let again = answer_to(request);
    assert!(again.is_none_or(|again| again == *first));

    let (begin, end) = request.split_at(request.len() / 2);
    let in_pieces = answers(&[begin, end], &[request]);
    assert!(in_pieces.is_none_or(|answers| answers == [first.clone()]));

    let question = WORLD.question.as_bytes();
    let behind = [question, request].concat();
    let behind_another = answers(&[&behind], &[question, request]);
    assert!(behind_another.is_none_or(|answers| answers[1] == *first));
}

/// Whether a client may have brought this about: among the errors of servers, only what no server needs to know.
fn is_expected(status: u16) -> bool {
    matches!(status, 200..=499 | 501 | 505)
}

fn with_key(input: &[u8]) -> Vec<u8> {
    let key = WORLD.site.integration.content_key.secret.as_bytes();
    match memmem::find(input, KEY.as_bytes()) {
        Some(place) => [&input[..place], key, &input[place + KEY.len()..]].concat(),
        None => input.to_vec(),
    }
}

/// An answer, without what is another each time.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    status: u16,
    fields: Vec<String>,
    body: Vec<u8>,
}

fn connect() -> TcpStream {
    let stream = TcpStream::connect(WORLD.address).unwrap();
    stream.set_read_timeout(Some(STUCK)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// The first answer on a connection on which this is written; none when the server closes it without one.
fn answer_to(request: &[u8]) -> Option<Answer> {
    Some(answers(&[request], &[request])?.remove(0))
}

/// The answers to these requests, which are written in such pieces; none when the server closes before the last of them.
fn answers(pieces: &[&[u8]], requests: &[&[u8]]) -> Option<Vec<Answer>> {
    let mut stream = connect();
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            thread::sleep(BETWEEN_PIECES);
        }
        // A server that has read enough may have closed.
        let _ = stream.write_all(piece);
    }
    let mut reader = BufReader::new(stream.take(ANSWER_BYTES_MAX));
    let read = |request: &&[u8]| read_answer(&mut reader, request);
    requests.iter().map(read).collect()
}

/// The next answer, which is to this request; none when the connection is closed.
fn read_answer(reader: &mut impl BufRead, request: &[u8]) -> Option<Answer> {
    let mut answer = read_head(reader)?;
    while (100..200).contains(&answer.status) {
        answer = read_head(reader)?;
    }
    // Blank lines in front of a request are ignored (RFC 9112, section 2.2).
    let is_head = request.trim_ascii_start().starts_with(b"HEAD ");
    let has_body = !is_head && !matches!(answer.status, 204 | 304);
    if has_body {
        let length = answer.fields.iter().find_map(|field| {
            let length = field.strip_prefix("content-length: ")?;
            Some(length.parse::<usize>().unwrap())
        });
        let Some(length) = length else {
            let is_endless = |field: &String| field.contains(EVENT_STREAM);
            assert!(answer.fields.iter().any(is_endless), "{answer:?}");
            return Some(answer);
        };
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("all of the body comes");
        answer.body = without_number(body);
    }
    // The tag of an error is made from its number too.
    let is_error = answer.status >= 400;
    answer.fields.retain(|field| {
        let is_own = field.starts_with("date: ") || (is_error && field.starts_with("etag: "));
        !is_own
    });
    Some(answer)
}

/// The body of an error without the number that it has of its own.
fn without_number(body: Vec<u8>) -> Vec<u8> {
    let Ok(Value::Object(mut answer)) = serde_json::from_slice(&body) else {
        return body;
    };
    let Some(Value::Array(errors)) = answer.get_mut("errors") else {
        return body;
    };
    for error in errors {
        error["id"] = Value::Null;
    }
    Value::Object(answer).to_string().into_bytes()
}

/// The status and the header fields of an answer; none when the connection is closed.
fn read_head(reader: &mut impl BufRead) -> Option<Answer> {
    let mut line = |is_first: bool| {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(0) if is_first => None,
            Err(error) if is_first && error.kind() == io::ErrorKind::ConnectionReset => None,
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
    Some(Answer {
        status,
        fields,
        body: Vec::new(),
    })
}
