//! Publishes what is scheduled when its time comes, and ends what was given for a time: the tiers of members.
//!
//! A thread that asks at each full second whether something is due. It reads the catalog, which costs nothing, and writes
//! only when something is; so no timer needs to be kept in step with edits, and a clock that is set or a machine that slept
//! makes no difference.

use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use jiff::Timestamp;

use crate::{
    error::{Error, Result},
    site::{Site, Transaction},
};

/// Publishes until it is dropped.
pub struct Scheduler {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Scheduler {
    /// Publishes what is due by now, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(site: Arc<Site>) -> Result<Self> {
        do_what_is_due(&site);
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("scheduler".to_owned())
            .spawn(move || {
                while stopped.recv_timeout(until_next_second()) == Err(RecvTimeoutError::Timeout) {
                    do_what_is_due(&site);
                }
            })
            .map_err(Error::internal)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

fn until_next_second() -> Duration {
    let passed = Timestamp::now().subsec_nanosecond().unsigned_abs();
    Duration::from_secs(1).saturating_sub(Duration::from_nanos(passed.into()))
}

fn do_what_is_due(site: &Site) {
    let now = site.now();
    let edition = site.current();
    let catalog = &edition.catalog;
    if catalog.posts.scheduled().any(|post| post.is_due(now)) {
        tell(
            site.write(Transaction::publish_due),
            "what is due could not be published; trying again",
        );
    }
    if catalog.members.ended(now).next().is_some() {
        tell(
            site.write(Transaction::end_tiers),
            "the tiers of members could not be ended; trying again",
        );
    }
}

fn tell(outcome: Result<()>, failure: &str) {
    if let Err(error) = outcome {
        tracing::error!(error = &error as &dyn std::error::Error, "{failure}");
    }
}
