//! Publishes scheduled posts when they are due, and ends the limited tiers of members.
//!
//! A thread checks at each full second whether anything is due. Reading the catalog costs almost
//! nothing, and it writes only when something is due; so no timer has to follow edits, and a clock
//! that is set forwards or back, or a machine that slept, makes no difference: only the current
//! time counts. Waits after failures use a monotonic clock.

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

/// The scheduler thread, which runs until this is dropped.
pub struct Scheduler {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Scheduler {
    /// Publishes everything that is due now, and continues in the background.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
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
                let continues = || stopped.try_recv() == Err(TryRecvError::Empty);
                while stopped.recv_timeout(until_next_second()) == Err(RecvTimeoutError::Timeout) {
                    work.do_what_is_due(&continues);
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

/// The work at each full second.
struct Work {
    site: Arc<Site>,
    posts: DuePosts,
    /// The failures in ending tiers of members.
    tiers: Trouble,
}

impl Work {
    fn do_what_is_due(&mut self, continues: &dyn Fn() -> bool) {
        self.posts.publish(&self.site, continues);
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
