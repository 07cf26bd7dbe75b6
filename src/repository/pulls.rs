//! Requests for pulls, and waiting for their results.
//!
//! Pulls are numbered. A client waits for the first pull that begins after its request, since a running pull may have missed
//! the latest push. All requests during a pull therefore share the next pull.
//!
//! Of several processes that share a store, one pulls. The others reject requests to wait for a pull, and name that process.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use crate::{
    content_files::ContentReport,
    error::Result as SiteResult,
    repository::GitError,
    site::{Site, Work},
};

/// Maximum burst of pulls that webhooks may request.
const PUSHES_AT_ONCE: u32 = 10;

/// Interval at which webhooks may request further pulls. A recorded genuine webhook can be replayed, and must not cause
/// unlimited requests to the host.
const PUSH_INTERVAL: Duration = Duration::from_secs(30);

/// The handle for requesting pulls and reading the report.
pub struct Pulls {
    report: Arc<ArcSwap<ContentReport>>,
    secret: Option<String>,
    requests: Mutex<SyncRequests>,
    changed: Condvar,
    /// Weak, because the site notifies this handle of commits.
    site: Weak<Site>,
}

#[derive(Default)]
struct SyncRequests {
    /// The number of the last requested pull.
    wanted: u64,
    /// The number of the last started pull.
    begun: u64,
    /// The number of the last finished pull.
    ended: u64,
    /// The time at which the burst of webhooks is replenished: each pull adds [`PUSH_INTERVAL`].
    pushes_forgotten_at: Option<Instant>,
    /// The time of the next pull, if webhooks exceeded their rate.
    due: Option<Instant>,
    /// The time at which edits are due to be committed.
    edits_due: Option<Instant>,
    /// Set when the thread that pulls is to stop; `None` as long as another process pulls.
    stopping: Option<Arc<AtomicBool>>,
}

impl SyncRequests {
    /// Returns whether the thread that pulls stops or has stopped.
    fn is_stopping(&self) -> bool {
        let stopping = self.stopping.as_ref();
        stopping.is_none_or(|stopping| stopping.load(Ordering::SeqCst))
    }

    /// Requests a pull as soon as the rate of webhooks permits. A requested pull that has not started will include the push,
    /// so it is not requested again.
    fn push(&mut self, now: Instant) {
        if self.wanted > self.begun || self.due.is_some() {
            return;
        }
        // A token bucket in a single timestamp: each push moves it by one interval, and a burst may
        // move it up to `PUSHES_AT_ONCE` intervals ahead.
        let counted_to = self.pushes_forgotten_at.map_or(now, |at| at.max(now));
        let may_begin_at = counted_to.checked_sub(PUSH_INTERVAL * (PUSHES_AT_ONCE - 1));
        match may_begin_at.filter(|at| *at > now) {
            Some(later) => self.due = Some(later),
            None => self.wanted = self.begun + 1,
        }
        self.pushes_forgotten_at = Some(counted_to + PUSH_INTERVAL);
    }
}

impl Pulls {
    /// Returns the handle for a repository that no thread of this process pulls yet.
    pub fn new(site: &Arc<Site>, secret: Option<String>) -> Self {
        Self {
            report: Arc::default(),
            secret,
            requests: Mutex::default(),
            changed: Condvar::new(),
            site: Arc::downgrade(site),
        }
    }

    /// Returns the current report of the repository and its content files.
    pub fn report(&self) -> &Arc<ArcSwap<ContentReport>> {
        &self.report
    }

    /// Returns the secret of push webhooks; without it none are accepted.
    pub fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    /// Requests a pull for a webhook: immediately, or within half a minute after many others. If another process pulls, the
    /// request is sent to it.
    ///
    /// # Errors
    ///
    /// If the store, which transfers the request, cannot be written.
    pub fn push(&self) -> SiteResult<()> {
        let mut requests = self.requests();
        if requests.stopping.is_none() {
            // Released before the write: a listener of the commit takes this lock (`request_here`).
            drop(requests);
            return match self.site.upgrade() {
                Some(site) => site.write(|change| change.ask_leader(Work::Source)),
                // The program is stopping.
                None => Ok(()),
            };
        }
        requests.push(Instant::now());
        drop(requests);
        self.changed.notify_all();
        Ok(())
    }

    /// Requests a pull as a webhook does, unless another process pulls.
    pub(super) fn request_here(&self) {
        let mut requests = self.requests();
        if requests.stopping.is_some() {
            requests.push(Instant::now());
        }
        drop(requests);
        self.changed.notify_all();
    }

    /// Requests a pull for the time when edits have settled: after `settle` without another edit.
    pub(super) fn edited(&self, settle: Duration) {
        self.requests().edits_due = Some(Instant::now() + settle);
        self.changed.notify_all();
    }

    /// Requests a pull, waits until it is done, and returns the report.
    ///
    /// # Errors
    ///
    /// `Stopping` if the server stops meanwhile, `Elsewhere` if another process pulls. Failed pulls and rejected commits are
    /// in the report instead.
    pub fn pull(&self) -> Result<Arc<ContentReport>, GitError> {
        let mut requests = self.requests();
        if requests.stopping.is_none() {
            // Released first, because reading the store may take long, and the thread that pulls
            // needs this lock.
            drop(requests);
            return Err(self.elsewhere());
        }
        let number = requests.begun + 1;
        requests.wanted = number;
        self.changed.notify_all();
        while requests.ended < number {
            if requests.is_stopping() {
                return Err(GitError::Stopping);
            }
            requests = self
                .changed
                .wait(requests)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(self.report.load_full())
    }

    /// Waits until a pull is requested or `pause` is over, and starts one; `false` if the server stops.
    pub(super) fn begin(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        let mut requests = self.requests();
        while requests.wanted <= requests.begun && !requests.is_stopping() {
            let dues = [requests.due, requests.edits_due].into_iter().flatten();
            // Computed again after each wakeup, because webhooks and edits change the due times.
            let end = dues.fold(end, Instant::min);
            let time_left = end.saturating_duration_since(Instant::now());
            if time_left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(requests, time_left);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        requests.begun += 1;
        // The pull that begins includes the pushes, and pushes the settled edits.
        requests.due = None;
        requests.edits_due = None;
        !requests.is_stopping()
    }

    /// Finishes the running pull.
    pub(super) fn end(&self) {
        let mut requests = self.requests();
        requests.ended = requests.begun;
        self.changed.notify_all();
    }

    /// Ends all waits, and aborts git.
    pub fn stop(&self) {
        // Set under the lock: otherwise a thread between its check and its wait would miss the
        // notification.
        if let Some(stopping) = &self.requests().stopping {
            stopping.store(true, Ordering::SeqCst);
        }
        self.changed.notify_all();
    }

    /// Accepts requests from now on, for a thread that pulls until the flag is set.
    pub(super) fn open(&self) -> Arc<AtomicBool> {
        let stopping = Arc::<AtomicBool>::default();
        self.requests().stopping = Some(Arc::clone(&stopping));
        stopping
    }

    /// Stops accepting requests, because another process pulls.
    pub(super) fn close(&self) {
        self.stop();
        self.requests().stopping = None;
        self.changed.notify_all();
    }

    /// Returns the error of a request that another process can fulfil.
    fn elsewhere(&self) -> GitError {
        let Some(site) = self.site.upgrade() else {
            return GitError::Stopping;
        };
        match site.leases() {
            Ok(mut leases) => GitError::Elsewhere {
                node: leases
                    .remove(&Work::Source)
                    .map_or_else(String::new, |lease| lease.node_name().to_owned()),
            },
            Err(error) => error.into(),
        }
    }

    fn requests(&self) -> MutexGuard<'_, SyncRequests> {
        // Each field is valid by itself, so a panic of another thread leaves nothing inconsistent.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a webhook at `now` and returns whether it starts a pull, which begins and ends at that time.
    fn begins(requests: &mut SyncRequests, now: Instant) -> bool {
        requests.push(now);
        let begins = requests.wanted > requests.begun;
        if begins {
            requests.begun = requests.wanted;
            requests.ended = requests.begun;
        }
        begins
    }

    #[test]
    fn webhooks_may_burst_to_ten_pulls_and_then_one_per_half_minute() {
        let (mut requests, start) = (SyncRequests::default(), Instant::now());
        for _ in 0..PUSHES_AT_ONCE {
            assert!(begins(&mut requests, start));
        }
        // Requests beyond the rate are not lost: they share the pull that is due.
        for _ in 0..1000 {
            assert!(!begins(&mut requests, start));
        }
        assert_eq!(requests.due, Some(start + PUSH_INTERVAL));
        requests.begun += 1;
        requests.due = None;
        assert!(!begins(&mut requests, start + PUSH_INTERVAL));
        assert_eq!(requests.due, Some(start + 2 * PUSH_INTERVAL));
        requests.begun += 1;
        requests.due = None;
        let later = start + PUSH_INTERVAL * (PUSHES_AT_ONCE + 2);
        for _ in 0..PUSHES_AT_ONCE {
            assert!(begins(&mut requests, later));
        }
        assert!(!begins(&mut requests, later));
    }

    #[test]
    fn webhooks_that_share_a_pull_count_as_one() {
        let (mut requests, start) = (SyncRequests::default(), Instant::now());
        for _ in 0..1000 {
            requests.push(start);
        }
        requests.begun = requests.wanted;
        for _ in 1..PUSHES_AT_ONCE {
            assert!(begins(&mut requests, start));
        }
        assert!(!begins(&mut requests, start));
    }
}
