//! Records whether the store is reachable and accepts changes, as far as this process knows.

use std::sync::atomic::{AtomicI64, Ordering};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The value while the store is reachable.
const REACHED: i64 = i64::MAX;

/// The time since when the store is unreachable, if it is.
#[derive(Debug)]
pub(super) struct StoreReach(AtomicI64);

impl StoreReach {
    /// Returns the state of a store that is unreachable since `time`, or reachable if `None`.
    pub(super) fn lost_at(time: Option<Timestamp>) -> Self {
        Self(AtomicI64::new(time.map_or(REACHED, Timestamp::as_second)))
    }

    /// Returns since when the store is unreachable; `None` if it is reachable.
    pub(super) fn lost_since(&self) -> Option<Timestamp> {
        // Relaxed: it does not matter whether a concurrent request still waits for the store.
        match self.0.load(Ordering::Relaxed) {
            REACHED => None,
            second => Timestamp::from_second(second).ok(),
        }
    }

    /// Records that the store is reachable.
    pub(super) fn found(&self) {
        self.0.store(REACHED, Ordering::Relaxed);
    }

    /// Records that the store is unreachable. Keeps the time of an earlier loss.
    pub(super) fn lost(&self, now: Timestamp) {
        // Another thread may store its time at the same time, which makes no difference.
        if self.lost_since().is_none() {
            self.0.store(now.as_second(), Ordering::Relaxed);
        }
    }
}

/// A store that can be read but accepts no changes: a standby, a database without space or privileges, or a disk that is full or
/// fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreRefusal {
    /// Time since which changes are refused.
    pub since: Timestamp,
    /// The reason reported by the store.
    pub reason: String,
}

/// The refusal of the store, if it accepts no changes.
pub(super) type CurrentRefusal = ArcSwapOption<StoreRefusal>;
