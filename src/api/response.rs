//! An HTTP response: status, header fields, body.
//!
//! A response is cheap to create from a cached response: header fields and in-memory bodies are shared,
//! not copied. `server`, `date`, `content-length` and the fields for byte ranges are set only by the HTTP
//! server.

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
    /// The body of the response to GET. For HEAD, the server sends only its length.
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

    /// Returns a redirect without a body for `GET` and `HEAD` requests. Clients follow it with GET.
    ///
    /// # Errors
    ///
    /// If `location` is not valid in a header field.
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

    /// Changes the status of this redirect so that a client follows it with the method and body of its
    /// request, if `method` is not `GET` or `HEAD`.
    pub fn preserving_method(self, method: &Method) -> Self {
        let status = match self.status {
            StatusCode::MOVED_PERMANENTLY if !is_read(method) => StatusCode::PERMANENT_REDIRECT,
            StatusCode::FOUND if !is_read(method) => StatusCode::TEMPORARY_REDIRECT,
            status => status,
        };
        Self { status, ..self }
    }

    /// Returns a response with a whole file. Its entity tag consists of the file's length and modification
    /// time. `None` if the metadata cannot be read.
    pub fn of_file(file: File, mut headers: Headers) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        // In nanoseconds, so that two versions of one second have different tags.
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
    /// Bytes in memory, which the program writes to the socket without copying them first.
    Bytes(Bytes),
    /// Bytes in memory with a kernel-side copy, for connections that write to the socket directly.
    Sendfile {
        /// The bytes.
        bytes: Bytes,
        /// The kernel-side copy.
        copy: Arc<SendfileCopy>,
    },
    /// A file, read in chunks while it is sent. The server evaluates `range`, `if-range`,
    /// `if-none-match` and `if-modified-since` with the `etag` and `last-modified` of the response.
    File {
        /// The open file.
        file: File,
        /// The range of bytes to send: initially all. If the file turns out to be shorter, the connection
        /// is closed.
        range: Range<u64>,
    },
    /// A deferred response: the server calls the handler again after each change visible to readers, and
    /// for the last time after this time.
    Later(Duration),
    /// A stream that follows the changes of the site.
    Live(Box<dyn Live>),
}

/// The endless body of a response, which continues with each change visible to readers.
///
/// Nothing is buffered for a slow client: the next bytes are computed when the client can receive them.
pub trait Live: fmt::Debug + Send {
    /// Returns the next step of the stream. Runs on the thread that serves the sockets, so it must not
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

/// Header fields in the order added. A clone shares the memory of the original until one of them is
/// changed.
#[derive(Clone, Debug, Default)]
pub struct Headers(Arc<Vec<(HeaderName, HeaderValue)>>);

impl Headers {
    /// Returns the first value of `name`.
    pub fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Sets `value` as the only value of `name`.
    pub fn set(&mut self, name: HeaderName, value: HeaderValue) {
        self.remove(&name);
        self.append(name, value);
    }

    /// Adds a value to the existing values of `name`.
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
