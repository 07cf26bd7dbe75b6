//! Frees cached responses that are no longer asked for, so that a site that rests takes as little memory as one that just
//! started.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::answering::Answering;

/// A response that was not asked for in this time may be evicted; in twice the time it is.
const UNUSED_TIME: Duration = Duration::from_secs(20);

/// Evicts until it is dropped.
pub(super) struct CacheEviction {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl CacheEviction {
    /// Evicts from now on what `handler` keeps.
    ///
    /// # Errors
    ///
    /// If the system has no thread to give.
    pub(super) fn start(handler: Arc<Answering>) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let evict = move || {
            while stopped.recv_timeout(UNUSED_TIME) == Err(RecvTimeoutError::Timeout) {
                handler.0.evict_unused();
            }
        };
        let thread = thread::Builder::new().name("cache eviction".to_owned());
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread.spawn(evict)?),
        })
    }
}

impl Drop for CacheEviction {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}
