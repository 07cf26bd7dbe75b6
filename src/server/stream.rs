//! The transport of a connection: a socket, or TLS on top of a socket.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

use crate::certificates::Certificates;

use super::socket::Socket;

/// The stream of one connection.
pub(super) enum Stream {
    Plain(Socket),
    /// TLS on top of the socket, so timeouts and metrics count encrypted bytes.
    Tls(Box<TlsStream<Socket>>),
}

impl Stream {
    /// Returns the socket, if bytes written to it reach the client unchanged.
    pub(super) fn plain(&self) -> Option<&Socket> {
        match self {
            Stream::Plain(socket) => Some(socket),
            Stream::Tls(_) => None,
        }
    }

    /// Returns whether this is a connection of a certificate authority that validates a name.
    pub(super) fn is_challenge(&self) -> bool {
        match self {
            Stream::Plain(_) => false,
            Stream::Tls(stream) => Certificates::is_challenge(stream.get_ref().1.alpn_protocol()),
        }
    }
}

/// Calls a method of the inner stream.
macro_rules! inner {
    ($stream:expr, $method:ident($($argument:expr),*)) => {
        match $stream.get_mut() {
            Stream::Plain(socket) => Pin::new(socket).$method($($argument),*),
            Stream::Tls(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        inner!(self, poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        inner!(self, poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        inner!(self, poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Stream::Plain(socket) => socket.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        inner!(self, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        inner!(self, poll_shutdown(context))
    }
}
