//! Publishes scheduled posts when they are due, and ends complimentary tiers of members when they
//! expire.
//!
//! A thread checks at each full second whether something is due. It reads the catalog, which costs
//! nothing, and writes only if something is due. So no timers have to follow edits, and it does not
//! matter if the clock is set or the machine was suspended: only the current time counts. Waits
//! after failures are measured by a monotonic clock.

mod backoff;
mod due_posts;

use std::time::Duration;

use backoff::Backoff;
use due_posts::DuePosts;
use jiff::Timestamp;

use crate::{
    error::{Error, Result},
    periodic_thread::PeriodicThread,
    site::{LeasedSite, Transaction},
};

/// Publishes due posts until dropped.
pub struct Scheduler {
    _thread: PeriodicThread,
}

impl Scheduler {
    /// Publishes the posts that are due, and continues in a thread.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(site: impl Into<LeasedSite>) -> Result<Self> {
        let mut tasks = ScheduledTasks {
            site: site.into(),
            posts: DuePosts::default(),
            tiers: Backoff::default(),
        };
        // Immediately, because posts may have become due while no process was running.
        tasks.run_due_tasks(&|| true);
        let thread = PeriodicThread::start("scheduler", move |stop| {
            while stop.wait(until_next_second()) {
                tasks.run_due_tasks(&|| !stop.is_given());
            }
        });
        Ok(Self {
            _thread: thread.map_err(Error::internal)?,
        })
    }
}

fn until_next_second() -> Duration {
    let passed = Timestamp::now().subsec_nanosecond().unsigned_abs();
    Duration::from_secs(1).saturating_sub(Duration::from_nanos(passed.into()))
}

/// The tasks that run at each full second.
struct ScheduledTasks {
    site: LeasedSite,
    posts: DuePosts,
    /// Failures to end the tiers of members.
    tiers: Backoff,
}

impl ScheduledTasks {
    fn run_due_tasks(&mut self, is_running: &dyn Fn() -> bool) {
        // Checked between the tasks, because another process may become the leader while they run.
        let is_running = || is_running() && self.site.leads();
        self.posts.publish(&self.site, &is_running);
        if is_running() {
            self.end_tiers();
        }
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
        if !has_ended || self.tiers.is_waiting() {
            return;
        }
        match self.site.write(Transaction::end_tiers) {
            Ok(()) => self.tiers = Backoff::default(),
            Err(error) => {
                if self.tiers.record_failure() {
                    tracing::error!(
                        cause = error.cause(),
                        again_in = ?self.tiers.wait(),
                        "the tiers of members could not be ended"
                    );
                }
            }
        }
    }
}
