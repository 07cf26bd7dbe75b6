//! What memory can answer, answered before hyper is asked.
//!
//! A finished answer costs less than hyper's way to it. So plain GETs of HTTP/1.1 are looked up as they lie in the
//! socket's bytes, and what is found is written straight back; hyper is not even there while a connection asks for nothing
//! else. The first other request brings it in, with this as the socket below it, and gets exactly the bytes of that
//! request. What follows is looked at here again when its answer has left. Where the end of a request cannot be told
//! (HTTP/2, bodies in chunks, broken heads) hyper has the connection from there on.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::api::response::Body;

use super::activity::Sending;
use super::exchange::Exchange;
use super::message::{self, Message};
use super::socket::Socket;
use super::{Handler, answer_head};

/// Bytes that are read at once: as much as most clients send of requests in one piece.
const READ_BYTES: usize = 8 * 1024;

/// Answers after which other connections of the event loop have their turn.
const ANSWERS_IN_A_ROW: usize = 32;

/// The socket of a connection, with the requests taken out that memory can answer.
pub(super) struct FastPath<H> {
    socket: Socket,
    exchange: Exchange<H>,
    /// Bytes that were read and that nobody has had yet.
    inbox: Vec<u8>,
    /// Of the answer that is being written, what has not been taken yet.
    outbox: Outbox,
    stage: Stage,
    /// Requests that hyper had from here.
    passed: u64,
}

/// Who the next byte of the client is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A request begins here.
    Between,
    /// Hyper gets so many bytes more: the rest of one request.
    Passing(u64),
    /// Hyper has a whole request and answers it.
    Answering {
        /// The answer has left.
        is_done: bool,
        /// Hyper was told to wait for bytes that are there.
        is_waiting: bool,
    },
    /// All that follows is hyper's.
    Hypers,
}

/// What a client sent that cannot be answered here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Something for hyper.
    Request,
    /// The end.
    End,
}

/// What became of the bytes that a request begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// There is no whole head yet.
    Nothing,
    /// There is an answer to be written.
    Answer,
    /// Hyper gets them.
    Passed,
}

#[derive(Default)]
struct Outbox {
    head: Vec<u8>,
    head_written: usize,
    body: Bytes,
    /// Held while there is something to write.
    sending: Option<Sending>,
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
}

impl<H: Handler> FastPath<H> {
    pub(super) fn new(socket: Socket, exchange: Exchange<H>) -> Self {
        Self {
            socket,
            exchange,
            inbox: Vec::new(),
            outbox: Outbox::default(),
            stage: Stage::Between,
            passed: 0,
        }
    }

    /// Whether an answer is on its way out.
    pub(super) fn is_writing(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Answers nothing more: what has come of a request, and all that follows, is hyper's.
    pub(super) fn leave(&mut self) -> Left {
        if self.inbox.is_empty() {
            return Left::End;
        }
        self.stage = Stage::Hypers;
        Left::Request
    }

    /// What answers the requests of the connection.
    pub(super) fn exchange(&self) -> &Exchange<H> {
        &self.exchange
    }

    /// Answers requests until there is one that has to be passed on, the end, or nothing more to read.
    pub(super) fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Left>> {
        for _ in 0..ANSWERS_IN_A_ROW {
            ready!(self.poll_write_out(context))?;
            match self.look() {
                Found::Answer => continue,
                Found::Passed => return Poll::Ready(Ok(Left::Request)),
                Found::Nothing => {}
            }
            if ready!(self.poll_read_more(context))? == 0 {
                // If the client broke off in a request, hyper knows what to say.
                return Poll::Ready(Ok(self.leave()));
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Looks at the request that begins in the inbox: has an answer to it, or says how much of it hyper gets.
    fn look(&mut self) -> Found {
        let mut inbox = std::mem::take(&mut self.inbox);
        let mut space = message::field_space();
        let mut found = Found::Passed;
        match message::look(&inbox, &mut space) {
            Message::Partial if inbox.len() <= self.exchange.headers_bytes_max() => {
                found = Found::Nothing;
            }
            Message::Partial | Message::Other => self.stage = Stage::Hypers,
            Message::Whole(whole) => {
                let is_answered = whole
                    .plain_get
                    .is_some_and(|target| self.answer(target, whole.fields));
                if is_answered {
                    inbox.drain(..whole.head_bytes);
                    found = Found::Answer;
                } else {
                    let head_bytes = whole.head_bytes as u64;
                    self.stage = Stage::Passing(head_bytes.saturating_add(whole.body_bytes));
                    self.passed += 1;
                }
            }
        }
        self.inbox = inbox;
        found
    }

    /// Begins to answer a GET, if its answer is finished.
    fn answer(&mut self, target: &str, fields: &[httparse::Header]) -> bool {
        let Some(response) = self.exchange.answer_at_once(target, fields) else {
            return false;
        };
        self.outbox.body = match &response.body {
            Body::Bytes(bytes) => bytes.clone(),
            Body::Empty => Bytes::new(),
            Body::File { .. } | Body::Later(_) | Body::Live(_) => return false,
        };
        self.outbox.head.clear();
        self.outbox.head_written = 0;
        answer_head::write(&response, &mut self.outbox.head);
        true
    }

    fn poll_write_out(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outbox.is_empty() {
            let head = IoSlice::new(&self.outbox.head[self.outbox.head_written..]);
            let slices = [head, IoSlice::new(&self.outbox.body)];
            let writing = Pin::new(&mut self.socket).poll_write_vectored(context, &slices);
            let Poll::Ready(written) = writing else {
                let sending = &mut self.outbox.sending;
                sending.get_or_insert_with(|| self.exchange.activity().sending());
                return Poll::Pending;
            };
            let written = written?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.outbox.advance(written);
        }
        self.outbox.sending = None;
        Poll::Ready(Ok(()))
    }

    /// Reads what has come into the inbox, and tells how many bytes that were.
    fn poll_read_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut space = [const { MaybeUninit::uninit() }; READ_BYTES];
        let mut bytes = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.socket).poll_read(context, &mut bytes))?;
        self.inbox.extend_from_slice(bytes.filled());
        Poll::Ready(Ok(bytes.filled().len()))
    }

    /// Gives hyper `bytes_max` bytes at most of what is in the inbox, and tells how many.
    fn hand_over(&mut self, buffer: &mut ReadBuf<'_>, bytes_max: u64) -> u64 {
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        let count = self.inbox.len().min(buffer.remaining()).min(bytes_max);
        buffer.put_slice(&self.inbox[..count]);
        self.inbox.drain(..count);
        count as u64
    }

    /// Hyper reads on in a request that is `left` bytes long from here.
    fn poll_pass(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        left: u64,
    ) -> Poll<io::Result<()>> {
        let passed = if self.inbox.is_empty() && buffer.remaining() as u64 <= left {
            // Long bodies need not come by the inbox.
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.socket).poll_read(context, buffer))?;
            (buffer.filled().len() - before) as u64
        } else {
            if self.inbox.is_empty() && ready!(self.poll_read_more(context))? == 0 {
                return Poll::Ready(Ok(()));
            }
            self.hand_over(buffer, left)
        };
        self.stage = match left - passed {
            0 => Stage::Answering {
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
                Stage::Hypers if this.inbox.is_empty() => {
                    return Pin::new(&mut this.socket).poll_read(context, buffer);
                }
                Stage::Hypers => {
                    this.hand_over(buffer, u64::MAX);
                    return Poll::Ready(Ok(()));
                }
                Stage::Passing(left) => return this.poll_pass(context, buffer, left),
                Stage::Answering { is_done: true, .. } => this.stage = Stage::Between,
                // Hyper wants to know whether the client is still there.
                Stage::Answering { .. } => {
                    if this.inbox.is_empty() && ready!(this.poll_read_more(context))? == 0 {
                        return Poll::Ready(Ok(()));
                    }
                    this.stage = Stage::Answering {
                        is_done: false,
                        is_waiting: true,
                    };
                    return Poll::Pending;
                }
                Stage::Between => {
                    if ready!(this.poll_answer(context))? == Left::End {
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
        Pin::new(&mut this.socket).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        Pin::new(&mut this.socket).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    /// Hyper flushes when it has written all that it has: if that was the answer, the next request begins.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        ready!(Pin::new(&mut this.socket).poll_flush(context))?;
        if let Stage::Answering {
            is_done: false,
            is_waiting,
        } = this.stage
            && this.exchange.activity().has_answered(this.passed)
        {
            this.stage = Stage::Answering {
                is_done: true,
                is_waiting: false,
            };
            if is_waiting {
                context.waker().wake_by_ref();
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_write_out(context))?;
        Pin::new(&mut this.socket).poll_shutdown(context)
    }
}
