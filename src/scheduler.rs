//! Publishes what is scheduled when its time comes, and ends what was given for a time: the tiers of members.
//!
//! A thread that asks at each full second whether something is due. It reads the catalog, which costs nothing, and writes
//! only when something is; so no timer needs to be kept in step with edits, and a clock that is set, forwards or back, or a
//! machine that slept makes no difference: what counts is the time that the clock shows. Waits after failures are measured
//! by another clock, which nobody sets.

mod due_posts;
mod trouble;

use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender, TryRecvError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use due_posts::DuePosts;
use jiff::Timestamp;
use trouble::Trouble;

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
        let mut work = Work {
            site,
            posts: DuePosts::default(),
            tiers: Trouble::default(),
        };
        work.do_what_is_due(&|| true);
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("scheduler".to_owned())
            .spawn(move || {
                let goes_on = || stopped.try_recv() == Err(TryRecvError::Empty);
                while stopped.recv_timeout(until_next_second()) == Err(RecvTimeoutError::Timeout) {
                    work.do_what_is_due(&goes_on);
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

/// What is done at each full second.
struct Work {
    site: Arc<Site>,
    posts: DuePosts,
    /// What keeps the tiers of members from ending.
    tiers: Trouble,
}

impl Work {
    fn do_what_is_due(&mut self, goes_on: &dyn Fn() -> bool) {
        self.posts.publish(&self.site, goes_on);
        self.end_tiers();
    }

    fn end_tiers(&mut self) {
        let now = self.site.now();
        let has_ended = self
            .site
            .current()
            .catalog
            .members
            .ended(now)
            .next()
            .is_some();
        if !has_ended || self.tiers.lasts() {
            return;
        }
        match self.site.write(Transaction::end_tiers) {
            Ok(()) => self.tiers = Trouble::default(),
            Err(error) => {
                if self.tiers.meet() {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        again_in = ?self.tiers.wait(),
                        "the tiers of members could not be ended"
                    );
                }
            }
        }
    }
}
