//! Properties of the framing of requests on a connection: each request gets one response, however its bytes are split;
//! nothing after a request with an ambiguous end is parsed as a request (RFC 9112, sections 6 and 11.2).

use super::http1::{Response, all_responses, good_request, response_to, with_key};

/// The maximum number of header fields of a request that [`request_end`] parses.
const FIELDS_MAX: usize = 128;

/// Parts of requests that this target skips: their responses have another form, or are only sent when something
/// changes.
const HANDLED_ELSEWHERE: [&[u8]; 5] = [b"PRI ", b"/changes", b"HEAD ", b"CONNECT ", b"pgrade"];

/// Panics unless these properties hold for the bytes that a client writes. A request after them closes the connection.
pub fn check(input: &[u8]) {
    let is_otherwise = |mark: &&[u8]| memchr::memmem::find(input, mark).is_some();
    if HANDLED_ELSEWHERE.iter().any(is_otherwise) {
        return;
    }
    let stream = [with_key(input), good_request("Connection: close\r\n")].concat();
    let framed = FramedRequests::of(&stream);
    let whole = all_responses(&[&stream]);
    check_count(&framed, &whole);

    let middle = framed.ends.first().map_or(stream.len() / 2, |end| end - 1);
    let (begin, end) = stream.split_at(middle.min(stream.len()));
    let (second, third) = end.split_at(end.len() / 2);
    let in_pieces = all_responses(&[begin, second, third]);
    check_count(&framed, &in_pieces);
    // A client that is still writing when the server closes the connection may miss responses.
    let both = whole.len().min(in_pieces.len());
    let statuses = |replies: &[Response]| -> Vec<u16> {
        let replies = replies[..both].iter();
        replies.map(|reply| reply.status).collect()
    };
    let (statuses_whole, statuses_in_pieces) = (statuses(&whole), statuses(&in_pieces));
    let is_limited = |statuses: &[u16]| statuses.contains(&429);
    if !is_limited(&statuses_whole) && !is_limited(&statuses_in_pieces) {
        assert_eq!(statuses_whole, statuses_in_pieces);
    }

    let other_client = response_to(&good_request("")).expect("other clients are served");
    assert_eq!(other_client.status, 200);
}

/// Checks the number of responses: one for each request with a definite end, and for the bytes after these requests at
/// most one, which is an error or the last response of the connection.
fn check_count(framed: &FramedRequests, replies: &[Response]) {
    for reply in replies {
        assert!(matches!(reply.status, 200..=499 | 501 | 505), "{reply:?}");
    }
    let certain = framed.ends.len();
    assert!(replies.len() <= certain + 1, "{certain}: {replies:?}");
    if replies.len() == certain + 1 {
        assert!(!framed.is_all, "more responses than requests: {replies:?}");
    }
    for reply in replies.iter().rev().skip(1) {
        assert!(
            !reply.is_last(),
            "a response after the last one: {replies:?}"
        );
    }
}

/// The requests of a connection whose ends are certain.
struct FramedRequests {
    /// The byte offset after each of them.
    ends: Vec<usize>,
    /// Whether they are all of the input, or the last of them closes the connection.
    is_all: bool,
}

/// The end of the first request of a connection.
enum RequestEnd {
    /// The length in bytes, and whether another request may follow.
    Certain(usize, bool),
    /// The request is incomplete, or implementations may parse it differently.
    Uncertain,
}

impl FramedRequests {
    fn of(stream: &[u8]) -> Self {
        let mut ends = Vec::new();
        let mut start = 0;
        loop {
            match request_end(&stream[start..]) {
                RequestEnd::Certain(bytes, stays_open) => {
                    start += bytes;
                    ends.push(start);
                    if !stays_open || start == stream.len() {
                        return Self { ends, is_all: true };
                    }
                }
                RequestEnd::Uncertain => {
                    return Self {
                        ends,
                        is_all: false,
                    };
                }
            }
        }
    }
}

/// Returns the end of the first request by its header section, according to the strictest interpretation of RFC 9112.
fn request_end(stream: &[u8]) -> RequestEnd {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut request = httparse::Request::new(&mut fields);
    let Ok(httparse::Status::Complete(head_bytes)) = request.parse(stream) else {
        return RequestEnd::Uncertain;
    };
    let values = |name: &str| -> Vec<&[u8]> {
        let of_name = |field: &&httparse::Header| field.name.eq_ignore_ascii_case(name);
        let fields = request.headers.iter().filter(of_name);
        fields.map(|field| field.value).collect()
    };
    let is_old = request.version == Some(0);
    let hosts = values("host").len();
    if hosts > 1 || (hosts == 0 && !is_old) {
        return RequestEnd::Uncertain;
    }
    let connection = values("connection").concat().to_ascii_lowercase();
    let says = |word: &[u8]| memchr::memmem::find(&connection, word).is_some();
    let stays_open = !says(b"close") && (!is_old || says(b"keep-alive"));
    let body = &stream[head_bytes..];
    let body_bytes = match (
        &values("transfer-encoding")[..],
        &values("content-length")[..],
    ) {
        ([], []) => Some(0),
        ([], [length]) => digits(length).filter(|length| *length <= body.len()),
        ([encoding], []) if encoding.eq_ignore_ascii_case(b"chunked") && !is_old => {
            chunks_end(body)
        }
        _ => None,
    };
    match body_bytes {
        Some(body_bytes) => RequestEnd::Certain(head_bytes + body_bytes, stays_open),
        None => RequestEnd::Uncertain,
    }
}

/// Returns the length of a chunked body, with chunk extensions and trailers; `None` if it is invalid.
fn chunks_end(body: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let line = line_at(body, start)?;
        let size = line.split(|byte| *byte == b';').next().unwrap_or_default();
        let digits = str::from_utf8(size).ok()?;
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bytes = usize::from_str_radix(digits, 16)
            .ok()
            .filter(|_| is_plain)?;
        start += line.len() + 2;
        if bytes == 0 {
            break;
        }
        let end = start.checked_add(bytes)?.checked_add(2)?;
        if body.get(end - 2..end)? != b"\r\n" {
            return None;
        }
        start = end;
    }
    loop {
        let line = line_at(body, start)?;
        start += line.len() + 2;
        if line.is_empty() {
            return Some(start);
        }
    }
}

/// Returns the line that begins at `start`, without its line end; `None` if the line end is missing, or if the line
/// contains control characters, which some implementations treat as line ends.
fn line_at(body: &[u8], start: usize) -> Option<&[u8]> {
    let rest = body.get(start..)?;
    let line = &rest[..memchr::memmem::find(rest, b"\r\n")?];
    let is_plain = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    line.iter().all(is_plain).then_some(line)
}

fn digits(value: &[u8]) -> Option<usize> {
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let text = is_number.then(|| str::from_utf8(value).ok())?;
    text?.parse().ok()
}
