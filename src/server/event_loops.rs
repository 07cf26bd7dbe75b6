//! The threads of the HTTP server. Each has a separate event loop with separate connections.
//!
//! A connection stays on its loop, so loops share nothing while they serve. Each loop serves its
//! connections in the order in which they became ready. Tokio's multi-threaded runtime does not:
//! with it, the slowest responses (p99) of 1,000 busy connections took fifteen times as long.

use std::io;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use super::limits::Limits;

/// Threads that read chunks of files, in addition to the workers.
const FILE_READERS: usize = 4;

/// Creates the event loops of `limits.threads` threads, at least one.
pub(super) fn event_loops(limits: &Limits) -> io::Result<Vec<Runtime>> {
    let event_loop = |_| {
        Builder::new_current_thread()
            // Requests use at most `workers` threads, so a thread is always available for a chunk
            // of a file.
            .max_blocking_threads(limits.workers + FILE_READERS)
            .thread_name("galley-worker")
            .enable_io()
            .enable_time()
            .build()
    };
    (0..limits.threads.max(1)).map(event_loop).collect()
}

/// Runs each of `loops` on a thread until `main`, which runs on the first, completes.
///
/// Busy workers then have `time` to finish.
pub(super) fn run(
    loops: Vec<Runtime>,
    main: impl Future<Output = ()> + Send + 'static,
    time: Duration,
) -> io::Result<Vec<JoinHandle<()>>> {
    let mut loops = loops.into_iter();
    // `main` runs on the first loop, so it needs no separate thread.
    let first = loops.next();
    let mut running = Vec::new();
    let mut threads = Vec::new();
    for event_loop in loops {
        let (run, ended) = oneshot::channel::<()>();
        running.push(run);
        let until = async {
            let _ = ended.await;
        };
        threads.push(start(event_loop, until, time)?);
    }
    if let Some(first) = first {
        let main = async move {
            main.await;
            // The other loops end last, because `main` has waited for their connections.
            drop(running);
        };
        threads.push(start(first, main, time)?);
    }
    Ok(threads)
}

fn start(
    event_loop: Runtime,
    until: impl Future<Output = ()> + Send + 'static,
    time: Duration,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("galley-edge".to_owned())
        .spawn(move || {
            event_loop.block_on(until);
            // Waits for blocking jobs, which cannot be cancelled, but not longer than this.
            event_loop.shutdown_timeout(time);
        })
}
