//! The HTTP edge: sockets in, complete requests to the API, answers out. The only place for hyper and `await`.
//!
//! It keeps the [`Limits`], so that no client, slow, greedy or broken, takes from another; it stops gracefully, writes
//! the request log and turns a panic into a 500. It knows no route, no key and no resource, and never reads the store.
//!
//! `listener` accepts → `connections` grants a place → `connection` speaks HTTP/1.1 or HTTP/2 over `socket`, watched by
//! `watchdog` → `exchange` turns each request into an answer, reading its body by `incoming` → `files` and `outgoing`
//! make of it what hyper writes.

use std::sync::Arc;

use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::api::request::{Refusal, Request, RequestHead};
use crate::api::response::Response;

use self::connections::Connections;

mod activity;
mod connection;
mod connections;
mod exchange;
mod files;
mod incoming;
mod limits;
mod listener;
mod log;
mod outgoing;
mod pieces;
mod runtime;
mod socket;
mod watchdog;

pub use limits::Limits;
pub use listener::listen;
pub use runtime::{raise_open_files_max, runtime};

/// What answers the requests. A panic in any of these costs that request its answer (500) and nothing else.
pub trait Handler: Send + Sync + 'static {
    /// Answers at once from memory, or leaves the request to [`answer`](Handler::answer) with `None`.
    ///
    /// Runs on the thread that serves the sockets: it must not block, and some microseconds are its measure.
    /// The body has not been read yet.
    fn answer_from_memory(&self, head: &RequestHead) -> Option<Response>;

    /// Answers; may read the store and files. Runs on a worker, at most `Limits::workers` at once, and is finished even
    /// when the client has gone.
    fn answer(&self, request: &Request) -> Response;

    /// Words the answer to a request that does not come to be answered. Must not block.
    fn refuse(&self, refusal: Refusal, head: &RequestHead) -> Response;

    /// Longest body of this request, in bytes; `None` for `Limits::body_bytes_max`. Must not block.
    fn body_bytes_max(&self, head: &RequestHead) -> Option<u64> {
        let _ = head;
        None
    }
}

/// What all connections share.
struct Edge<H> {
    handler: Arc<H>,
    limits: Limits,
    protocols: auto::Builder<TokioExecutor>,
    connections: Arc<Connections>,
    workers: Arc<Semaphore>,
    body_memory: Arc<Semaphore>,
}

/// Serves the connections of `listeners` until `stop` is ready, and returns when the last of them is closed.
///
/// When it stops, it accepts nothing more at once, closes what is idle and gives requests in flight
/// `Limits::stop_timeout` to finish; then they are cut off. A worker's answer that is under way is finished by the
/// runtime, if that is given time when it is shut down.
pub async fn serve<H: Handler>(
    listeners: Vec<TcpListener>,
    handler: Arc<H>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let edge = Arc::new(Edge {
        handler,
        protocols: connection::protocols(&limits),
        connections: Arc::new(Connections::new(&limits)),
        workers: Arc::new(Semaphore::new(limits.workers)),
        body_memory: Arc::new(Semaphore::new(limits.bodies_bytes_max)),
        limits,
    });
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(listener::accept(listener, Arc::clone(&edge)));
    }
    stop.await;
    accepting.shutdown().await;
    edge.connections.stop(edge.limits.stop_timeout).await;
}
