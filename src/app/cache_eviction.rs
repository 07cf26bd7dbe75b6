//! Evicts cached responses that are no longer requested, so that an idle site takes as little
//! memory as one that has just started.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::api::Api;

/// A response that was not requested in this time may be evicted; after twice the time it is.
const UNUSED_TIME: Duration = Duration::from_secs(20);

/// The eviction thread, which runs until this is dropped.
pub(super) struct CacheEviction {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl CacheEviction {
    /// Starts to evict from the caches of `api`.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub(super) fn start(api: Arc<Api>) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let evict = move || {
            while stopped.recv_timeout(UNUSED_TIME) == Err(RecvTimeoutError::Timeout) {
                api.evict_unused();
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
