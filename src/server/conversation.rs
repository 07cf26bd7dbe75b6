//! Who speaks on a connection: the fast path alone, until a request needs hyper; then hyper, above the fast path.
//!
//! A connection that never needs hyper never pays for its buffers.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::AsyncWrite;

use super::exchange::Exchange;
use super::fast_path::{FastPath, Left};
use super::socket::Socket;
use super::{Edge, Handler};

type Hyper<'a, H> = auto::Connection<'a, TokioIo<FastPath<H>>, Exchange<H>, TokioExecutor>;

/// The requests and answers of one connection.
pub(super) struct Conversation<'a, H: Handler> {
    edge: &'a Edge<H>,
    speaker: Speaker<'a, H>,
    is_finishing: bool,
    /// Hyper knows that it is.
    is_hyper_told: bool,
}

enum Speaker<'a, H: Handler> {
    FastPath(Box<FastPath<H>>),
    Hyper(Pin<Box<Hyper<'a, H>>>),
    /// All is said.
    Leaving(Box<FastPath<H>>),
    /// Between two of the others.
    Nobody,
}

impl<'a, H: Handler> Conversation<'a, H> {
    pub(super) fn new(socket: Socket, exchange: Exchange<H>, edge: &'a Edge<H>) -> Self {
        Self {
            edge,
            speaker: Speaker::FastPath(Box::new(FastPath::new(socket, exchange))),
            is_finishing: false,
            is_hyper_told: false,
        }
    }

    /// Ends it when what has been asked, or begun to be asked, is answered.
    pub(super) fn finish(&mut self) {
        self.is_finishing = true;
    }

    /// Ready when the connection is closed.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Box<dyn Error + Send + Sync>>> {
        if let Speaker::FastPath(fast_path) = &mut self.speaker {
            let left = match fast_path.poll_answer(context) {
                Poll::Ready(left) => left?,
                Poll::Pending if self.is_finishing && !fast_path.is_writing() => fast_path.leave(),
                Poll::Pending => return Poll::Pending,
            };
            self.go_on(left);
        }
        match &mut self.speaker {
            Speaker::Hyper(hyper) => {
                if self.is_finishing && !self.is_hyper_told {
                    // It finishes what it has begun to read, so it has to look at what there is.
                    if let Poll::Ready(end) = hyper.as_mut().poll(context) {
                        return Poll::Ready(end);
                    }
                    hyper.as_mut().graceful_shutdown();
                    self.is_hyper_told = true;
                }
                hyper.as_mut().poll(context)
            }
            Speaker::Leaving(socket) => {
                ready!(Pin::new(socket).poll_shutdown(context))?;
                Poll::Ready(Ok(()))
            }
            Speaker::FastPath(_) | Speaker::Nobody => {
                unreachable!("invariant: the fast path has been left")
            }
        }
    }

    /// Leaves the fast path.
    fn go_on(&mut self, left: Left) {
        let speaker = std::mem::replace(&mut self.speaker, Speaker::Nobody);
        let Speaker::FastPath(fast_path) = speaker else {
            return;
        };
        self.speaker = match left {
            Left::End => Speaker::Leaving(fast_path),
            Left::Request => {
                let exchange = fast_path.exchange().clone();
                let io = TokioIo::new(*fast_path);
                let protocols = &self.edge.protocols;
                Speaker::Hyper(Box::pin(protocols.serve_connection(io, exchange)))
            }
        };
    }
}
