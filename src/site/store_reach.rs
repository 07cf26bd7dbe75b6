//! Whether the store can be reached, and accepts changes, as far as this process knows.

use std::sync::atomic::{AtomicI64, Ordering};

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The value while the store is reached.
const REACHED: i64 = i64::MAX;

/// Since when the store cannot be reached, if it cannot.
#[derive(Debug)]
pub(super) struct StoreReach(AtomicI64);

impl StoreReach {
    /// Returns the state of a store that cannot be reached since this time, or of one that is reached.
    pub(super) fn lost_at(time: Option<Timestamp>) -> Self {
        Self(AtomicI64::new(time.map_or(REACHED, Timestamp::as_second)))
    }

    /// Returns since when the store cannot be reached; `None` if it is reached.
    pub(super) fn lost_since(&self) -> Option<Timestamp> {
        // Relaxed: a request that still waits for the store, or does not yet, makes no difference.
        match self.0.load(Ordering::Relaxed) {
            REACHED => None,
            second => Timestamp::from_second(second).ok(),
        }
    }

    /// Notes that the store is reached.
    pub(super) fn found(&self) {
        self.0.store(REACHED, Ordering::Relaxed);
    }

    /// Notes that the store cannot be reached now. The time of an earlier loss stays.
    pub(super) fn lost(&self, now: Timestamp) {
        // Another thread may note it at the same time, which makes no difference.
        if self.lost_since().is_none() {
            self.0.store(now.as_second(), Ordering::Relaxed);
        }
    }
}

/// A store that is read and accepts no changes: a standby, a database without space or rights, a disk that is full or has errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreRefusal {
    /// Time since which changes are refused.
    pub since: Timestamp,
    /// The report of the store.
    pub reason: String,
}

/// The refusal of the store, if it accepts no changes.
pub(super) type CurrentRefusal = ArcSwapOption<StoreRefusal>;
