//! When a delivery that failed is tried again, and for how long.
//!
//! Pure rules: what time it is and what chance says comes from outside.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::webhook_delivery::Progress;

/// How long it takes until a delivery that failed once is tried again. It doubles with each failure.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// The longest wait between two attempts that the receiver does not ask for.
const WAIT_MAX: Duration = Duration::from_secs(60 * 60);

/// The longest wait that a receiver may ask for.
const ASKED_WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a receiver is tried that does not answer, or is in trouble.
pub const TROUBLE_TRIED_FOR: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How long a receiver is tried that understands and refuses.
pub const REFUSAL_TRIED_FOR: Duration = Duration::from_secs(60 * 60);

/// How often a delivery is tried at least, in trouble and when refused: a clock that was set, or a machine that slept for
/// days, must not end what has hardly been tried.
const TROUBLE_FAILURES_MIN: u32 = 10;
const REFUSAL_FAILURES_MIN: u32 = 5;

/// How far a clock may be set back before what waits is tried at once.
const SET_BACK_MAX: SignedDuration = SignedDuration::from_secs(60);

/// A way in which an attempt fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nobody answers, or the receiver says that it is in trouble.
    Trouble,
    /// The receiver understands and refuses, or the address leads where nothing is sent to.
    Refusal,
    /// It can never pass: the address is none.
    Hopeless,
}

impl Failure {
    /// The failure that a status means; `None` when the receiver has what was sent.
    ///
    /// Who answers 303 has taken it and says where more can be read (RFC 9110, section 15.4.4).
    pub fn of_status(status: u16) -> Option<Self> {
        match status {
            200..=299 | 303 => None,
            408 | 425 | 429 | 500.. => Some(Self::Trouble),
            _ => Some(Self::Refusal),
        }
    }
}

/// What is done after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It is tried again at this time.
    Again(Timestamp),
    /// It is given up, and nothing is said of what waits behind it.
    GiveUp,
    /// It is given up, and so is what happened before this time.
    GiveUpOlder(Timestamp),
}

/// What is done after one more failure at `now`, which `progress` does not know yet.
///
/// The wait grows, and up to a quarter of it is added: `jitter` says how much of that, so that many that failed together are
/// not all tried together. A wait that the receiver asks for is the least.
pub fn after_failure(
    progress: &Progress,
    failure: Failure,
    asked: Option<Duration>,
    now: Timestamp,
    jitter: u8,
) -> Then {
    let (tried_for, failures_min) = match failure {
        Failure::Trouble => (TROUBLE_TRIED_FOR, TROUBLE_FAILURES_MIN),
        Failure::Refusal => (REFUSAL_TRIED_FOR, REFUSAL_FAILURES_MIN),
        Failure::Hopeless => return Then::GiveUp,
    };
    let since = progress.failing_since.unwrap_or(now);
    let failures = progress.failures.saturating_add(1);
    if failures >= failures_min && now.duration_since(since) >= signed(tried_for) {
        return match failure {
            Failure::Trouble => Then::GiveUpOlder(later(now, -signed(tried_for))),
            Failure::Refusal | Failure::Hopeless => Then::GiveUp,
        };
    }
    let doublings = 1_u32.checked_shl(failures - 1).unwrap_or(u32::MAX);
    let wait = FIRST_WAIT.saturating_mul(doublings).min(WAIT_MAX);
    let by_chance = wait / 4 * u32::from(jitter) / u32::from(u8::MAX);
    let asked = asked.unwrap_or_default().min(ASKED_WAIT_MAX);
    Then::Again(later(now, signed(wait.max(asked) + by_chance)))
}

/// Whether a delivery may be tried at `now`.
///
/// One that is due later than anything can be, or was tried in what is the future now, was written by another clock: it does
/// not wait for that one.
pub fn is_due(progress: &Progress, now: Timestamp) -> bool {
    let Some(due_at) = progress.due_at else {
        return true;
    };
    let longest = signed(ASKED_WAIT_MAX + WAIT_MAX);
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

    /// The waits of a delivery that always fails like this, in seconds, and what is done in the end.
    fn waits(failure: Failure, asked: Option<Duration>) -> (Vec<i64>, Then) {
        let mut progress = Progress::default();
        let mut now = noon();
        let mut waits = Vec::new();
        loop {
            match after_failure(&progress, failure, asked, now, 0) {
                Then::Again(due_at) => {
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
    fn waits_double_up_to_an_hour_for_three_days_in_trouble() {
        let (waits, end) = waits(Failure::Trouble, None);
        assert_eq!(
            waits[..10],
            [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]
        );
        assert!(waits[10..].iter().all(|wait| *wait == 3600));
        let days = Duration::from_secs(waits.iter().sum::<i64>().unsigned_abs());
        assert!(days >= TROUBLE_TRIED_FOR && days < TROUBLE_TRIED_FOR + WAIT_MAX);
        assert!(matches!(end, Then::GiveUpOlder(before) if before >= noon()));
    }

    #[test]
    fn a_refusal_is_tried_for_an_hour_and_a_wrong_address_never_again() {
        let (refused, end) = waits(Failure::Refusal, None);
        assert_eq!(refused, [10, 20, 40, 80, 160, 320, 640, 1280, 2560]);
        assert_eq!(end, Then::GiveUp);
        assert_eq!(waits(Failure::Hopeless, None), (Vec::new(), Then::GiveUp));
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_wait_up_to_a_day() {
        let asked = |asked_s| {
            let asked = Some(Duration::from_secs(asked_s));
            waits(Failure::Trouble, asked).0[..4].to_vec()
        };
        assert_eq!(asked(0), [10, 20, 40, 80]);
        assert_eq!(asked(60), [60, 60, 60, 80]);
        assert_eq!(asked(u64::MAX)[..2], [86_400, 86_400]);
    }

    #[test]
    fn chance_adds_up_to_a_quarter_of_the_wait() {
        let wait = |jitter| match after_failure(
            &Progress::default(),
            Failure::Trouble,
            None,
            noon(),
            jitter,
        ) {
            Then::Again(due_at) => due_at.duration_since(noon()).as_millis(),
            end => panic!("{end:?}"),
        };
        assert_eq!([wait(0), wait(255)], [10_000, 12_500]);
    }

    #[test]
    fn a_clock_that_leaps_ends_nothing_that_was_hardly_tried() {
        let progress = Progress {
            failures: 1,
            failing_since: Some("1970-01-01T00:00:00Z".parse().unwrap()),
            ..Progress::default()
        };
        for failure in [Failure::Trouble, Failure::Refusal] {
            let then = after_failure(&progress, failure, None, noon(), 0);
            assert!(matches!(then, Then::Again(_)), "{failure:?}: {then:?}");
        }
    }

    #[test]
    fn what_another_clock_wrote_is_due() {
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
