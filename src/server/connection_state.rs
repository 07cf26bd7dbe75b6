//! Which layer handles a connection: the fast path alone, until a request needs hyper; then hyper
//! on top of the fast path.
//!
//! A connection that never needs hyper never allocates its buffers.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::AsyncWrite;

use super::fast_path::{FastPath, FastPathExit};
use super::request_handling::RequestHandling;
use super::socket::Socket;
use super::{Edge, Handler};

type HyperConnection<'a, H> =
    auto::Connection<'a, TokioIo<FastPath<H>>, RequestHandling<H>, TokioExecutor>;

/// The requests and responses of one connection.
pub(super) struct ConnectionState<'a, H: Handler> {
    edge: &'a Edge<H>,
    layer: ProtocolLayer<'a, H>,
    is_finishing: bool,
    /// Whether hyper was ordered to finish.
    is_hyper_finishing: bool,
}

enum ProtocolLayer<'a, H: Handler> {
    FastPath(Box<FastPath<H>>),
    Hyper(Pin<Box<HyperConnection<'a, H>>>),
    /// Everything is sent.
    Leaving(Box<FastPath<H>>),
    /// Placeholder while one handler replaces another.
    Switching,
}

impl<'a, H: Handler> ConnectionState<'a, H> {
    pub(super) fn new(socket: Socket, exchange: RequestHandling<H>, edge: &'a Edge<H>) -> Self {
        Self {
            edge,
            layer: ProtocolLayer::FastPath(Box::new(FastPath::new(socket, exchange))),
            is_finishing: false,
            is_hyper_finishing: false,
        }
    }

    /// Ends it when all requests received so far, even in part, have been handled.
    pub(super) fn finish(&mut self) {
        self.is_finishing = true;
    }

    /// Returns ready when the connection is closed.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Box<dyn Error + Send + Sync>>> {
        if let ProtocolLayer::FastPath(fast_path) = &mut self.layer {
            let exit = match fast_path.poll_answer(context) {
                Poll::Ready(exit) => exit?,
                Poll::Pending if self.is_finishing && !fast_path.is_writing() => fast_path.leave(),
                Poll::Pending => return Poll::Pending,
            };
            self.leave_fast_path(exit);
        }
        match &mut self.layer {
            ProtocolLayer::Hyper(hyper) => {
                if self.is_finishing && !self.is_hyper_finishing {
                    // A graceful shutdown drops unread requests, so hyper first reads what has
                    // already arrived.
                    if let Poll::Ready(end) = hyper.as_mut().poll(context) {
                        return Poll::Ready(end);
                    }
                    hyper.as_mut().graceful_shutdown();
                    self.is_hyper_finishing = true;
                }
                hyper.as_mut().poll(context)
            }
            ProtocolLayer::Leaving(socket) => {
                ready!(Pin::new(socket).poll_shutdown(context))?;
                Poll::Ready(Ok(()))
            }
            ProtocolLayer::FastPath(_) | ProtocolLayer::Switching => {
                unreachable!("invariant: the fast path has been left")
            }
        }
    }

    /// Replaces the fast path by hyper, or by the end of the connection.
    fn leave_fast_path(&mut self, left: FastPathExit) {
        let layer = std::mem::replace(&mut self.layer, ProtocolLayer::Switching);
        let ProtocolLayer::FastPath(fast_path) = layer else {
            return;
        };
        self.layer = match left {
            FastPathExit::End => ProtocolLayer::Leaving(fast_path),
            FastPathExit::Request => {
                let exchange = fast_path.exchange().clone();
                let io = TokioIo::new(*fast_path);
                let protocols = &self.edge.protocols;
                ProtocolLayer::Hyper(Box::pin(protocols.serve_connection(io, exchange)))
            }
        };
    }
}
