//! Rate limiting of mails: evenly spaced, at a fixed rate per second.

use std::time::{Duration, Instant};

/// Maximum delay that is compensated, because threads are not woken precisely.
const CATCH_UP_MAX: Duration = Duration::from_millis(20);

/// Determines when the next mail may be sent, using a monotonic clock.
pub struct SendRateLimiter {
    interval: Duration,
    next: Instant,
}

impl SendRateLimiter {
    /// Returns a limiter of `rate` mails per second; the first may be sent immediately.
    pub fn new(rate: u32) -> Self {
        Self {
            interval: Duration::from_secs(1) / rate.max(1),
            next: Instant::now(),
        }
    }

    /// Returns how long the next mail has to wait at `now`.
    pub fn wait(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// Records that a mail is sent at `now`.
    pub fn go(&mut self, now: Instant) {
        // After a long pause, the missed mails are not sent in a burst.
        let earliest = now.checked_sub(CATCH_UP_MAX).unwrap_or(now);
        self.next = self.next.max(earliest) + self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mails_are_spaced_evenly_and_do_not_burst_after_a_pause() {
        let mut rate_limiter = SendRateLimiter::new(10);
        let start = rate_limiter.next;
        let at = |ms: u64| start + Duration::from_millis(ms);
        assert!(rate_limiter.wait(at(0)).is_zero());
        rate_limiter.go(at(0));
        assert_eq!(rate_limiter.wait(at(30)), Duration::from_millis(70));
        // A small delay: the next mail is on time again.
        rate_limiter.go(at(115));
        assert_eq!(rate_limiter.wait(at(115)), Duration::from_millis(85));
        // After a long pause, mails do not burst.
        rate_limiter.go(at(60_000));
        assert_eq!(rate_limiter.wait(at(60_000)), Duration::from_millis(80));
    }
}
