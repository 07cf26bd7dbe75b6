//! A request as it arrived: complete, in memory, nothing decoded.
//!
//! The edge makes it and the API reads it; neither leaves a trace of its own in it (no hyper, no actor, no route).
//! What the edge could not accept as a request is a [`Refusal`].

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, Method, StatusCode};

use crate::body_memory::Busy;

/// Everything of a request but its body.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// The method, which may be one that nobody knows.
    pub method: Method,
    /// Path and query as sent: percent sequences, empty segments and doubled parameters are untouched.
    /// `*` for `OPTIONS *`.
    pub target: PathAndQuery,
    /// The header fields. Over HTTP/2 `host` is filled in from `:authority`; over HTTP/1.0 it is left out.
    pub headers: HeaderMap,
    /// The address at the other end of the connection: a proxy's, where there is one in front.
    pub peer: IpAddr,
}

impl RequestHead {
    /// What a finished answer is looked up by.
    pub fn head_ref(&self) -> HeadRef<'_> {
        HeadRef {
            method: &self.method,
            target: self.target.as_str(),
            fields: Fields::Map(&self.headers),
            peer: self.peer,
        }
    }
}

/// What a finished answer is looked up by: the head of a request, wherever it lies.
#[derive(Clone, Copy, Debug)]
pub struct HeadRef<'a> {
    /// The method.
    pub method: &'a Method,
    /// Path and query as sent.
    pub target: &'a str,
    /// The header fields.
    pub fields: Fields<'a>,
    /// The address at the other end of the connection.
    pub peer: IpAddr,
}

/// Header fields, as a map or as the parser of HTTP/1.1 found them.
#[derive(Clone, Copy, Debug)]
pub enum Fields<'a> {
    /// In a map.
    Map(&'a HeaderMap),
    /// In the order in which they were sent.
    Lines(&'a [httparse::Header<'a>]),
}

impl<'a> Fields<'a> {
    /// The values of `name` that are text, in the order in which they were sent.
    pub fn values(self, name: &'a HeaderName) -> impl Iterator<Item = &'a str> {
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

/// The text of a value, if it is such as [`HeaderValue::to_str`](http::HeaderValue::to_str) takes.
fn visible(value: &[u8]) -> Option<&str> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let is_visible = value.iter().all(is_text);
    is_visible.then(|| str::from_utf8(value).ok()).flatten()
}

/// A request with its whole body.
#[derive(Clone, Debug)]
pub struct Request {
    /// Everything but the body.
    pub head: RequestHead,
    /// The body; always empty for GET, HEAD and OPTIONS, whose bodies are not read.
    pub body: Bytes,
}

/// What a request is about, by its path.
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

/// Why the edge answers a request itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The message breaks off or names no path.
    Malformed,
    /// It does not name exactly one host.
    Host,
    /// Neither the rest of the body nor 64 KiB of it came within this time.
    BodyTooSlow(Duration),
    /// The body is longer than this, in bytes.
    BodyTooLarge(u64),
    /// Path and query are longer than this, in bytes.
    TargetTooLong(usize),
    /// There are more header fields, or more bytes of them, than are read.
    HeadersTooLarge,
    /// The code that answers panicked.
    Panicked,
    /// All workers, or all memory for bodies, are taken.
    Busy,
    /// As many clients wait as may, or hear what goes on.
    TooManyWaiting,
}

impl Refusal {
    /// The status it is answered with.
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Malformed | Refusal::Host => StatusCode::BAD_REQUEST,
            Refusal::BodyTooSlow(_) => StatusCode::REQUEST_TIMEOUT,
            Refusal::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::TargetTooLong(_) => StatusCode::URI_TOO_LONG,
            Refusal::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Refusal::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
            Refusal::Busy | Refusal::TooManyWaiting => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<Busy> for Refusal {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

impl fmt::Display for Refusal {
    /// A sentence for the client.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Malformed => {
                f.write_str("The request is not complete, or it can be read in two ways.")
            }
            Refusal::Host => f.write_str(
                "The request needs one Host header field, with a host and perhaps a port.",
            ),
            Refusal::BodyTooSlow(time) => {
                write!(f, "The body came too slowly: less than 64 KiB in {time:?}.")
            }
            Refusal::BodyTooLarge(max) => write!(f, "The body is longer than {max} bytes."),
            Refusal::TargetTooLong(max) => write!(f, "The address is longer than {max} bytes."),
            Refusal::HeadersTooLarge => f.write_str("The header fields are too long or too many."),
            Refusal::Panicked => f.write_str("An unexpected error occurred."),
            Refusal::TooManyWaiting => {
                f.write_str("Too many clients wait for changes already: ask without waiting.")
            }
            Refusal::Busy => f.write_str("The server is busy, try again in a moment."),
        }
    }
}
