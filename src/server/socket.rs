//! A TCP stream that counts its bytes and closes without losing the last response.
//!
//! When a socket with unread bytes is closed, the kernel resets the connection, and the client may
//! lose a response that it received while it was still sending (413, 431). So such a socket is
//! drained first, up to the amount that a client can have in flight.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustix::net::{SendFlags, send};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::api::sendfile_copy::SendfileCopy;

use super::activity::Activity;
use super::busy_poll::BusyPoll;
use super::http_metrics::LocalCounters;

/// Maximum number of bytes that are read only to be discarded: a little more than the longest
/// accepted JSON, so that a client that sends too much receives the reason.
const LINGER_BYTES: usize = 56 * 1024 * 1024;

/// The socket of one connection.
pub(super) struct Socket {
    stream: TcpStream,
    activity: Arc<Activity>,
    counters: LocalCounters,
    busy_poll: Arc<BusyPoll>,
    shut: bool,
    discarded: usize,
}

impl Socket {
    pub(super) fn new(
        stream: TcpStream,
        activity: Arc<Activity>,
        counters: LocalCounters,
        busy_poll: Arc<BusyPoll>,
    ) -> Self {
        Socket {
            stream,
            activity,
            counters,
            busy_poll,
            shut: false,
            discarded: 0,
        }
    }

    /// Writes the header section of a response with `MSG_MORE`: the kernel holds it back for the
    /// bytes of `copy` that follow.
    pub(super) fn poll_write_head(
        &self,
        context: &mut Context<'_>,
        head: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(context, || Ok(send(&self.stream, head, SendFlags::MORE)?))
    }

    /// Sends the bytes of `copy` after the first `from`.
    pub(super) fn poll_write_copy(
        &self,
        context: &mut Context<'_>,
        copy: &SendfileCopy,
        from: usize,
    ) -> Poll<io::Result<usize>> {
        self.poll_send(context, || copy.send(&self.stream, from))
    }

    fn poll_send(
        &self,
        context: &mut Context<'_>,
        mut send: impl FnMut() -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream.poll_write_ready(context))?;
            match self.stream.try_io(Interest::WRITABLE, &mut send) {
                // `try_io` has cleared the readiness, so the loop waits for the next event.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                sent => {
                    let sent = sent?;
                    self.wrote(sent);
                    return Poll::Ready(Ok(sent));
                }
            }
        }
    }

    fn wrote(&self, bytes: usize) {
        self.activity.wrote(bytes);
        self.counters.sent(bytes);
    }

    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0; 8 * 1024];
        while self.discarded < LINGER_BYTES {
            let mut buffer = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            match buffer.filled().len() {
                0 => break,
                bytes => self.discarded += bytes,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.activity.read(buffer.filled().len() - before);
        // The address is unique among open connections and costs no counter.
        self.busy_poll
            .record_arrival(Arc::as_ptr(&self.activity).addr());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.wrote(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, slices))?;
        self.wrote(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The write half is closed first, which shows the client that the response is complete.
        if !self.shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.shut = true;
        }
        if self.activity.client_may_be_sending() {
            self.activity.linger();
            ready!(self.poll_drain(context))?;
        }
        Poll::Ready(Ok(()))
    }
}
