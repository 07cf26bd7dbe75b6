//! Asking for a pull, and waiting for what comes of it.
//!
//! Pulls have numbers. A client waits for the first that begins after that, since one under way may have missed what
//! was just pushed; so all who ask while one is under way share the next.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use super::GitError;
use crate::sources::ContentReport;

/// How many pulls webhooks may ask for one after the other.
const PUSHES_AT_ONCE: u32 = 10;

/// How long it takes until webhooks may ask for one more. A genuine webhook that was recorded can be sent again and
/// again, and the repository's host must not be asked each time.
const PUSH_INTERVAL: Duration = Duration::from_secs(30);

/// Where pulls are asked for, and what is known of the repository.
pub struct Pulls {
    report: Arc<ArcSwap<ContentReport>>,
    secret: Option<String>,
    desk: Mutex<SyncRequests>,
    news: Condvar,
    stopping: Arc<AtomicBool>,
}

#[derive(Default)]
struct SyncRequests {
    /// The last pull that is asked for.
    wanted: u64,
    /// The last pull that has begun.
    begun: u64,
    /// The last pull that has ended.
    ended: u64,
    /// When the pulls that webhooks asked for are forgotten: each takes [`PUSH_INTERVAL`], one after the other.
    pushes_forgotten_at: Option<Instant>,
    /// When the next pull begins at the latest, if a webhook asked for one too many.
    due: Option<Instant>,
}

impl SyncRequests {
    /// Has the next pull begin as soon as webhooks may ask for one. What has been asked for and has not begun will see
    /// what was pushed, so it is not asked for again.
    fn push(&mut self, now: Instant) {
        if self.wanted > self.begun || self.due.is_some() {
            return;
        }
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
    pub(super) fn new(secret: Option<String>, stopping: Arc<AtomicBool>) -> Self {
        Self {
            report: Arc::default(),
            secret,
            desk: Mutex::default(),
            news: Condvar::new(),
            stopping,
        }
    }

    /// What is known of the repository and of the content files that came from it, as it changes.
    pub fn report(&self) -> &Arc<ArcSwap<ContentReport>> {
        &self.report
    }

    /// What push webhooks are signed with; without it none are taken.
    pub fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    /// Has the repository looked at soon because a webhook says so: at once, or after many others within half a minute.
    pub fn push(&self) {
        self.desk().push(Instant::now());
        self.news.notify_all();
    }

    /// Has the repository looked at, waits until that is done, and tells what is known then.
    ///
    /// # Errors
    ///
    /// `Stopping` when the server stops meanwhile. That the look failed, or that a commit is refused, stands in the report.
    pub fn pull(&self) -> Result<Arc<ContentReport>, GitError> {
        let mut desk = self.desk();
        let number = desk.begun + 1;
        desk.wanted = number;
        self.news.notify_all();
        while desk.ended < number {
            if self.is_stopping() {
                return Err(GitError::Stopping);
            }
            desk = self.news.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(self.report.load_full())
    }

    /// Waits until a pull is asked for or `pause` is over, and begins one; `false` when the server stops.
    pub(super) fn begin(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        let mut desk = self.desk();
        while desk.wanted <= desk.begun && !self.is_stopping() {
            let end = desk.due.map_or(end, |due| due.min(end));
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.news.wait_timeout(desk, left);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        desk.begun += 1;
        desk.due = None;
        !self.is_stopping()
    }

    /// Ends the pull that has begun.
    pub(super) fn end(&self) {
        let mut desk = self.desk();
        desk.ended = desk.begun;
        self.news.notify_all();
    }

    /// Ends all waiting, and what git does.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        // A client that has just looked at it waits by now, or sees it.
        drop(self.desk());
        self.news.notify_all();
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn desk(&self) -> MutexGuard<'_, SyncRequests> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a webhook at `now` has a pull begin at once; it begins and ends then.
    fn begins(desk: &mut SyncRequests, now: Instant) -> bool {
        desk.push(now);
        let begins = desk.wanted > desk.begun;
        if begins {
            desk.begun = desk.wanted;
            desk.ended = desk.begun;
        }
        begins
    }

    #[test]
    fn webhooks_may_burst_to_ten_pulls_and_then_one_per_half_minute() {
        let (mut desk, start) = (SyncRequests::default(), Instant::now());
        for _ in 0..PUSHES_AT_ONCE {
            assert!(begins(&mut desk, start));
        }
        // What comes beyond that is not lost: all of it shares the pull that is due.
        for _ in 0..1000 {
            assert!(!begins(&mut desk, start));
        }
        assert_eq!(desk.due, Some(start + PUSH_INTERVAL));
        desk.begun += 1;
        desk.due = None;
        assert!(!begins(&mut desk, start + PUSH_INTERVAL));
        assert_eq!(desk.due, Some(start + 2 * PUSH_INTERVAL));
        desk.begun += 1;
        desk.due = None;
        let later = start + PUSH_INTERVAL * (PUSHES_AT_ONCE + 2);
        for _ in 0..PUSHES_AT_ONCE {
            assert!(begins(&mut desk, later));
        }
        assert!(!begins(&mut desk, later));
    }

    #[test]
    fn webhooks_that_share_a_pull_count_as_one() {
        let (mut desk, start) = (SyncRequests::default(), Instant::now());
        for _ in 0..1000 {
            desk.push(start);
        }
        desk.begun = desk.wanted;
        for _ in 1..PUSHES_AT_ONCE {
            assert!(begins(&mut desk, start));
        }
        assert!(!begins(&mut desk, start));
    }
}
