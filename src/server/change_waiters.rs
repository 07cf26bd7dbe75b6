//! Requests that wait for a change. They are woken by a change and when the server stops.
//!
//! A waiting request needs a permit and a waker, but no thread. A wake-up does not identify the change; each woken
//! request checks again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::limits::LiveLimits;

/// Wakes all waiting requests.
#[derive(Debug)]
pub(super) struct ChangeWaiters {
    sender: watch::Sender<RunState>,
    waiting: Arc<AtomicUsize>,
    limits: Arc<ArcSwap<LiveLimits>>,
}

/// The permit of one waiting request, returned on drop.
#[derive(Debug)]
pub(super) struct WaitPermit(Arc<AtomicUsize>);

impl Drop for WaitPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunState {
    Running,
    Stopping,
}

impl ChangeWaiters {
    /// Creates an instance without waiting requests. At most `LiveLimits::waiting_max` requests may wait.
    pub(super) fn new(limits: Arc<ArcSwap<LiveLimits>>) -> Self {
        ChangeWaiters {
            sender: watch::Sender::new(RunState::Running),
            waiting: Arc::default(),
            limits,
        }
    }

    /// Wakes all waiting requests to check again. Does not block.
    pub(super) fn notify(&self) {
        // The value stays the same: receivers notice only that it was sent again.
        self.sender.send_modify(|_| {});
    }

    /// Ends all waits.
    pub(super) fn stop(&self) {
        self.sender.send_replace(RunState::Stopping);
    }

    /// Returns a listener that also receives changes between this call and the wait.
    pub(super) fn listen(&self) -> Listener {
        Listener(self.sender.subscribe())
    }

    /// Returns the permit for one waiting request; `None` if all are in use.
    pub(super) fn permit(&self) -> Option<WaitPermit> {
        let waiting_max = self.limits.load().waiting_max;
        // Counted first: if two requests race for the last permit, one gets none.
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let permit = WaitPermit(Arc::clone(&self.waiting));
        (before < waiting_max).then_some(permit)
    }
}

/// The receiver of one request that may wait.
#[derive(Clone, Debug)]
pub(super) struct Listener(watch::Receiver<RunState>);

impl Listener {
    /// Waits for a change that has not been received yet. Returns `false` if the server is stopping.
    pub(super) async fn wait_for_change(&mut self) -> bool {
        !self.is_stopping() && self.0.changed().await.is_ok() && !self.is_stopping()
    }

    /// Marks all changes so far as received.
    pub(super) fn catch_up(&mut self) {
        self.0.mark_unchanged();
    }

    /// Returns whether the server is stopping.
    pub(super) fn is_stopping(&self) -> bool {
        // The sender is dropped with the server, which ends all waits as well.
        *self.0.borrow() == RunState::Stopping || self.0.has_changed().is_err()
    }
}
