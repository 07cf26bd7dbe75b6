//! A request as received: complete, in memory, not decoded.
//!
//! It is created by the HTTP server and read by the API, and contains nothing specific to either (no
//! types of hyper, no actor, no route). A message that the server rejects becomes a [`RequestRefusal`].

use std::{fmt, net::IpAddr, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header, uri::PathAndQuery};

use crate::body_memory::Busy;

/// The header fields with which browsers and proxies mark prefetches: those of the Fetch standard and of
/// Chromium, and the older ones of WebKit and Firefox.
const PREFETCH_FIELDS: [&str; 4] = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/// A request without its body.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// The method, which may be unknown.
    pub method: Method,
    /// The path and query as sent: percent sequences, empty segments and repeated parameters are
    /// unchanged. `*` for `OPTIONS *`.
    pub target: PathAndQuery,
    /// The header fields. Over HTTP/2, `host` is set from `:authority`; over HTTP/1.0, it is omitted.
    pub headers: HeaderMap,
    /// The IP address of the peer: a proxy's, if there is one in front.
    pub peer: IpAddr,
}

impl RequestHead {
    /// Returns a borrowed view, which is the key for cached responses.
    pub fn head_ref(&self) -> HeadRef<'_> {
        HeadRef {
            method: &self.method,
            target: self.target.as_str(),
            fields: Fields::Map(&self.headers),
            peer: self.peer,
        }
    }

    /// Returns whether the client explicitly accepts HTML, which browsers do and other programs do not.
    pub fn accepts_html(&self) -> bool {
        let accepts = self.headers.get(header::ACCEPT);
        let accepts = accepts.and_then(|accepts| accepts.to_str().ok());
        accepts.is_some_and(|accepts| accepts.contains("text/html"))
    }
}

/// Returns whether these header fields mark the request as a prefetch, which a program sends before a
/// person opens the page, or without a person opening it.
pub fn is_prefetch(headers: &HeaderMap) -> bool {
    PREFETCH_FIELDS.iter().any(|name| {
        let values = headers.get_all(*name).iter();
        let mut values = values.filter_map(|value| value.to_str().ok());
        values.any(|value| {
            let value = value.to_ascii_lowercase();
            let mut purposes = value.split([',', ';']).map(str::trim);
            purposes.any(|purpose| matches!(purpose, "prefetch" | "prerender" | "preview"))
        })
    })
}

/// A borrowed view of the head of a request, which is the key for cached responses.
#[derive(Clone, Copy, Debug)]
pub struct HeadRef<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path and query as sent.
    pub target: &'a str,
    /// The header fields.
    pub fields: Fields<'a>,
    /// The IP address of the peer.
    pub peer: IpAddr,
}

/// Header fields, in a map or as parsed from HTTP/1.1.
#[derive(Clone, Copy, Debug)]
pub enum Fields<'a> {
    /// Fields in a map.
    Map(&'a HeaderMap),
    /// Fields as parsed, in the order received.
    Lines(&'a [httparse::Header<'a>]),
}

impl<'a> Fields<'a> {
    /// Returns the values of `name` that are visible ASCII, in the order received.
    pub fn values(self, name: &'a HeaderName) -> impl Iterator<Item = &'a str> {
        // One of the two iterators is empty. Chaining them avoids an allocation for a boxed
        // iterator.
        let (map, lines) = match self {
            Fields::Map(map) => (Some(map), &[][..]),
            Fields::Lines(lines) => (None, lines),
        };
        let in_map = map.into_iter().flat_map(move |map| map.get_all(name));
        let in_lines = lines
            .iter()
            .filter(move |line| line.name.eq_ignore_ascii_case(name.as_str()));
        in_map
            .filter_map(|value| value.to_str().ok())
            .chain(in_lines.filter_map(|line| visible(line.value)))
    }
}

/// Returns the value as text, if [`HeaderValue::to_str`](http::HeaderValue::to_str) would accept
/// it.
fn visible(value: &[u8]) -> Option<&str> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let is_visible = value.iter().all(is_text);
    is_visible.then(|| str::from_utf8(value).ok()).flatten()
}

/// A request with its whole body.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request without its body.
    pub head: RequestHead,
    /// The body; always empty for GET, HEAD and OPTIONS, whose bodies are not read.
    pub body: Bytes,
}

/// The kind of a request, determined by its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// The Content API.
    Content,
    /// The Admin API.
    Admin,
    /// A file.
    File,
    /// Anything else.
    #[default]
    Other,
}

/// The reason why the server itself responds to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestRefusal {
    /// The message is incomplete or has no path.
    Malformed,
    /// The message does not name exactly one host.
    Host,
    /// Neither the rest of the body nor 64 KiB of it was received within this time.
    BodyTooSlow(Duration),
    /// The body is longer than this limit, in bytes.
    BodyTooLarge(u64),
    /// The path and query are longer than this limit, in bytes.
    TargetTooLong(usize),
    /// The number or the size of the header fields exceeds the limit.
    HeadersTooLarge,
    /// The request handler panicked.
    Panicked,
    /// All workers, or all memory for bodies, are in use.
    Busy,
    /// The limit of clients that wait for changes or follow an event stream is reached.
    TooManyWaiting,
}

impl RequestRefusal {
    /// Returns the status of the response.
    pub fn status(self) -> StatusCode {
        match self {
            RequestRefusal::Malformed | RequestRefusal::Host => StatusCode::BAD_REQUEST,
            RequestRefusal::BodyTooSlow(_) => StatusCode::REQUEST_TIMEOUT,
            RequestRefusal::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            RequestRefusal::TargetTooLong(_) => StatusCode::URI_TOO_LONG,
            RequestRefusal::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            RequestRefusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            RequestRefusal::Busy | RequestRefusal::TooManyWaiting => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }
}

impl From<Busy> for RequestRefusal {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl fmt::Display for RequestRefusal {
    /// Writes a sentence for the client.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestRefusal::Malformed => f.write_str("The request is incomplete or ambiguous."),
            RequestRefusal::Host => f.write_str(
                "The request must have exactly one Host header field, with a host and an optional port.",
            ),
            RequestRefusal::BodyTooSlow(time) => {
                write!(
                    f,
                    "The body was received too slowly: less than 64 KiB in {time:?}."
                )
            }
            RequestRefusal::BodyTooLarge(max) => write!(f, "The body is longer than {max} bytes."),
            RequestRefusal::TargetTooLong(max) => write!(f, "The URL is longer than {max} bytes."),
            RequestRefusal::HeadersTooLarge => {
                f.write_str("The header fields are too long or too many.")
            }
            RequestRefusal::Panicked => f.write_str("An unexpected error occurred."),
            RequestRefusal::TooManyWaiting => {
                f.write_str("Too many clients are waiting for changes. Retry without waiting.")
            }
            RequestRefusal::Busy => f.write_str("The server is busy, try again in a moment."),
        }
    }
}

/// Returns whether a method only reads.
pub(super) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}
