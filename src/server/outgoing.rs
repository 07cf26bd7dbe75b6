//! A response in hyper's form: complete header fields, and the body as chunks.
//!
//! Bytes in memory are sent without a copy. A file is read one chunk at a time, and the next chunk
//! only when hyper requests it, so a slow client needs the memory of a single chunk.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::header::{CONTENT_LENGTH, SERVER};
use http::{HeaderValue, Method, StatusCode};
use hyper::body::{Frame, SizeHint};

use crate::api::request::RequestHead;
use crate::api::response::{Body, Response};

use super::activity::SendingGuard;
use super::chunks::FileChunks;
use super::streaming;

/// The name and version of the program. The version differs from that of the API.
pub(super) const PROGRAM: HeaderValue =
    HeaderValue::from_static(concat!("Galley/", env!("CARGO_PKG_VERSION")));

/// Returns the response in hyper's form; hyper adds `date` and `content-length`.
pub(super) fn assemble(
    head: RequestHead,
    response: Response,
    live: Option<streaming::StreamChunks>,
    sending: SendingGuard,
) -> http::Response<OutgoingBody> {
    // The map of the request is reused here, and by hyper for the next request, so no memory is
    // allocated for either.
    let mut headers = head.headers;
    headers.clear();
    headers.extend(response.headers.iter().cloned());
    headers.insert(SERVER, PROGRAM);
    let mut body = response.body;
    if head.method == Method::HEAD {
        if !is_without_content(response.status) && !matches!(body, Body::Live(_)) {
            // The length of the response to a GET (RFC 9110, section 8.6); hyper sees an empty
            // body.
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.length()));
        }
        body = Body::Empty;
    }
    let outgoing = match live {
        Some(pieces) => OutgoingBody::live(pieces),
        None => OutgoingBody::new(body, sending),
    };
    let mut outgoing_response = http::Response::new(outgoing);
    *outgoing_response.status_mut() = response.status;
    *outgoing_response.headers_mut() = headers;
    outgoing_response
}

/// Returns whether responses with this status never have a body and therefore no `content-length`.
pub(super) fn is_without_content(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// The body of a response that is being sent.
pub(super) struct OutgoingBody {
    content: OutgoingContent,
    /// Held until the last chunk has been sent.
    sending: Option<SendingGuard>,
}

enum OutgoingContent {
    Nothing,
    Bytes(Bytes),
    Pieces(FileChunks),
    Live(streaming::StreamChunks),
}

impl OutgoingBody {
    /// Returns a streaming body, which counts as being sent only while there is a chunk to send.
    fn live(pieces: streaming::StreamChunks) -> Self {
        OutgoingBody {
            content: OutgoingContent::Live(pieces),
            sending: None,
        }
    }

    fn new(body: Body, sending: SendingGuard) -> Self {
        let content = match body {
            Body::Bytes(bytes) | Body::Sendfile { bytes, .. } if !bytes.is_empty() => {
                OutgoingContent::Bytes(bytes)
            }
            Body::File { file, range } if !range.is_empty() => {
                OutgoingContent::Pieces(FileChunks::new(file, range))
            }
            _ => OutgoingContent::Nothing,
        };
        OutgoingBody {
            content,
            sending: Some(sending),
        }
    }
}

impl hyper::body::Body for OutgoingBody {
    type Data = Chunk;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Chunk>>>> {
        let bytes = match &mut self.content {
            OutgoingContent::Nothing => return Poll::Ready(None),
            OutgoingContent::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                self.content = OutgoingContent::Nothing;
                bytes
            }
            OutgoingContent::Pieces(pieces) => {
                let piece = ready!(pieces.poll_next(context))?;
                if pieces.remaining() == 0 {
                    self.content = OutgoingContent::Nothing;
                }
                piece
            }
            OutgoingContent::Live(pieces) => {
                let Some(bytes) = ready!(pieces.poll_next(context)) else {
                    self.content = OutgoingContent::Nothing;
                    return Poll::Ready(None);
                };
                let sending = Some(pieces.sending());
                return Poll::Ready(Some(Ok(Frame::data(Chunk {
                    bytes,
                    _sending: sending,
                }))));
            }
        };
        // Moved into the last chunk: the response counts as being sent until hyper has written it.
        let sending = if self.is_end_stream() {
            self.sending.take()
        } else {
            self.sending.clone()
        };
        Poll::Ready(Some(Ok(Frame::data(Chunk {
            bytes,
            _sending: sending,
        }))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.content, OutgoingContent::Nothing)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            OutgoingContent::Nothing => SizeHint::with_exact(0),
            OutgoingContent::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            OutgoingContent::Pieces(pieces) => SizeHint::with_exact(pieces.remaining()),
            OutgoingContent::Live(_) => SizeHint::default(),
        }
    }
}

/// Bytes that hyper has not written yet. While any exist, the connection is in the sending phase.
pub(super) struct Chunk {
    bytes: Bytes,
    _sending: Option<SendingGuard>,
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}
