//! The life of this process among those that share the store.
//!
//! A process that was stopped for a while, or cut off from the store, lives no longer, and then joins again: a new life. A change
//! that began in an earlier life is not committed in a later one, since its client does not wait any more. Requests that arrived
//! during the stop are read when the new life begins, so it accepts no changes for a moment.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::liveness::Liveness;

/// A life of this process.
#[derive(Debug)]
pub struct NodeLife {
    liveness: Arc<Liveness>,
    accepts_from: Instant,
}

impl NodeLife {
    /// Returns a life that accepts changes after a `pause`.
    pub fn new(liveness: Arc<Liveness>, pause: Duration) -> Self {
        Self {
            liveness,
            accepts_from: Instant::now() + pause,
        }
    }

    /// Returns whether changes may begin.
    pub(super) fn accepts(&self) -> bool {
        !self.is_over() && Instant::now() >= self.accepts_from
    }

    /// Returns whether the changes that began in it must not be committed.
    pub(super) fn is_over(&self) -> bool {
        !self.liveness.is_alive()
    }
}
