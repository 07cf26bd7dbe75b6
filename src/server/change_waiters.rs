//! Requests that wait for a change: woken when there is one, and when the server stops.
//!
//! A wait costs a permit and a waker, no thread. The wake-up does not say what changed; each woken
//! request checks again.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Wakes all waiting requests.
#[derive(Debug)]
pub(super) struct ChangeWaiters {
    sender: watch::Sender<State>,
    permits: Arc<Semaphore>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Stopping,
}

impl ChangeWaiters {
    /// Creates it without waiting requests; at most `waiting_max` may wait.
    pub(super) fn new(waiting_max: usize) -> Self {
        ChangeWaiters {
            sender: watch::Sender::new(State::Running),
            permits: Arc::new(Semaphore::new(waiting_max)),
        }
    }

    /// Wakes all waiting requests to check again. Does not block.
    pub(super) fn notify(&self) {
        self.sender.send_modify(|_| {});
    }

    /// Ends all waits.
    pub(super) fn stop(&self) {
        self.sender.send_replace(State::Stopping);
    }

    /// Listens from now on: also to news between this call and the wait.
    pub(super) fn listen(&self) -> Listener {
        Listener(self.sender.subscribe())
    }

    /// Returns the permit for one waiting request; `None` if all are in use.
    pub(super) fn permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }
}

/// The receiver of one request that may wait.
#[derive(Clone, Debug)]
pub(super) struct Listener(watch::Receiver<State>);

impl Listener {
    /// Waits for news that was not received yet. Returns whether to continue.
    pub(super) async fn hear(&mut self) -> bool {
        !self.is_stopping() && self.0.changed().await.is_ok() && !self.is_stopping()
    }

    /// Marks all news so far as received.
    pub(super) fn catch_up(&mut self) {
        self.0.mark_unchanged();
    }

    /// Returns whether the server is stopping.
    pub(super) fn is_stopping(&self) -> bool {
        *self.0.borrow() == State::Stopping || self.0.has_changed().is_err()
    }
}
