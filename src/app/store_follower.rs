//! Follows a store that other processes write to.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use crate::site::Site;

/// Makes the commits of other processes visible to readers until it is dropped.
pub(super) struct StoreFollower {
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StoreFollower {
    /// Starts the thread, unless the store belongs to this process.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub(super) fn start(site: Arc<Site>) -> io::Result<Self> {
        let is_stopping = Arc::<AtomicBool>::default();
        let stopping = Arc::clone(&is_stopping);
        let thread = if site.is_shared() {
            // `follow_others` checks this at least once per polling interval, even without commits.
            let follow = move || site.follow_others(|| stopping.load(Ordering::Relaxed));
            let thread = thread::Builder::new().name("store follower".to_owned());
            Some(thread.spawn(follow)?)
        } else {
            None
        };
        Ok(Self {
            is_stopping,
            thread,
        })
    }
}

impl Drop for StoreFollower {
    fn drop(&mut self) {
        // Relaxed ordering is enough: no other memory depends on this value.
        self.is_stopping.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been logged.
            let _ = thread.join();
        }
    }
}
