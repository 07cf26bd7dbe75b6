//! The HTTP server: receives bytes from sockets, passes complete requests to the API, and sends the responses. The only module
//! that uses hyper and `await`.
//!
//! It enforces the [`Limits`], so that no slow, greedy or faulty client takes resources from another. It stops gracefully,
//! writes the request log and turns a panic into a 500. It has no knowledge of routes, keys and resources, and never reads the
//! store.
//!
//! `listener` accepts → `connections` admits → `connection`, on one of the `event_loops`, speaks
//! HTTP/1.1 or HTTP/2 over a `stream`, which is a `socket` or TLS above one (`https`); `watchdog` observes its `activity`, and `busy_poll` keeps the
//! thread awake for a client that sends requests promptly → `fast_path` finds requests in the bytes
//! (by `request_framing`) and sends cached responses (`response_header`) → hyper gets the others,
//! and `request_handling` turns each into a response, reading its body by `incoming` and waiting by
//! `change_waiters` when there is nothing to send yet → `files`, `streaming` and `outgoing` convert
//! it to hyper's form.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use self::https::Https;
use self::limits::LiveLimits;
use self::listener::Listening;

mod activity;
mod busy_poll;
mod change_waiters;
mod chunks;
mod connection;
mod connection_state;
mod connections;
mod edge;
mod event_loops;
mod fast_path;
mod files;
mod http_metrics;
mod https;
mod incoming;
mod limits;
mod listener;
mod log;
mod open_files;
mod outgoing;
mod panic_guard;
mod protocols;
mod request_framing;
mod request_handling;
mod request_smuggling;
mod response_header;
mod send_budget;
mod socket;
mod stream;
mod streaming;
mod watchdog;

use self::edge::Edge;

pub use crate::api::handler::Handler;
pub use http_metrics::{KINDS, METHODS, STATUSES, ServerMetrics};
pub use https::{HttpsOptions, Scheme};
pub use limits::Limits;
pub use listener::Bound;
pub use open_files::{OpenFiles, OpenFilesError, raise_open_files_max};

/// A running server on separate threads. Dropping it stops the server like [`stop`](Server::stop), without waiting.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    stop: oneshot::Sender<()>,
    threads: Vec<JoinHandle<()>>,
    live: Arc<ArcSwap<LiveLimits>>,
}

/// Changes limits of a running server.
#[derive(Clone, Debug)]
pub struct LimitsHandle(Arc<ArcSwap<LiveLimits>>);

impl LimitsHandle {
    /// Applies the maximum body length to subsequent requests, the number of waiting requests to those that begin to wait, and
    /// the numbers of connections and the timeouts to new connections. Other limits cannot be changed.
    ///
    /// If there are too many connections for a lower limit, idle ones are closed when the next one connects.
    pub fn apply(&self, limits: &Limits) {
        self.0.store(Arc::new(LiveLimits::from(limits)));
    }
}

impl Server {
    /// Listens on `addresses` (port 0 for any free port) and serves connections.
    ///
    /// # Errors
    ///
    /// If the system refuses, for example because an address is in use or does not belong to this machine.
    pub fn start<H: Handler>(
        addresses: &[SocketAddr],
        handler: Arc<H>,
        limits: Limits,
    ) -> io::Result<Server> {
        Self::start_at(Bound::to(addresses)?, handler, limits)
    }

    /// Listens on addresses that are already bound, and serves connections.
    ///
    /// # Errors
    ///
    /// If the system refuses, for example because another process has begun to listen there meanwhile.
    pub fn start_at<H: Handler>(
        bound: Bound,
        handler: Arc<H>,
        limits: Limits,
    ) -> io::Result<Server> {
        Self::start_counted(bound, handler, limits, None)
    }

    /// Like [`start_at`](Server::start_at), and counts in `metrics`, which must have been created with these limits.
    ///
    /// # Errors
    ///
    /// The errors of [`start_at`](Server::start_at).
    pub fn start_counted<H: Handler>(
        bound: Bound,
        handler: Arc<H>,
        limits: Limits,
        metrics: Option<Arc<ServerMetrics>>,
    ) -> io::Result<Server> {
        let addresses = bound.addresses()?;
        let https = bound.https.as_ref().map(Https::new).transpose();
        let https = https.map_err(io::Error::other)?;
        let loops = event_loops::event_loops(&limits)?;
        let edge = Arc::new(Edge::new(handler, limits, &loops, https, metrics));
        // Done here instead of on the server's thread, so that an error is returned: Tokio registers a socket with the entered
        // runtime.
        let first_loop = loops[0].enter();
        let listeners = bound.listen()?;
        drop(first_loop);
        let (stop, stopped) = oneshot::channel();
        let stop_timeout = edge.limits.stop_timeout;
        Ok(Server {
            addresses,
            live: Arc::clone(&edge.live),
            stop,
            threads: event_loops::run(loops, serve(listeners, edge, stopped), stop_timeout)?,
        })
    }

    /// Returns the handle that changes limits while the server runs.
    pub fn limits(&self) -> LimitsHandle {
        LimitsHandle(Arc::clone(&self.live))
    }

    /// Returns the addresses that the server listens on, with the ports that the system assigned.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Stops, and returns when the last connection is closed and the last worker has finished.
    ///
    /// Accepts no more connections, lets clients that have just connected send their request, closes idle connections half a
    /// second later, and gives requests in flight `Limits::stop_timeout` to finish. Then the remaining requests are aborted,
    /// and workers that are still busy get the same time again.
    pub fn stop(self) {
        drop(self.stop);
        for thread in self.threads {
            // A thread that panicked has already reported that and has ended as well.
            let _ = thread.join();
        }
    }
}

/// Serves the connections of `listeners` until `stop` is dropped, and then the open ones until they end.
async fn serve<H: Handler>(
    listeners: Vec<Listening>,
    edge: Arc<Edge<H>>,
    stop: oneshot::Receiver<()>,
) {
    let mut accepting = JoinSet::new();
    let (stop_accepting, stopping) = watch::channel(());
    for listening in listeners {
        let edge = Arc::clone(&edge);
        accepting.spawn(listener::accept(listening, edge, stopping.clone()));
    }
    // Also ends when the handle is dropped, which stops the server.
    let _ = stop.await;
    // In this order: without new connections and waiting requests, `stop` only has to wait for requests that end.
    drop(stop_accepting);
    while accepting.join_next().await.is_some() {}
    edge.change_waiters.stop();
    edge.connections.stop(edge.limits.stop_timeout).await;
}
