//! One connection from accept to close: HTTP/1.1 or, when the client starts with its preface, HTTP/2,
//! over TCP or TLS.
//!
//! `connection_state` speaks the protocol. This module decides when to stop: by an order from outside
//! or when the watchdog reports a timeout. It measures no time itself and has no knowledge of
//! requests.

use std::future::poll_fn;
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;
use std::task::Poll;

use tracing::debug;

use super::Handler;
use super::connection_state::ConnectionState;
use super::connections::{ConnectionOrder, ConnectionSlot};
use super::https::Scheme;
use super::request_handling::RequestHandling;
use super::socket::Socket;
use super::watchdog::Watchdog;
use crate::server::edge::{Edge, LoopHandle};

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
        // Registered before the first order is read, so that an order that is given in between wakes
        // this task.
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
        // Polled before the watchdog, which checks the phase after this poll.
        match connection.poll(context) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            Poll::Ready(Err(error)) => {
                debug!(%peer, %error, "connection broken");
                Poll::Ready(())
            }
            Poll::Pending => watchdog
                .poll(context)
                .map(|phase| debug!(%peer, ?phase, "connection timed out")),
        }
    })
    .await;
}
