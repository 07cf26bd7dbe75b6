//! Who waits for something to change: woken when it does, and when the server stops.
//!
//! A wait costs a place and a waker, no thread. What changed nobody says; whoever is woken asks again.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Where all who wait are woken.
#[derive(Debug)]
pub(super) struct News {
    sender: watch::Sender<State>,
    places: Arc<Semaphore>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Going,
    Stopping,
}

impl News {
    /// Nobody waits, and `waiting_max` may.
    pub(super) fn new(waiting_max: usize) -> Self {
        News {
            sender: watch::Sender::new(State::Going),
            places: Arc::new(Semaphore::new(waiting_max)),
        }
    }

    /// Wakes all who wait, to ask again. Does not block.
    pub(super) fn tell(&self) {
        self.sender.send_modify(|_| {});
    }

    /// Has all who wait make an end.
    pub(super) fn stop(&self) {
        self.sender.send_replace(State::Stopping);
    }

    /// Listens from now on: to what is told after this and before the wait as well.
    pub(super) fn listen(&self) -> Listener {
        Listener(self.sender.subscribe())
    }

    /// A place for one who waits; `None` when all are taken.
    pub(super) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }
}

/// One who may come to wait.
#[derive(Clone, Debug)]
pub(super) struct Listener(watch::Receiver<State>);

impl Listener {
    /// Waits until something is told that was not heard yet. Whether it makes sense to go on.
    pub(super) async fn hear(&mut self) -> bool {
        !self.is_stopping() && self.0.changed().await.is_ok() && !self.is_stopping()
    }

    /// Forgets what was told until now.
    pub(super) fn catch_up(&mut self) {
        self.0.mark_unchanged();
    }

    /// Whether nobody is to wait any more.
    pub(super) fn is_stopping(&self) -> bool {
        *self.0.borrow() == State::Stopping || self.0.has_changed().is_err()
    }
}
