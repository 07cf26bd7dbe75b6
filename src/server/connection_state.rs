//! The layer that handles a connection: first the handshake, if TLS is used; then the fast path alone, until
//! a request needs hyper; then hyper on top of the fast path.
//!
//! A connection that never needs hyper never allocates its buffers.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::AsyncWrite;
use tokio_rustls::Accept;

use super::Handler;
use super::fast_path::{FastPath, FastPathExit};
use super::https::Scheme;
use super::request_handling::RequestHandling;
use super::socket::Socket;
use super::stream::Stream;
use crate::server::edge::Edge;

type HyperConnection<'a, H> =
    auto::Connection<'a, TokioIo<FastPath<H>>, RequestHandling<H>, TokioExecutor>;

/// The requests and responses of one connection.
pub(super) struct ConnectionState<'a, H: Handler> {
    edge: &'a Edge<H>,
    layer: ProtocolLayer<'a, H>,
    is_finishing: bool,
    /// True if hyper has been ordered to finish.
    is_hyper_finishing: bool,
}

enum ProtocolLayer<'a, H: Handler> {
    Handshake(Box<Accept<Socket>>, RequestHandling<H>),
    FastPath(Box<FastPath<H>>),
    Hyper(Pin<Box<HyperConnection<'a, H>>>),
    /// Everything has been sent.
    Leaving(Box<FastPath<H>>),
    /// Placeholder while one handler replaces another.
    Switching,
}

impl<'a, H: Handler> ConnectionState<'a, H> {
    pub(super) fn new(
        socket: Socket,
        scheme: Scheme,
        request_handling: RequestHandling<H>,
        edge: &'a Edge<H>,
    ) -> Self {
        let layer = match &edge.https {
            Some(https) if scheme == Scheme::Https => {
                let handshake = https.acceptor().accept(socket);
                ProtocolLayer::Handshake(Box::new(handshake), request_handling)
            }
            _ => {
                let stream = Stream::Plain(socket);
                ProtocolLayer::FastPath(Box::new(FastPath::new(stream, request_handling)))
            }
        };
        Self {
            edge,
            layer,
            is_finishing: false,
            is_hyper_finishing: false,
        }
    }

    /// Ends the connection when all requests that have been received, even in part, have been handled.
    pub(super) fn finish(&mut self) {
        self.is_finishing = true;
    }

    /// Returns ready when the connection is closed.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Box<dyn Error + Send + Sync>>> {
        if let ProtocolLayer::Handshake(handshake, _) = &mut self.layer {
            match Pin::new(handshake).poll(context) {
                Poll::Ready(stream) => self.leave_handshake(Stream::Tls(Box::new(stream?))),
                // During a handshake, no request can be lost.
                Poll::Pending if self.is_finishing => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
        if let ProtocolLayer::FastPath(fast_path) = &mut self.layer {
            let exit = match fast_path.poll_response(context) {
                Poll::Ready(exit) => exit?,
                // A response that is being written belongs to a request that was received, so it is
                // finished first.
                Poll::Pending if self.is_finishing && !fast_path.is_writing() => fast_path.leave(),
                Poll::Pending => return Poll::Pending,
            };
            self.leave_fast_path(exit);
        }
        match &mut self.layer {
            ProtocolLayer::Hyper(hyper) => {
                if self.is_finishing && !self.is_hyper_finishing {
                    // A graceful shutdown drops unread requests, so hyper first reads the bytes that have
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
            ProtocolLayer::Handshake(..)
            | ProtocolLayer::FastPath(_)
            | ProtocolLayer::Switching => {
                unreachable!("invariant: the fast path has been left")
            }
        }
    }

    /// Replaces the handshake by the fast path.
    fn leave_handshake(&mut self, stream: Stream) {
        // Taken out, because the stream moves from one layer to the next.
        let layer = std::mem::replace(&mut self.layer, ProtocolLayer::Switching);
        if let ProtocolLayer::Handshake(_, request_handling) = layer {
            // The bytes of the handshake are not part of a request.
            request_handling.activity().begin_requests();
            // A certificate authority that validates a name by TLS-ALPN only needs the handshake (RFC
            // 8737).
            let ends = stream.is_challenge();
            let fast_path = Box::new(FastPath::new(stream, request_handling));
            self.layer = if ends {
                ProtocolLayer::Leaving(fast_path)
            } else {
                ProtocolLayer::FastPath(fast_path)
            };
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
                let request_handling = fast_path.request_handling().clone();
                let io = TokioIo::new(*fast_path);
                let protocols = &self.edge.protocols;
                ProtocolLayer::Hyper(Box::pin(protocols.serve_connection(io, request_handling)))
            }
        };
    }
}
