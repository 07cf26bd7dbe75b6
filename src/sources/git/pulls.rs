//! Asking for a pull, and waiting for what comes of it.
//!
//! Pulls have numbers. Whoever asks waits for the first that begins after that, since one under way may have missed what
//! was just pushed; so all who ask while one is under way share the next.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicBool, atomic::Ordering},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use super::GitError;
use crate::sources::ContentReport;

/// Where pulls are asked for, and what is known of the repository.
pub struct Pulls {
    report: Arc<ArcSwap<ContentReport>>,
    secret: Option<String>,
    desk: Mutex<Desk>,
    news: Condvar,
    stopping: Arc<AtomicBool>,
}

#[derive(Default)]
struct Desk {
    /// The last pull that is asked for.
    wanted: u64,
    /// The last pull that has begun.
    begun: u64,
    /// The last pull that has ended.
    ended: u64,
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

    /// Has the repository looked at as soon as possible.
    pub fn ask(&self) {
        let mut desk = self.desk();
        desk.wanted = desk.begun + 1;
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
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.news.wait_timeout(desk, left);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        desk.begun += 1;
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
        // Whoever has just looked at it waits by now, or sees it.
        drop(self.desk());
        self.news.notify_all();
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
