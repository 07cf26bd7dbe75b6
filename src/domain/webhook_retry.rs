//! The retry schedule of webhook deliveries.
//!
//! The functions are pure: the time and the jitter are arguments.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::webhook_delivery::Progress;

/// Wait after the first failure. It doubles with each further failure.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// Longest wait between two attempts, unless the receiver requests a longer one.
const WAIT_MAX: Duration = Duration::from_secs(60 * 60);

/// Longest wait that a receiver may request.
const REQUESTED_WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Time during which deliveries to an unreachable or failing receiver are retried.
pub const FAILURE_RETRY_PERIOD: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// Time during which rejected deliveries are retried.
pub const REJECTION_RETRY_PERIOD: Duration = Duration::from_secs(60 * 60);

/// Minimum number of attempts before a delivery fails permanently. A change of the clock, or a
/// machine that was suspended for days, must not end a delivery after only a few attempts.
const FAILURE_ATTEMPTS_MIN: u32 = 10;
const REJECTION_ATTEMPTS_MIN: u32 = 5;

/// Time by which the clock may be set back before queued deliveries are retried immediately.
const SET_BACK_MAX: SignedDuration = SignedDuration::from_secs(60);

/// The kind of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There was no response, or the receiver reported a temporary error.
    Temporary,
    /// The receiver rejected the request, or the URL resolves to a forbidden address.
    Refusal,
    /// The request can never succeed, because the URL is invalid.
    Permanent,
}

impl Failure {
    /// Returns the kind of failure for a response status; `None` for success.
    ///
    /// A receiver that responds with 303 has accepted the request and refers to more information
    /// (RFC 9110, section 15.4.4).
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            200..=299 | 303 => None,
            408 | 425 | 429 | 500.. => Some(Self::Temporary),
            _ => Some(Self::Refusal),
        }
    }
}

/// The consequence of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// The delivery is retried at this time.
    RetryAt(Timestamp),
    /// The delivery fails permanently; deliveries queued after it are not affected.
    Fail,
    /// The delivery fails permanently, and so do queued deliveries of events before this time.
    FailWithOlder(Timestamp),
}

/// Returns the consequence of a further failure at `now`, which is not yet included in `progress`.
///
/// The wait doubles with each failure. `jitter` adds up to a quarter of it, so that deliveries that
/// failed together are not retried together. A wait requested by the receiver is a minimum.
pub fn after_failure(
    progress: &Progress,
    failure: Failure,
    requested: Option<Duration>,
    now: Timestamp,
    jitter: u8,
) -> RetryDecision {
    let (tried_for, failures_min) = match failure {
        Failure::Temporary => (FAILURE_RETRY_PERIOD, FAILURE_ATTEMPTS_MIN),
        Failure::Refusal => (REJECTION_RETRY_PERIOD, REJECTION_ATTEMPTS_MIN),
        Failure::Permanent => return RetryDecision::Fail,
    };
    let since = progress.failing_since.unwrap_or(now);
    let failures = progress.failures.saturating_add(1);
    if failures >= failures_min && now.duration_since(since) >= signed(tried_for) {
        return match failure {
            // Older events have waited as long for the same receiver, and would each be retried in
            // vain.
            Failure::Temporary => RetryDecision::FailWithOlder(later(now, -signed(tried_for))),
            Failure::Refusal | Failure::Permanent => RetryDecision::Fail,
        };
    }
    // `failures` is at least 1 here. From 33 on, the shift overflows; the wait is at its maximum.
    let doublings = 1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX);
    let wait = FIRST_WAIT.saturating_mul(doublings).min(WAIT_MAX);
    let jittered = wait / 4 * u32::from(jitter) / u32::from(u8::MAX);
    let requested = requested.unwrap_or_default().min(REQUESTED_WAIT_MAX);
    // Jitter is also added to a requested wait, which a receiver may send with all its responses.
    RetryDecision::RetryAt(later(now, signed(wait.max(requested) + jittered)))
}

/// Returns whether an attempt is due at `now`.
///
/// If a delivery is due later than possible, or was attempted in the future, the clock has been set
/// back since. The delivery is due in this case, so that it does not wait for the clock to catch
/// up.
pub fn is_due(progress: &Progress, now: Timestamp) -> bool {
    let Some(due_at) = progress.due_at else {
        return true;
    };
    let longest = signed(REQUESTED_WAIT_MAX + WAIT_MAX);
    let last = progress.attempts.last();
    let is_set_back = last.is_some_and(|last| last.at.duration_since(now) > SET_BACK_MAX);
    due_at <= now || due_at.duration_since(now) > longest || is_set_back
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.saturating_add(by).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::webhook_delivery::Attempt;

    const NOON: &str = "2026-01-02T12:00:00Z";

    fn noon() -> Timestamp {
        NOON.parse().unwrap()
    }

    /// Returns the waits of a delivery that always fails with `failure`, in seconds, and the final
    /// consequence.
    fn waits(failure: Failure, requested: Option<Duration>) -> (Vec<i64>, RetryDecision) {
        let mut progress = Progress::default();
        let mut now = noon();
        let mut waits = Vec::new();
        loop {
            match after_failure(&progress, failure, requested, now, 0) {
                RetryDecision::RetryAt(due_at) => {
                    waits.push(due_at.duration_since(now).as_secs());
                    progress.failing_since.get_or_insert(now);
                    progress.failures += 1;
                    now = due_at;
                }
                end => return (waits, end),
            }
        }
    }

    #[test]
    fn backoff_doubles_up_to_an_hour_and_ends_after_three_days() {
        let (waits, end) = waits(Failure::Temporary, None);
        assert_eq!(
            waits[..10],
            [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]
        );
        assert!(waits[10..].iter().all(|wait| *wait == 3600));
        let days = Duration::from_secs(waits.iter().sum::<i64>().unsigned_abs());
        assert!(days >= FAILURE_RETRY_PERIOD && days < FAILURE_RETRY_PERIOD + WAIT_MAX);
        assert!(matches!(end, RetryDecision::FailWithOlder(before) if before >= noon()));
    }

    #[test]
    fn rejection_is_retried_for_an_hour_and_an_invalid_url_never() {
        let (refused, end) = waits(Failure::Refusal, None);
        assert_eq!(refused, [10, 20, 40, 80, 160, 320, 640, 1280, 2560]);
        assert_eq!(end, RetryDecision::Fail);
        assert_eq!(
            waits(Failure::Permanent, None),
            (Vec::new(), RetryDecision::Fail)
        );
    }

    #[test]
    fn receiver_may_request_a_wait_of_up_to_a_day() {
        let requested = |retry_after_s| {
            let requested = Some(Duration::from_secs(retry_after_s));
            waits(Failure::Temporary, requested).0[..4].to_vec()
        };
        assert_eq!(requested(0), [10, 20, 40, 80]);
        assert_eq!(requested(60), [60, 60, 60, 80]);
        assert_eq!(requested(u64::MAX)[..2], [86_400, 86_400]);
    }

    #[test]
    fn jitter_adds_up_to_a_quarter_of_the_wait() {
        let wait = |jitter| match after_failure(
            &Progress::default(),
            Failure::Temporary,
            None,
            noon(),
            jitter,
        ) {
            RetryDecision::RetryAt(due_at) => due_at.duration_since(noon()).as_millis(),
            end => panic!("{end:?}"),
        };
        assert_eq!([wait(0), wait(255)], [10_000, 12_500]);
    }

    #[test]
    fn clock_jump_does_not_end_a_delivery_after_few_attempts() {
        let progress = Progress {
            failures: 1,
            failing_since: Some("1970-01-01T00:00:00Z".parse().unwrap()),
            ..Progress::default()
        };
        for failure in [Failure::Temporary, Failure::Refusal] {
            let then = after_failure(&progress, failure, None, noon(), 0);
            assert!(
                matches!(then, RetryDecision::RetryAt(_)),
                "{failure:?}: {then:?}"
            );
        }
    }

    #[test]
    fn delivery_written_before_the_clock_was_set_back_is_due() {
        let waiting = |attempt: &str, due: &str| Progress {
            due_at: Some(due.parse().unwrap()),
            attempts: vec![Attempt {
                at: attempt.parse().unwrap(),
                status: None,
                error: None,
                latency_ms: 0,
            }],
            ..Progress::default()
        };
        for (attempt, due, expected) in [
            ("2026-01-02T11:00:00Z", "2026-01-02T12:00:00Z", true),
            ("2026-01-02T11:59:00Z", "2026-01-02T12:00:01Z", false),
            ("2026-01-02T12:00:30Z", "2026-01-02T12:01:00Z", false),
            ("2026-01-02T18:00:00Z", "2026-01-02T18:10:00Z", true),
            ("2026-01-02T11:00:00Z", "2027-01-02T12:00:00Z", true),
        ] {
            assert_eq!(is_due(&waiting(attempt, due), noon()), expected, "{due}");
        }
        assert!(is_due(&Progress::default(), noon()));
    }
}
