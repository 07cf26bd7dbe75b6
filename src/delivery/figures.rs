//! Metrics of deliveries.

use super::mail::Outcome;
use crate::{domain::webhook_delivery::End, figures::Counter};

/// Kinds of deliveries.
pub const KINDS: [&str; 3] = ["mail", "newsletter_mail", "webhook"];

/// Outcomes of attempts.
pub const OUTCOMES: [&str; 3] = ["delivered", "failed", "given_up"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Delivered,
    /// It is retried.
    Failed,
    GivenUp,
}

/// Counters of delivery attempts.
#[derive(Debug, Default)]
pub struct DeliveryFigures {
    counters: [[Counter; OUTCOMES.len()]; KINDS.len()],
}

impl DeliveryFigures {
    /// Returns how many attempts had this outcome: indices of [`KINDS`] and [`OUTCOMES`].
    pub fn get(&self, kind: usize, outcome: usize) -> u64 {
        self.counters[kind][outcome].get()
    }

    pub(super) fn mail(&self, outcome: &Outcome) {
        self.count(0, Came::of_mail(outcome));
    }

    /// Counts a mail that failed permanently after all retries.
    pub(super) fn mail_given_up(&self) {
        self.count(0, Came::GivenUp);
    }

    pub(super) fn newsletter_mail(&self, outcome: &Outcome) {
        self.count(1, Came::of_mail(outcome));
    }

    pub(super) fn webhook(&self, end: &End) {
        let came = match end {
            End::Finished(delivery) if delivery.is_delivered => Came::Delivered,
            End::Later(_) => Came::Failed,
            End::Finished(_) | End::GivenUpWithOlder(..) | End::Gone => Came::GivenUp,
        };
        self.count(2, came);
    }

    fn count(&self, kind: usize, came: Came) {
        self.counters[kind][came as usize].one();
    }
}

impl Came {
    fn of_mail(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Sent => Self::Delivered,
            Outcome::Failed(_) | Outcome::PutOff(_) => Self::Failed,
            Outcome::Refused { .. } => Self::GivenUp,
        }
    }
}
