//! Serves cached responses before hyper is involved.
//!
//! A cached response costs less than hyper's handling of the request. So plain HTTP/1.1 GETs are
//! parsed directly from the bytes read from the socket, and a cached response is written straight
//! back. Hyper is not even set up while a connection sends nothing else. The first other request
//! sets it up with this as the underlying socket, and hyper gets exactly the bytes of that request.
//! After its response has been sent, the next request is looked up here again. If the end of a
//! request cannot be determined (HTTP/2, chunked bodies, malformed header sections), hyper handles
//! the rest of the connection.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::api::response::{Body, Response};
use crate::api::sendfile_copy::SendfileCopy;

use super::activity::SendingGuard;
use super::request_framing::{self, Message};
use super::request_handling::RequestHandling;
use super::stream::Stream;
use super::{Handler, response_header};

/// Size of the read buffer, in bytes: as much as most clients send at a time.
const READ_BYTES: usize = 8 * 1024;

/// Maximum number of consecutive responses before other connections of the event loop get their
/// turn.
const RESPONSES_IN_A_ROW: usize = 32;

/// The stream of a connection without the requests that are served from the response cache.
pub(super) struct FastPath<H: Handler> {
    stream: Stream,
    request_handling: RequestHandling<H>,
    /// Bytes that were read and not yet consumed.
    inbox: Vec<u8>,
    /// The unsent part of the response that is being written.
    outbox: Outbox,
    stage: Stage,
    /// Number of requests passed to hyper.
    passed: u64,
}

/// The consumer of the client's next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No request has begun; the next byte begins one.
    Between,
    /// Hyper gets this many more bytes, the rest of one request.
    Passing(u64),
    /// Hyper has a complete request and is handling it.
    Responding {
        /// The response has been written.
        is_done: bool,
        /// Hyper was left pending although bytes are buffered.
        is_waiting: bool,
    },
    /// All following bytes go to hyper.
    HandedToHyper,
}

/// The reason why the fast path stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastPathExit {
    /// A request for hyper.
    Request,
    /// The end of the connection.
    End,
}

/// The result of parsing the first bytes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadResult {
    /// There is no complete header section yet.
    Incomplete,
    /// There is a response to write.
    Ready,
    /// The bytes go to hyper.
    ForHyper,
}

/// The unsent part of a body.
enum UnsentBody {
    Bytes(Bytes),
    Sendfile {
        copy: Arc<SendfileCopy>,
        written: usize,
    },
}

impl Default for UnsentBody {
    fn default() -> Self {
        UnsentBody::Bytes(Bytes::new())
    }
}

impl UnsentBody {
    /// Returns the body of a response that is in memory in the form for `stream`: sendfile is used
    /// only without TLS, because the kernel does not encrypt.
    fn of(response: &Response, stream: &Stream) -> Option<Self> {
        match &response.body {
            Body::Sendfile { copy, .. } if stream.plain().is_some() => Some(UnsentBody::Sendfile {
                copy: Arc::clone(copy),
                written: 0,
            }),
            Body::Bytes(bytes) | Body::Sendfile { bytes, .. } => {
                Some(UnsentBody::Bytes(bytes.clone()))
            }
            Body::Empty => Some(UnsentBody::default()),
            Body::File { .. } | Body::Later(_) | Body::Live(_) => None,
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            UnsentBody::Bytes(bytes) => bytes.is_empty(),
            UnsentBody::Sendfile { copy, written } => *written == copy.length(),
        }
    }

    fn advance(&mut self, bytes: usize) {
        match self {
            UnsentBody::Bytes(rest) => rest.advance(bytes),
            UnsentBody::Sendfile { written, .. } => *written += bytes,
        }
    }
}

#[derive(Default)]
struct Outbox {
    head: Vec<u8>,
    head_written: usize,
    body: UnsentBody,
    /// True if TLS may hold encrypted bytes that the socket has not accepted.
    is_unflushed: bool,
    /// Held while there is data to write.
    sending: Option<SendingGuard>,
}

impl Outbox {
    fn is_empty(&self) -> bool {
        self.head_written == self.head.len() && self.body.is_empty()
    }

    fn advance(&mut self, written: usize) {
        let of_head = written.min(self.head.len() - self.head_written);
        self.head_written += of_head;
        self.body.advance(written - of_head);
    }

    /// Writes as much as the stream accepts.
    fn poll_write(
        &mut self,
        stream: &mut Stream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let head = &self.head[self.head_written..];
        let written = ready!(match (&self.body, stream.plain()) {
            (UnsentBody::Sendfile { .. }, Some(socket)) if !head.is_empty() =>
                socket.poll_write_head(context, head),
            (UnsentBody::Sendfile { copy, written }, Some(socket)) =>
                socket.poll_write_copy(context, copy, *written),
            (UnsentBody::Sendfile { .. }, None) =>
                unreachable!("invariant: only sockets get kernel-side copies"),
            (UnsentBody::Bytes(bytes), _) => {
                let slices = [IoSlice::new(head), IoSlice::new(bytes)];
                Pin::new(stream).poll_write_vectored(context, &slices)
            }
        })?;
        if written == 0 {
            // Without an error, a stream that accepts nothing would keep this loop running forever.
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        self.advance(written);
        self.is_unflushed = true;
        Poll::Ready(Ok(()))
    }

    /// Returns ready when the socket has accepted all data.
    fn poll_send(
        &mut self,
        stream: &mut Stream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            ready!(self.poll_write(stream, context))?;
        }
        if self.is_unflushed {
            ready!(Pin::new(stream).poll_flush(context))?;
            self.is_unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl<H: Handler> FastPath<H> {
    pub(super) fn new(stream: Stream, request_handling: RequestHandling<H>) -> Self {
        Self {
            stream,
            request_handling,
            inbox: Vec::new(),
            outbox: Outbox::default(),
            stage: Stage::Between,
            passed: 0,
        }
    }

    /// Returns whether a response is being written.
    pub(super) fn is_writing(&self) -> bool {
        !self.outbox.is_empty() || self.outbox.is_unflushed
    }

    /// Stops serving: the buffered bytes and all that follow go to hyper.
    pub(super) fn leave(&mut self) -> FastPathExit {
        if self.inbox.is_empty() {
            return FastPathExit::End;
        }
        self.stage = Stage::HandedToHyper;
        FastPathExit::Request
    }

    /// Returns the handler of the connection's requests.
    pub(super) fn request_handling(&self) -> &RequestHandling<H> {
        &self.request_handling
    }

    /// Serves requests until one has to be passed on, the connection ends, or no more data is
    /// available.
    pub(super) fn poll_response(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<FastPathExit>> {
        for _ in 0..RESPONSES_IN_A_ROW {
            ready!(self.poll_write_out(context))?;
            match self.read_inbox() {
                ReadResult::Ready => continue,
                ReadResult::ForHyper => return Poll::Ready(Ok(FastPathExit::Request)),
                ReadResult::Incomplete => {}
            }
            if ready!(self.poll_read_more(context))? == 0 {
                // If the client disconnected within a request, hyper handles that.
                return Poll::Ready(Ok(self.leave()));
            }
        }
        // More data may be available, and no event announces it again, so the task is scheduled
        // once more.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reads the request at the start of the inbox: finds a response, or determines how much of the
    /// request hyper gets.
    fn read_inbox(&mut self) -> ReadResult {
        // Taken out so that the parsed request borrows the inbox instead of all of `self`.
        let mut inbox = std::mem::take(&mut self.inbox);
        let mut space = request_framing::field_space();
        let mut result = ReadResult::ForHyper;
        match request_framing::parse(&inbox, &mut space) {
            Message::Partial if inbox.len() <= self.request_handling.headers_bytes_max() => {
                result = ReadResult::Incomplete;
            }
            // A header section over the limit goes to hyper, which reads on and refuses it with a
            // response.
            Message::Partial | Message::Other => self.stage = Stage::HandedToHyper,
            Message::Complete(whole) => {
                let response = whole
                    .plain_get
                    .and_then(|target| self.request_handling.cached_response(target, whole.fields));
                let body = response.as_ref();
                let body = body.and_then(|response| UnsentBody::of(response, &self.stream));
                if let (Some(response), Some(body)) = (response, body) {
                    self.outbox.head.clear();
                    self.outbox.head_written = 0;
                    response_header::write(&response, &mut self.outbox.head);
                    self.outbox.body = body;
                    inbox.drain(..whole.head_bytes);
                    result = ReadResult::Ready;
                } else {
                    let head_bytes = whole.head_bytes as u64;
                    self.stage = Stage::Passing(head_bytes.saturating_add(whole.body_bytes));
                    // Counted here, because hyper reports a request as read only once it has parsed
                    // it.
                    self.passed += 1;
                }
            }
        }
        self.inbox = inbox;
        result
    }

    fn poll_write_out(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Poll::Ready(sent) = self.outbox.poll_send(&mut self.stream, context) else {
            let sending = &mut self.outbox.sending;
            // Marked only when the socket is full: most responses fit into its buffer and cost no
            // counter.
            sending.get_or_insert_with(|| self.request_handling.activity().sending());
            return Poll::Pending;
        };
        sent?;
        // Frees the memory of the last response while the connection is idle.
        self.outbox.body = UnsentBody::default();
        self.outbox.sending = None;
        Poll::Ready(Ok(()))
    }

    /// Reads available data into the inbox, and returns the number of bytes.
    fn poll_read_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // On the stack: an idle connection holds no read buffer.
        let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
        let mut bytes = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut bytes))?;
        self.inbox.extend_from_slice(bytes.filled());
        Poll::Ready(Ok(bytes.filled().len()))
    }

    /// Copies at most `bytes_max` bytes of the inbox to hyper, and returns their number.
    fn hand_over(&mut self, buffer: &mut ReadBuf<'_>, bytes_max: u64) -> u64 {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        let count = self.inbox.len().min(buffer.remaining()).min(bytes_max);
        buffer.put_slice(&self.inbox[..count]);
        self.inbox.drain(..count);
        count as u64
    }

    /// Passes hyper the next bytes of a request with `left` remaining bytes.
    fn poll_pass(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        left: u64,
    ) -> Poll<io::Result<()>> {
        // A larger buffer could receive bytes of the next request, which hyper must not get yet.
        let passed = if self.inbox.is_empty() && buffer.remaining() as u64 <= left {
            // Long bodies bypass the inbox.
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            (buffer.filled().len() - before) as u64
        } else {
            if self.inbox.is_empty() && ready!(self.poll_read_more(context))? == 0 {
                return Poll::Ready(Ok(()));
            }
            self.hand_over(buffer, left)
        };
        self.stage = match left - passed {
            0 => Stage::Responding {
                is_done: false,
                is_waiting: false,
            },
            left => Stage::Passing(left),
        };
        Poll::Ready(Ok(()))
    }
}

impl<H: Handler> AsyncRead for FastPath<H> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match this.stage {
                Stage::HandedToHyper if this.inbox.is_empty() => {
                    return Pin::new(&mut this.stream).poll_read(context, buffer);
                }
                Stage::HandedToHyper => {
                    this.hand_over(buffer, u64::MAX);
                    return Poll::Ready(Ok(()));
                }
                Stage::Passing(left) => return this.poll_pass(context, buffer, left),
                Stage::Responding { is_done: true, .. } => this.stage = Stage::Between,
                // Hyper reads here only to check that the client is still connected.
                Stage::Responding { .. } => {
                    if this.inbox.is_empty() && ready!(this.poll_read_more(context))? == 0 {
                        return Poll::Ready(Ok(()));
                    }
                    this.stage = Stage::Responding {
                        is_done: false,
                        is_waiting: true,
                    };
                    return Poll::Pending;
                }
                Stage::Between => {
                    if ready!(this.poll_response(context))? == FastPathExit::End {
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<H: Handler> AsyncWrite for FastPath<H> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        Pin::new(&mut this.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        Pin::new(&mut this.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Hyper flushes after it has written all its data: if that was the response, the next request
    /// begins.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        if let Stage::Responding {
            is_done: false,
            is_waiting,
        } = this.stage
            && this.request_handling.activity().has_responded(this.passed)
        {
            this.stage = Stage::Responding {
                is_done: true,
                is_waiting: false,
            };
            // A read above returned pending to hyper, which would otherwise not read the next
            // request.
            if is_waiting {
                context.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
