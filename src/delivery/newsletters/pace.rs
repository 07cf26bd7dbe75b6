//! How fast mails leave: evenly, so many a second.

use std::time::{Duration, Instant};

/// How much of what was missed is made up for: the system wakes nobody to the microsecond.
const MADE_UP_FOR: Duration = Duration::from_millis(20);

/// When the next mail may leave. It goes by a clock that nobody sets.
pub struct Pace {
    interval: Duration,
    next: Instant,
}

impl Pace {
    /// So many mails a second, the first at once.
    pub fn new(rate: u32) -> Self {
        Self {
            interval: Duration::from_secs(1) / rate.max(1),
            next: Instant::now(),
        }
    }

    /// How long the next mail still waits at `now`.
    pub fn wait(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// A mail leaves at `now`.
    pub fn go(&mut self, now: Instant) {
        let earliest = now.checked_sub(MADE_UP_FOR).unwrap_or(now);
        self.next = self.next.max(earliest) + self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_leave_evenly_and_a_pause_lets_none_pile_up() {
        let mut pace = Pace::new(10);
        let start = pace.next;
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert!(pace.wait(at(0)).is_zero());
        pace.go(at(0));
        assert_eq!(pace.wait(at(30)), Duration::from_millis(70));
        // A little late: the next is in time again.
        pace.go(at(115));
        assert_eq!(pace.wait(at(115)), Duration::from_millis(85));
        // A long pause: not at once what could have left meanwhile.
        pace.go(at(60_000));
        assert_eq!(pace.wait(at(60_000)), Duration::from_millis(80));
    }
}
