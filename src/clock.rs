//! The time. All code that depends on the time uses a [`Clock`], so that tests can set it.

mod instant;

use std::{
    sync::atomic::{AtomicI64, Ordering},
    thread,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};

pub use self::instant::{
    instant, local_time, parse, utc, whole_milliseconds, whole_seconds, written, written_time,
};

/// The step between two modification times of one record within a second, because clients store no
/// finer times.
pub const STEP: SignedDuration = SignedDuration::from_millis(1);

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time in whole seconds. Galley stores no finer times (Ghost 6.65,
    /// recorded), except to distinguish several changes within one second.
    fn now(&self) -> Timestamp;

    /// Waits until the clock shows `time`, if `time` is at most one [`STEP`] ahead.
    fn wait_for(&self, time: Timestamp);
}

/// The clock of the machine.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        whole_seconds(Timestamp::now())
    }

    fn wait_for(&self, time: Timestamp) {
        let ahead = time.duration_since(Timestamp::now());
        if ahead <= STEP {
            // A time in the past is a negative duration, which is not a `Duration`: no wait.
            thread::sleep(Duration::try_from(ahead).unwrap_or_default());
        }
    }
}

/// A clock that shows a fixed time until it is set, for tests of schedules and waits.
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

    /// Returns immediately: time passes only when a test sets it.
    fn wait_for(&self, _time: Timestamp) {}
}
