//! Exponential backoff: a failed task is retried after increasing waits, and logged less and less
//! often.

use std::time::{Duration, Instant};

/// Maximum wait between two attempts.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Number of failures since the last success.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    /// Returns whether it is still too early for the next attempt.
    pub(super) fn is_waiting(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Returns whether the task has failed since it last succeeded.
    pub(super) fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// Records a failure. Returns whether to log it: the first, second, fourth, eighth failure and
    /// so on.
    pub(super) fn record_failure(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.until = Some(Instant::now() + self.wait());
        self.failures.is_power_of_two()
    }

    /// Returns the wait between the last failure and the next attempt: 1 s, 2 s, 4 s and so on, up
    /// to a minute.
    pub(super) fn wait(&self) -> Duration {
        // Limited, because a longer shift overflows.
        let doublings = self.failures.saturating_sub(1).min(u64::BITS - 1);
        Duration::from_secs(1 << doublings).min(WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_logging_is_throttled() {
        let mut backoff = Backoff::default();
        assert!(!backoff.is_waiting() && !backoff.has_failed());
        let results: Vec<(bool, u64)> = (0..9)
            .map(|_| (backoff.record_failure(), backoff.wait().as_secs()))
            .collect();
        let expected = [
            (true, 1),
            (true, 2),
            (false, 4),
            (true, 8),
            (false, 16),
            (false, 32),
            (false, 60),
            (true, 60),
            (false, 60),
        ];
        assert_eq!(results, expected);
        assert!(backoff.is_waiting() && backoff.has_failed());
        let a_day_of_minutes = (0..24 * 60).filter(|_| backoff.record_failure()).count();
        assert_eq!(a_day_of_minutes, 7);
    }
}
