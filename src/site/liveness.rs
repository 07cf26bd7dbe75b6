//! The time until which this process may act as a node of a shared store.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// The time until which a node is alive, on the monotonic clock of its process. A node that was
/// found dead stays dead.
#[derive(Debug)]
pub struct Liveness(Mutex<Option<Instant>>);

impl Liveness {
    /// Returns the liveness of a node that is alive until `deadline`.
    pub fn until(deadline: Instant) -> Self {
        Self(Mutex::new(Some(deadline)))
    }

    /// Returns whether the node is alive.
    pub fn is_alive(&self) -> bool {
        self.change(|deadline| deadline)
    }

    /// Extends the life of the node until `deadline`. Returns whether it is alive.
    pub fn prolong(&self, deadline: Instant) -> bool {
        self.change(|_| deadline)
    }

    /// Ends the life of the node.
    pub fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn change(&self, change: impl FnOnce(Instant) -> Instant) -> bool {
        let mut deadline = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *deadline = deadline
            // Filtered before the change: a life that has ended is never extended, because another
            // node may lead.
            .filter(|deadline| Instant::now() < *deadline)
            .map(change);
        deadline.is_some()
    }
}
