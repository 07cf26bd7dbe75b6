//! The life of this process as a node of a shared store.
//!
//! When a process is stopped for a while or cut off from the store, its life ends. A new life begins when the process joins
//! again. A change that began in an earlier life is not committed in a later one, because its client no longer waits. Requests
//! that arrived during the stop are read when the new life begins. So no changes are accepted for a moment, until those requests
//! are read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::liveness::Liveness;

/// The part of the pause, as a divisor, that must pass without a change before changes are accepted: then those that arrived
/// during the stop have been read.
const QUIET_PART: u32 = 4;

/// The maximum pause, as a multiple of the usual pause.
const PAUSES_MAX: u32 = 5;

/// A life of this process.
#[derive(Debug)]
pub struct NodeLife {
    liveness: Arc<Liveness>,
    began: Instant,
    pause: Duration,
    /// Milliseconds since the beginning of the life after which changes are accepted.
    accepts_after: AtomicU64,
}

impl NodeLife {
    /// Returns a life that accepts changes after `pause`. While it refuses changes that still arrive, the pause is extended, up
    /// to five times its length.
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
        // Relaxed: the value guards no other data.
        let accepts_after = self.accepts_after.load(Ordering::Relaxed);
        !self.is_over() && milliseconds(self.began.elapsed()) >= accepts_after
    }

    /// Records that a change was refused: more changes may have arrived during the stop.
    pub(super) fn refused(&self) {
        let quiet_from = self.began.elapsed() + self.pause / QUIET_PART;
        let accepts_after = milliseconds(quiet_from.min(self.pause * PAUSES_MAX));
        self.accepts_after
            .fetch_max(accepts_after, Ordering::Relaxed);
    }

    /// Returns whether changes that began in this life must not be committed.
    pub(super) fn is_over(&self) -> bool {
        !self.liveness.is_alive()
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
