//! An answer: status, header fields, body.
//!
//! Cheap to make again from a cache: header fields and in-memory bodies are shared, not copied.
//! `server`, `date`, `content-length` and the fields of byte ranges are the edge's; nobody sets them here.

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::header::ETAG;
use http::{HeaderName, HeaderValue, StatusCode};

use super::kernel_copy::KernelCopy;

/// What is sent back for one request.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The header fields.
    pub headers: Headers,
    /// The body of the answer to GET. For HEAD the edge sends its length alone.
    pub body: Body,
}

impl Response {
    /// An answer without header fields and body.
    pub fn new(status: StatusCode) -> Self {
        Response {
            status,
            headers: Headers::default(),
            body: Body::Empty,
        }
    }

    /// An answer that is a whole file, tagged by its length and the time of its last change; `None` when that cannot be
    /// told.
    pub fn of_file(file: File, mut headers: Headers) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let version = modified.map_or(0, |time| time.as_nanos());
        let tag = format!("\"{:x}-{version:x}\"", metadata.len());
        headers.set(ETAG, HeaderValue::from_str(&tag).ok()?);
        Some(Self {
            status: StatusCode::OK,
            headers,
            body: Body::File {
                file,
                range: 0..metadata.len(),
            },
        })
    }
}

/// The body of an answer.
#[derive(Debug)]
pub enum Body {
    /// No bytes.
    Empty,
    /// Bytes in memory; they reach the socket without being copied.
    Bytes(Bytes),
    /// Bytes in memory that the kernel has too, for those who write to the socket themselves.
    Copied {
        /// The bytes.
        bytes: Bytes,
        /// The same as the kernel has them.
        copy: Arc<KernelCopy>,
    },
    /// A file, read while it is sent, a piece at a time. The edge answers `range`, `if-range`, `if-none-match`
    /// and `if-modified-since` for it, by the `etag` and `last-modified` of the answer.
    File {
        /// The open file.
        file: File,
        /// The bytes of it that are sent: all. A file that turns out to be shorter breaks the connection off.
        range: Range<u64>,
    },
    /// Nothing yet: the edge asks again when readers see something otherwise, and for the last time when this is over.
    Later(Duration),
    /// What goes on as the site does.
    Live(Box<dyn Live>),
}

/// The body of an answer that has no end of its own: more of it follows when readers see something otherwise.
///
/// Nothing is kept for a client that is slow: what there is to tell is found out when the client can take it.
pub trait Live: fmt::Debug + Send {
    /// What is to be sent now. Runs on the thread that serves the sockets: it must not block.
    fn next(&mut self) -> Next;
    /// What is sent when there was nothing for a while, so that both ends learn when the other is gone.
    fn heartbeat(&self) -> Bytes;
}

/// How the body of an answer goes on.
#[derive(Debug)]
pub enum Next {
    /// With these bytes, and then perhaps with more.
    Bytes(Bytes),
    /// When readers see something otherwise.
    Wait,
    /// Not at all.
    End,
}

impl Body {
    /// Length in bytes, as far as it is known.
    pub fn length(&self) -> u64 {
        match self {
            Body::Empty | Body::Later(_) | Body::Live(_) => 0,
            Body::Bytes(bytes) | Body::Copied { bytes, .. } => bytes.len() as u64,
            Body::File { range, .. } => range.end - range.start,
        }
    }
}

/// Header fields in the order in which they were added. A clone is shared until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub struct Headers(Arc<Vec<(HeaderName, HeaderValue)>>);

impl Headers {
    /// The first value of `name`.
    pub fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Makes `value` the only value of `name`.
    pub fn set(&mut self, name: HeaderName, value: HeaderValue) {
        self.remove(&name);
        self.append(name, value);
    }

    /// Adds a value beside those that `name` has.
    pub fn append(&mut self, name: HeaderName, value: HeaderValue) {
        Arc::make_mut(&mut self.0).push((name, value));
    }

    /// Takes all values of `name` away.
    pub fn remove(&mut self, name: &HeaderName) {
        if self.get(name).is_some() {
            Arc::make_mut(&mut self.0).retain(|(own, _)| own != name);
        }
    }

    /// All fields.
    pub fn iter(&self) -> std::slice::Iter<'_, (HeaderName, HeaderValue)> {
        self.0.iter()
    }
}

impl FromIterator<(HeaderName, HeaderValue)> for Headers {
    fn from_iter<I: IntoIterator<Item = (HeaderName, HeaderValue)>>(fields: I) -> Self {
        Headers(Arc::new(fields.into_iter().collect()))
    }
}
