//! One connection from accept to close: HTTP/1.1 or, when the client starts with its preface, HTTP/2,
//! over TCP or TLS.
//!
//! The conversation speaks the protocol; this module decides when to stop: on an external order or
//! when the watchdog reports a timeout. It measures no time itself and knows no request.

use std::future::poll_fn;
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;
use std::task::Poll;

use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto;
use tracing::debug;

use super::connection_state::ConnectionState;
use super::connections::{ConnectionOrder, ConnectionSlot};
use super::https::Scheme;
use super::limits::Limits;
use super::request_handling::RequestHandling;
use super::socket::Socket;
use super::watchdog::Watchdog;
use super::{Edge, Handler, LoopHandle};

/// Bytes of one HTTP/2 request body, and of all on one connection, that may be in flight unread.
const HTTP2_STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 512 * 1024;

/// Bytes of one HTTP/2 response that are read from a file before the client has received them.
const HTTP2_SEND_BYTES: usize = 64 * 1024;

/// Resets that an HTTP/2 client may provoke by protocol errors before its connection is closed.
const HTTP2_ERRORS_MAX: usize = 100;

/// Returns the two protocols with the limits that hyper enforces.
///
/// Its timeouts stay off: they would set up and remove a timer for each request.
pub(super) fn protocols(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut protocols = auto::Builder::new(TokioExecutor::new());
    protocols.http1().max_buf_size(limits.head_bytes_max());
    protocols
        .http2()
        .max_header_list_size(u32::try_from(limits.head_bytes_max()).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.http2_streams_max)
        // Against rapid resets (CVE-2023-44487).
        .max_pending_accept_reset_streams(limits.http2_resets_max)
        .max_local_error_reset_streams(HTTP2_ERRORS_MAX)
        .initial_stream_window_size(HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(HTTP2_CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(HTTP2_SEND_BYTES);
    protocols
}

/// A connection that was accepted and admitted.
pub(super) struct Incoming {
    pub(super) stream: TcpStream,
    pub(super) scheme: Scheme,
    pub(super) peer: IpAddr,
    pub(super) slot: ConnectionSlot,
}

/// Serves the requests of one connection until it ends.
pub(super) async fn serve<H: Handler>(incoming: Incoming, handle: LoopHandle, edge: Arc<Edge<H>>) {
    let (peer, slot) = (incoming.peer, &incoming.slot);
    match tokio::net::TcpStream::from_std(incoming.stream) {
        Ok(stream) => {
            let activity = || Arc::clone(&slot.activity);
            let counters = handle.counters;
            let socket = Socket::new(stream, activity(), counters.clone(), handle.busy_poll);
            let edge_of_requests = Arc::clone(&edge);
            let request_handling = RequestHandling::new(
                edge_of_requests,
                activity(),
                counters,
                peer,
                incoming.scheme,
            );
            let connection = ConnectionState::new(socket, incoming.scheme, request_handling, &edge);
            converse(connection, peer, slot, &edge).await;
        }
        Err(error) => debug!(%peer, %error, "connection lost before it was served"),
    }
}

async fn converse<H: Handler>(
    mut connection: ConnectionState<'_, H>,
    peer: IpAddr,
    slot: &ConnectionSlot,
    edge: &Edge<H>,
) {
    let mut watchdog = Watchdog::new(Arc::clone(&slot.activity), **edge.live.load());

    poll_fn(|context| {
        // Before the first order is read: an order that is given in between wakes this task.
        slot.orders.belong_to(context.waker());
        Poll::Ready(())
    })
    .await;
    poll_fn(|context| {
        let order = slot.orders.current();
        if order == ConnectionOrder::Close {
            return Poll::Ready(());
        }
        if order >= ConnectionOrder::Drain {
            slot.activity.close_after_response();
        }
        if order == ConnectionOrder::Finish {
            connection.finish();
        }
        // Before the watchdog, which checks the phase that this poll leaves.
        match connection.poll(context) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(error)) => {
                debug!(%peer, %error, "connection broken");
                Poll::Ready(())
            }
            Poll::Pending => watchdog
                .poll(context)
                .map(|phase| debug!(%peer, ?phase, "connection closed for lasting too long")),
        }
    })
    .await;
}
