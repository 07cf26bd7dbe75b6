//! The life of this process among those that share the store.
//!
//! A process that was stopped for a while, or cut off from the store, lives no longer, and then joins again: a new life. A change
//! that began in an earlier life is not committed in a later one, since its client does not wait any more. Requests that arrived
//! during the stop are read when the new life begins, so it accepts no changes for a moment, until those are read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::liveness::Liveness;

/// The time without a change after which those that arrived during a stop are read, as a part of the pause.
const QUIET_PART: u32 = 4;

/// The longest pause, as a multiple of the usual one.
const PAUSES_MAX: u32 = 5;

/// A life of this process.
#[derive(Debug)]
pub struct NodeLife {
    liveness: Arc<Liveness>,
    began: Instant,
    pause: Duration,
    /// Milliseconds after the begin from which changes are accepted.
    accepts_after: AtomicU64,
}

impl NodeLife {
    /// Returns a life that accepts changes after a `pause`, and not while changes still arrive that it refuses, for five
    /// times the pause at most.
    pub fn new(liveness: Arc<Liveness>, pause: Duration) -> Self {
        Self {
            liveness,
            began: Instant::now(),
            pause,
            accepts_after: AtomicU64::new(milliseconds(pause)),
        }
    }

    /// Returns a life in which nothing is committed.
    pub(super) fn over() -> Self {
        Self::new(Arc::new(Liveness::until(Instant::now())), Duration::ZERO)
    }

    /// Returns whether changes may begin.
    pub(super) fn accepts(&self) -> bool {
        // Relaxed: nothing else is read by it.
        let accepts_after = self.accepts_after.load(Ordering::Relaxed);
        !self.is_over() && milliseconds(self.began.elapsed()) >= accepts_after
    }

    /// Notes that a change was refused: more of them may have arrived during the stop.
    pub(super) fn refused(&self) {
        let quiet_from = self.began.elapsed() + self.pause / QUIET_PART;
        let accepts_after = milliseconds(quiet_from.min(self.pause * PAUSES_MAX));
        self.accepts_after
            .fetch_max(accepts_after, Ordering::Relaxed);
    }

    /// Returns whether the changes that began in it must not be committed.
    pub(super) fn is_over(&self) -> bool {
        !self.liveness.is_alive()
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
