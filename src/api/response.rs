//! An HTTP response: status, header fields, body.
//!
//! Cheap to create from a cached response: header fields and in-memory bodies are shared, not
//! copied. `server`, `date`, `content-length` and the fields of byte ranges are set by the edge
//! only.

use std::{
    fmt,
    fs::File,
    ops::Range,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, ETAG, InvalidHeaderValue, LOCATION},
};

use super::{request::is_read, sendfile_copy::SendfileCopy};

/// The response to one request.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The header fields.
    pub headers: Headers,
    /// The body of the response to GET. For HEAD the edge sends only its length.
    pub body: Body,
}

impl Response {
    /// Returns a response without header fields and body.
    pub fn new(status: StatusCode) -> Self {
        Response {
            status,
            headers: Headers::default(),
            body: Body::Empty,
        }
    }

    /// Returns a redirect without a body, for requests that only read: clients follow it with GET.
    ///
    /// # Errors
    ///
    /// If `location` is not valid in a header.
    pub fn redirect(
        is_permanent: bool,
        location: &str,
        cache_control: HeaderValue,
    ) -> Result<Self, InvalidHeaderValue> {
        let location = HeaderValue::from_str(location)?;
        let fields = [(LOCATION, location), (CACHE_CONTROL, cache_control)];
        Ok(Self {
            headers: fields.into_iter().collect(),
            ..Self::new(if is_permanent {
                StatusCode::MOVED_PERMANENTLY
            } else {
                StatusCode::FOUND
            })
        })
    }

    /// Returns this redirect as one that a client follows with the method and the body of its request,
    /// unless it only reads.
    pub fn preserving_method(self, method: &Method) -> Self {
        let status = match self.status {
            StatusCode::MOVED_PERMANENTLY if !is_read(method) => StatusCode::PERMANENT_REDIRECT,
            StatusCode::FOUND if !is_read(method) => StatusCode::TEMPORARY_REDIRECT,
            status => status,
        };
        Self { status, ..self }
    }

    /// Returns a response with a whole file, whose entity tag is made of its length and
    /// modification time; `None` if these are unknown.
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

/// The body of a response.
#[derive(Debug)]
pub enum Body {
    /// No bytes.
    Empty,
    /// Bytes in memory; they reach the socket without being copied.
    Bytes(Bytes),
    /// Bytes in memory with a kernel-side copy, for connections that write to the socket directly.
    Sendfile {
        /// The bytes.
        bytes: Bytes,
        /// The kernel-side copy.
        copy: Arc<SendfileCopy>,
    },
    /// A file, read in chunks while it is sent. The edge evaluates `range`, `if-range`,
    /// `if-none-match` and `if-modified-since` for it, by the `etag` and `last-modified` of the
    /// response.
    File {
        /// The open file.
        file: File,
        /// The bytes to send: all. If the file turns out to be shorter, the connection is closed.
        range: Range<u64>,
    },
    /// No response yet: the edge retries after each change visible to readers, and for the last
    /// time when this time is over.
    Later(Duration),
    /// A stream that follows the changes of the site.
    Live(Box<dyn Live>),
}

/// The endless body of a response: it continues with each change visible to readers.
///
/// Nothing is buffered for a slow client: the next bytes are computed when the client can take
/// them.
pub trait Live: fmt::Debug + Send {
    /// Returns the next step of the stream. Runs on the thread that serves the sockets: it must not
    /// block.
    fn next(&mut self) -> StreamStep;
    /// Returns the bytes that are sent after an idle period, so that both ends detect a lost
    /// connection.
    fn heartbeat(&self) -> Bytes;
}

/// The next step of a stream.
#[derive(Debug)]
pub enum StreamStep {
    /// Sends these bytes and continues.
    Bytes(Bytes),
    /// Waits for the next change visible to readers.
    Wait,
    /// Ends the stream.
    End,
}

impl Body {
    /// Returns the length in bytes; 0 if it is not known yet.
    pub fn length(&self) -> u64 {
        match self {
            Body::Empty | Body::Later(_) | Body::Live(_) => 0,
            Body::Bytes(bytes) | Body::Sendfile { bytes, .. } => bytes.len() as u64,
            Body::File { range, .. } => range.end - range.start,
        }
    }
}

/// Header fields in the order added. A clone shares its memory until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub struct Headers(Arc<Vec<(HeaderName, HeaderValue)>>);

impl Headers {
    /// Returns the first value of `name`.
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

    /// Adds a value to those of `name`.
    pub fn append(&mut self, name: HeaderName, value: HeaderValue) {
        Arc::make_mut(&mut self.0).push((name, value));
    }

    /// Removes all values of `name`.
    pub fn remove(&mut self, name: &HeaderName) {
        // `make_mut` copies a shared list even if nothing is removed.
        if self.get(name).is_some() {
            Arc::make_mut(&mut self.0).retain(|(own, _)| own != name);
        }
    }

    /// Returns all fields.
    pub fn iter(&self) -> std::slice::Iter<'_, (HeaderName, HeaderValue)> {
        self.0.iter()
    }
}

impl FromIterator<(HeaderName, HeaderValue)> for Headers {
    fn from_iter<I: IntoIterator<Item = (HeaderName, HeaderValue)>>(fields: I) -> Self {
        Headers(Arc::new(fields.into_iter().collect()))
    }
}
