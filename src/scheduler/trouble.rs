//! What fails is tried again, after waits that grow, and told in the log ever more seldom.

use std::time::{Duration, Instant};

/// The longest wait between two tries.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How often something has failed since it last worked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trouble {
    failures: u32,
    until: Option<Instant>,
}

impl Trouble {
    /// Whether it is too early to try again.
    pub(super) fn lasts(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    /// Whether there is any.
    pub(super) fn is_there(&self) -> bool {
        self.failures > 0
    }

    /// Notes that it has failed. Whether that is worth a line in the log: the first, second, fourth, eighth time and so on.
    pub(super) fn meet(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.until = Some(Instant::now() + self.wait());
        self.failures.is_power_of_two()
    }

    /// How long after the last failure it is tried again: 1 s, 2 s and so on to a minute.
    pub(super) fn wait(&self) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(u64::BITS - 1);
        Duration::from_secs(1 << doublings).min(WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_minute_and_lines_in_the_log_become_rare() {
        let mut trouble = Trouble::default();
        assert!(!trouble.lasts() && !trouble.is_there());
        let told: Vec<(bool, u64)> = (0..9)
            .map(|_| (trouble.meet(), trouble.wait().as_secs()))
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
        assert_eq!(told, expected);
        assert!(trouble.lasts() && trouble.is_there());
        let a_day_of_minutes = (0..24 * 60).filter(|_| trouble.meet()).count();
        assert_eq!(a_day_of_minutes, 7);
    }
}
