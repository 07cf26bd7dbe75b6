//! The time. Everything that depends on the time uses a [`Clock`], so that tests can set it.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time, in whole seconds: Galley stores no finer times (Ghost 6.65,
    /// recorded).
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        whole_seconds(Timestamp::now())
    }
}

/// A clock that stands still until it is set, for tests of schedules and waits.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// Creates a clock that shows `now`.
    pub fn new(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.as_second()))
    }

    /// Sets the clock.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_second(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// Returns `time` without its fraction of a second.
pub fn whole_seconds(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}
