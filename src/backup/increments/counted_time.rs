//! The age at which moments are deleted, independent of a clock that jumped.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Time by which a state may be late because of its duration and of repeated failures.
const LATE: Duration = Duration::from_secs(3600);

/// How long moments are retained.
#[derive(Clone, Copy, Debug)]
pub struct RetentionTime {
    /// The time for which every moment can be restored.
    pub retention: Duration,
    /// The time between two states.
    pub every: Duration,
}

impl RetentionTime {
    /// Returns the time before which no moment is needed, after a state with the time `last` was written, which follows the
    /// states with the times `earlier`.
    ///
    /// Between two states, at most `every` is counted. Before the last state, nothing is counted if that state is late: the
    /// server was stopped, or its clock is ahead and does not show the age of the earlier states.
    pub fn oldest_needed(self, earlier: &[Timestamp], last: Timestamp) -> Timestamp {
        let mut left = self.retention;
        let mut later = last;
        // States from after the last one were written while a clock was ahead.
        for &time in earlier.iter().rev().filter(|time| **time < last) {
            if left.is_zero() {
                return later;
            }
            let gap = Duration::try_from(later.duration_since(time)).unwrap_or_default();
            let is_late = later == last && gap > self.every.saturating_add(self.every.min(LATE));
            let counted = if is_late {
                Duration::ZERO
            } else {
                gap.min(self.every)
            };
            if counted > left {
                break;
            }
            left -= counted;
            later = time;
        }
        let left = SignedDuration::try_from(left).unwrap_or(SignedDuration::MAX);
        later.checked_sub(left).unwrap_or(Timestamp::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    /// Returns the time of the oldest moment that is needed with a retention of three days, in days. `days` are the times of
    /// the states.
    fn needed(days: &[f64]) -> f64 {
        let at = |day: &f64| Timestamp::UNIX_EPOCH + DAY.mul_f64(*day);
        let times: Vec<Timestamp> = days.iter().map(at).collect();
        let (last, earlier) = times.split_last().unwrap();
        let time = RetentionTime {
            retention: 3 * DAY,
            every: DAY,
        };
        let oldest = time.oldest_needed(earlier, *last);
        oldest.duration_since(Timestamp::UNIX_EPOCH).as_secs_f64() / DAY.as_secs_f64()
    }

    #[test]
    fn clock_that_is_ahead_makes_no_moment_older() {
        assert_eq!(needed(&[10.0]), 7.0);
        assert_eq!(needed(&[6.0, 7.0, 8.0, 9.0, 10.0]), 7.0);
        // More often than every day, and a little later each time.
        assert_eq!(needed(&[6.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0]), 7.0);
        assert_eq!(needed(&[6.0, 7.01, 8.02, 9.03, 10.04]), 7.01);
        // Ahead, and a day later still.
        assert_eq!(needed(&[6.0, 7.0, 8.0, 9.0, 10.0, 50.0]), 7.0);
        assert_eq!(needed(&[6.0, 7.0, 8.0, 9.0, 10.0, 50.0, 51.0]), 9.0);
        // Correct again: the states from the future are ignored.
        assert_eq!(needed(&[6.0, 7.0, 8.0, 9.0, 10.0, 50.0, 11.0]), 8.0);
    }
}
