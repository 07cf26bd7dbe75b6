//! Learns which clients other processes refuse that share the store.

use std::{
    io,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{api::Api, site::Site};

/// The time between two looks.
const PERIOD: Duration = Duration::from_secs(2);

/// The thread that looks, until this is dropped.
pub(super) struct RefusedClients {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RefusedClients {
    /// Starts the thread, or nothing if the store of `site` belongs to this process.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub(super) fn follow(site: &Site, api: Arc<Api>) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let look = move || {
            while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = api.follow_refused_clients() {
                    // The follower of the store logs that it is away.
                    tracing::debug!(%error, "the clients that others refuse are not known; trying again");
                }
            }
        };
        let thread = site.shared_counts().map(|_| {
            let thread = thread::Builder::new().name("refused clients".to_owned());
            thread.spawn(look)
        });
        Ok(Self {
            stop: Some(stop),
            thread: thread.transpose()?,
        })
    }
}

impl Drop for RefusedClients {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}
