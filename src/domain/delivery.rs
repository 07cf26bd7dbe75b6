//! The outbox: deliveries waiting to be sent, with their retry schedule.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::mail::Mail;
use crate::id::Id;

/// Wait after the first failure. It doubles with each further failure.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// Longest wait between two attempts, without jitter.
const WAIT_MAX: Duration = Duration::from_secs(60 * 60);

/// Time during which a delivery is retried before it fails permanently.
pub const RETRY_PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

/// A mail in the outbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The record's identifier. It also names the mail, so that a receiver can recognise a
    /// duplicate.
    pub id: Id,
    /// The mail.
    pub mail: Mail,
    /// Time of queuing.
    pub queued_at: Timestamp,
    /// Due time of the next attempt.
    pub due_at: Timestamp,
    /// The number of failed attempts.
    #[serde(default)]
    pub failures: u32,
}

impl Delivery {
    /// Returns whether an attempt is due at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        is_over(self.due_at, self.failures, now)
    }

    /// Returns the delivery after one more failure at `now`; `None` if the retry period is over.
    ///
    /// The wait doubles with each failure. `jitter` adds up to a quarter of it, so that deliveries
    /// that failed together are not retried together.
    pub fn after_failure(&self, now: Timestamp, jitter: u8) -> Option<Self> {
        let tried_for = now.duration_since(self.queued_at);
        if tried_for >= SignedDuration::try_from(RETRY_PERIOD).ok()? {
            return None;
        }
        Some(Self {
            due_at: now.checked_add(wait_after(self.failures, jitter)).ok()?,
            failures: self.failures.saturating_add(1),
            ..self.clone()
        })
    }
}

/// Returns the wait after `failures` failures: at most an hour, plus jitter of up to a quarter.
pub fn wait_after(failures: u32, jitter: u8) -> Duration {
    // From 32 failures on, the shift overflows. The wait has reached its maximum long before.
    let doublings = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
    let wait = FIRST_WAIT.saturating_mul(doublings).min(WAIT_MAX);
    wait + wait / 4 * u32::from(jitter) / u32::from(u8::MAX)
}

/// Returns whether a wait after `failures` failures, which ends at `until`, is over at `now`.
///
/// If more time is left than the longest possible wait, the clock was set back during the wait. The
/// wait then counts as over, so that deliveries do not wait for the clock to catch up.
pub fn is_over(until: Timestamp, failures: u32, now: Timestamp) -> bool {
    let longest = match failures {
        0 => Duration::ZERO,
        failures => wait_after(failures - 1, u8::MAX),
    };
    let time_left = until.duration_since(now);
    !time_left.is_positive()
        || time_left > SignedDuration::try_from(longest).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::mail::SenderSite;

    fn delivery() -> Delivery {
        let sender_site = SenderSite {
            title: "T",
            url: "https://t.example/",
            host: "t.example",
            ..SenderSite::default()
        };
        Delivery {
            id: Id::derive("delivery", "a"),
            mail: Mail::new(sender_site, "ben@example.com", "S", &[]),
            queued_at: Timestamp::UNIX_EPOCH,
            due_at: Timestamp::UNIX_EPOCH,
            failures: 0,
        }
    }

    #[test]
    fn backoff_doubles_up_to_an_hour_and_ends_after_a_day() {
        let mut delivery = delivery();
        let mut now = delivery.queued_at;
        let mut waits = Vec::new();
        while let Some(next) = delivery.after_failure(now, 0) {
            waits.push(next.due_at.duration_since(now).as_secs());
            now = next.due_at;
            delivery = next;
        }
        assert_eq!(
            waits[..11],
            [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]
        );
        assert!(waits[11..].iter().all(|wait| *wait == 3600));
        assert_eq!(now.duration_since(Timestamp::UNIX_EPOCH).as_hours(), 24);
        assert_eq!(usize::try_from(delivery.failures), Ok(waits.len()));
    }

    #[test]
    fn jitter_adds_up_to_a_quarter_of_the_wait() {
        let failed = Delivery {
            failures: 2,
            ..delivery()
        };
        let wait = |jitter| {
            let next = failed.after_failure(failed.queued_at, jitter).unwrap();
            next.due_at.duration_since(failed.queued_at).as_secs()
        };
        assert_eq!([wait(0), wait(255)], [20, 25]);
    }

    #[test]
    fn delivery_is_due_at_once_if_the_clock_was_set_back() {
        let an_hour_ago = |delivery: &Delivery| delivery.queued_at - SignedDuration::from_hours(1);
        let fresh = delivery();
        assert!(fresh.is_due(fresh.queued_at) && fresh.is_due(an_hour_ago(&fresh)));
        let failed = fresh.after_failure(fresh.queued_at, 255).unwrap();
        assert!(!failed.is_due(failed.queued_at) && failed.is_due(failed.due_at));
        assert!(failed.is_due(an_hour_ago(&failed)));
    }

    #[test]
    fn failure_count_saturates() {
        let failed = Delivery {
            failures: u32::MAX,
            ..delivery()
        };
        let next = failed.after_failure(failed.queued_at, 0).unwrap();
        assert_eq!(next.failures, u32::MAX);
    }
}
