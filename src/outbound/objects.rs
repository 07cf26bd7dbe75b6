//! Requests to the object storage that the operator configured, for backups and uploads.
//!
//! Like downloads, these requests may go to any address, because the storage may be on a private
//! network. Redirects are not followed, because the signature of a request is valid for only one URL.
//! Each request runs on a separate thread, which is abandoned when the request is interrupted, so
//! that no storage delays the end of the process.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::SyncSender,
    },
    time::{Duration, Instant},
};

use ureq::{
    Agent, Body, SendBody,
    http::{HeaderMap, HeaderName, Request, Response, header},
};
use url::Url;

use super::USER_AGENT;
use crate::interruption::{Ended, Interruption, Results};

/// Maximum time to connect, to send a part, and until the response begins: joining the parts of a
/// large object takes minutes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const SEND_TIMEOUT: Duration = Duration::from_secs(900);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(300);

/// Maximum time for reading an object.
const BODY_TIMEOUT: Duration = Duration::from_secs(4 * 3600);

/// Maximum time without a byte of the body.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// The same limits for requests that a client waits for.
const SHORT_CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const SHORT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
const SHORT_BODY_TIMEOUT: Duration = Duration::from_secs(900);
const SHORT_SILENCE_MAX: Duration = Duration::from_secs(15);

/// Size of a received chunk of a body, in bytes, and the number of chunks that are buffered for the
/// reader.
const CHUNK_BYTES: usize = 64 << 10;
const CHUNKS_WAITING: usize = 4;

/// Header field with the encryption of an object, if it is encrypted.
const ENCRYPTION: HeaderName = HeaderName::from_static("x-amz-server-side-encryption");

/// The encryption for which an entity tag is still the MD5 of the content.
const PLAIN_ENCRYPTION: &[u8] = b"AES256";

/// Header field of encryption with a key provided by the client.
const CLIENT_ENCRYPTION: HeaderName =
    HeaderName::from_static("x-amz-server-side-encryption-customer-algorithm");

/// A response of the storage.
pub struct ObjectResponse {
    /// The status.
    pub status: u16,
    /// The entity tag, if there is one.
    pub etag: Option<String>,
    /// The length of the body, if the storage reports it.
    pub bytes: Option<u64>,
    /// True if the body is compressed, or has a different content encoding.
    pub is_encoded: bool,
    /// True if the storage has encrypted the object in such a way that its entity tag is not a hash
    /// of its content.
    pub is_encrypted: bool,
    /// The body.
    pub body: ObjectReader,
}

/// The body of a request.
pub enum ObjectBody<'a> {
    /// A text.
    Text(&'a str),
    /// A part of a file.
    Part {
        /// The file.
        file: &'a File,
        /// Its offset.
        start: u64,
        /// Its length in bytes.
        bytes: u64,
        /// Called with the number of bytes of the part that were sent; cancels the request by
        /// returning an error.
        advance: &'a dyn Fn(u64) -> Result<(), Cancelled>,
    },
}

/// A request was cancelled by the caller.
#[derive(Clone, Copy, Debug)]
pub struct Cancelled;

/// The reason why a request has no response.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The request failed.
    #[error(transparent)]
    Failed(#[from] ureq::Error),
    /// A file or a thread cannot be used.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The request was interrupted, or took too long.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The caller cancelled the request.
    #[error("cancelled")]
    Cancelled,
}

impl From<Cancelled> for ObjectError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// An HTTP client for object storage.
#[derive(Clone, Debug)]
pub struct ObjectClient {
    agent: Agent,
    interruption: Interruption,
    response: Duration,
    silence: Duration,
}

impl Default for ObjectClient {
    fn default() -> Self {
        let client = Self::with_timeouts(CONNECT_TIMEOUT, RESPONSE_TIMEOUT, BODY_TIMEOUT);
        Self {
            silence: SILENCE_MAX,
            ..client
        }
    }
}

impl ObjectClient {
    /// Returns a client whose requests fail soon if the storage does not respond.
    pub fn impatient(self) -> Self {
        let client = Self::with_timeouts(
            SHORT_CONNECT_TIMEOUT,
            SHORT_RESPONSE_TIMEOUT,
            SHORT_BODY_TIMEOUT,
        );
        Self {
            interruption: self.interruption,
            ..client
        }
    }

    /// Returns the same client with requests that `interruption` ends.
    pub fn with_interruption(self, interruption: Interruption) -> Self {
        Self {
            interruption,
            ..self
        }
    }

    /// Returns the interruption that ends the client's requests.
    pub fn interruption(&self) -> &Interruption {
        &self.interruption
    }

    fn with_timeouts(connect: Duration, response: Duration, body: Duration) -> Self {
        let config = Agent::config_builder()
            .user_agent(USER_AGENT)
            .http_status_as_error(false)
            .max_redirects(0)
            // The status of a redirect is returned, so that its error names the region or the
            // endpoint to use.
            .max_redirects_will_error(false)
            .timeout_connect(Some(connect))
            .timeout_send_body(Some(SEND_TIMEOUT))
            .timeout_recv_response(Some(response))
            .timeout_recv_body(Some(body))
            .build();
        Self {
            agent: Agent::new_with_config(config),
            interruption: Interruption::default(),
            // Includes the time for resolving names and for sending a part.
            response: 2 * connect + SEND_TIMEOUT + response,
            silence: SHORT_SILENCE_MAX,
        }
    }

    /// Sends a request and returns the response with any status.
    ///
    /// # Errors
    ///
    /// If there is no response, the request is interrupted, or the caller cancels it.
    pub fn send(
        &self,
        method: &str,
        url: &Url,
        body: Option<ObjectBody<'_>>,
    ) -> Result<ObjectResponse, ObjectError> {
        let request = Request::builder().method(method).uri(url.as_str());
        let agent = self.agent.clone();
        let sent = Arc::<Sent>::default();
        let (work, advance): (
            Box<dyn FnOnce() -> RequestResult + Send>,
            Option<Advance<'_>>,
        ) = match body {
            None => {
                let request = request.body(()).map_err(ureq::Error::from)?;
                (Box::new(move || agent.run(request)), None)
            }
            Some(ObjectBody::Text(text)) => {
                let request = request.body(text.to_owned()).map_err(ureq::Error::from)?;
                (Box::new(move || agent.run(request)), None)
            }
            Some(ObjectBody::Part {
                file,
                start,
                bytes,
                advance,
            }) => {
                // Without a length, the body would be sent in chunks, which S3 refuses.
                let request = request.header(header::CONTENT_LENGTH, bytes);
                let part = PartReader {
                    // A separate handle, because an abandoned thread may read after this function
                    // has returned.
                    file: file.try_clone()?,
                    position: start,
                    end: start + bytes,
                    sent: Arc::clone(&sent),
                };
                let request = move || request.body(SendBody::from_owned_reader(part));
                (Box::new(move || agent.run(request()?)), Some(advance))
            }
        };
        let pieces = self
            .interruption
            .start("bucket", CHUNKS_WAITING, |pieces| {
                pass_response(work(), pieces);
            })?;
        let first = pieces.next::<ObjectError>(self.response, || match advance {
            // Relaxed here and below: a counter and a flag that guard no other data.
            Some(advance) => Ok(advance(sent.bytes.load(Ordering::Relaxed))?),
            None => Ok(()),
        });
        if first.is_err() {
            // The thread cannot be stopped, but its next read of the body fails, which ends the
            // request.
            sent.is_cancelled.store(true, Ordering::Relaxed);
        }
        match first? {
            Piece::Head(head) => Ok(response(&head, self.reader(pieces, &head))),
            Piece::Failed(error) => Err(error.into()),
            Piece::Chunk(_) | Piece::Unreadable(_) | Piece::End => Err(Ended::Broken.into()),
        }
    }

    fn reader(&self, pieces: Results<Piece>, head: &Response<()>) -> ObjectReader {
        ObjectReader {
            pieces,
            chunk: Vec::new(),
            start: 0,
            missing: length(head.headers()),
            has_ended: false,
            silence: self.silence,
            until: None,
        }
    }
}

type RequestResult = Result<Response<Body>, ureq::Error>;
type Advance<'a> = &'a dyn Fn(u64) -> Result<(), Cancelled>;

/// A piece of a response.
enum Piece {
    Head(Box<Response<()>>),
    Chunk(Vec<u8>),
    End,
    Failed(ureq::Error),
    Unreadable(io::Error),
}

/// Passes on the parts of a response until the receiver is dropped.
fn pass_response(result: RequestResult, pieces: &SyncSender<Piece>) {
    let (head, body) = match result {
        Ok(response) => response.into_parts(),
        Err(error) => return drop(pieces.send(Piece::Failed(error))),
    };
    let head = Box::new(Response::from_parts(head, ()));
    if pieces.send(Piece::Head(head)).is_err() {
        return;
    }
    let mut body = body.into_reader();
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let piece = match body.read(&mut chunk) {
            Ok(0) => Piece::End,
            Ok(count) => {
                chunk.truncate(count);
                Piece::Chunk(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Piece::Unreadable(error),
        };
        let is_last = !matches!(piece, Piece::Chunk(_));
        // The channel is bounded, so a slow reader slows down the connection instead of filling the
        // memory.
        if pieces.send(piece).is_err() || is_last {
            return;
        }
    }
}

fn response(head: &Response<()>, body: ObjectReader) -> ObjectResponse {
    let headers = head.headers();
    let text = |name: HeaderName| {
        let value = headers.get(name);
        value.and_then(|value| value.to_str().ok())
    };
    let encryption = headers.get(ENCRYPTION);
    let has_hidden_hash = encryption.is_some_and(|value| value.as_bytes() != PLAIN_ENCRYPTION);
    ObjectResponse {
        status: head.status().as_u16(),
        etag: text(header::ETAG).map(str::to_owned),
        bytes: length(headers),
        is_encoded: text(header::CONTENT_ENCODING).is_some_and(|encoding| {
            let encoding = encoding.trim();
            // Clients for S3 that sign chunks leave a marker there.
            !matches!(encoding, "" | "identity" | "aws-chunked")
        }),
        is_encrypted: has_hidden_hash || headers.contains_key(CLIENT_ENCRYPTION),
        body,
    }
}

fn length(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

/// The body of a response. Reading fails if the storage is silent or sends less than announced, or if
/// the request is interrupted.
pub struct ObjectReader {
    pieces: Results<Piece>,
    chunk: Vec<u8>,
    /// The offset of the unread part of the chunk.
    start: usize,
    /// The number of remaining bytes, if the storage reported the length.
    missing: Option<u64>,
    has_ended: bool,
    silence: Duration,
    until: Option<Instant>,
}

impl ObjectReader {
    /// Returns the same body with a time limit for reading all of it.
    pub fn within(self, time: Duration) -> Self {
        Self {
            until: Some(Instant::now() + time),
            ..self
        }
    }

    fn next_piece(&self) -> io::Result<Piece> {
        let remaining = self.until.map_or(self.silence, |until| {
            until.saturating_duration_since(Instant::now())
        });
        self.pieces.next(remaining.min(self.silence), || Ok(()))
    }
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.start == self.chunk.len() && !self.has_ended {
            match self.next_piece()? {
                Piece::Chunk(chunk) => {
                    let count = chunk.len() as u64;
                    self.missing = self.missing.map(|missing| missing.saturating_sub(count));
                    (self.chunk, self.start) = (chunk, 0);
                }
                Piece::End if self.missing.is_some_and(|missing| missing > 0) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Piece::End => self.has_ended = true,
                Piece::Unreadable(error) => return Err(error),
                Piece::Head(_) | Piece::Failed(_) => return Err(Ended::Broken.into()),
            }
        }
        let rest = &self.chunk[self.start..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.start += count;
        Ok(count)
    }
}

/// The number of sent bytes of a part, and whether sending must end.
#[derive(Default)]
struct Sent {
    bytes: AtomicU64,
    is_cancelled: AtomicBool,
}

/// The content of a part of a file. Several requests may read it.
struct PartReader {
    file: File,
    position: u64,
    end: u64,
    sent: Arc<Sent>,
}

impl Read for PartReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.sent.is_cancelled.load(Ordering::Relaxed) {
            return Err(io::Error::other("cancelled"));
        }
        let wanted = (self.end - self.position).min(buffer.len() as u64);
        // At most the length of the buffer.
        let count = self
            .file
            .read_at(&mut buffer[..wanted as usize], self.position)?;
        if count == 0 && wanted > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position += count as u64;
        self.sent.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
