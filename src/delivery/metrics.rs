//! Metrics of deliveries.

use super::mail::server::SendOutcome;
use crate::{counters::Counter, domain::webhook_delivery::End};

/// Kinds of deliveries.
pub const KINDS: [&str; 3] = ["mail", "newsletter_mail", "webhook"];

/// Outcomes of attempts.
pub const OUTCOMES: [&str; 3] = ["delivered", "failed", "given_up"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttemptOutcome {
    Delivered,
    /// The attempt is retried.
    Failed,
    FailedPermanently,
}

/// Counters of delivery attempts.
#[derive(Debug, Default)]
pub struct DeliveryMetrics {
    counters: [[Counter; OUTCOMES.len()]; KINDS.len()],
}

impl DeliveryMetrics {
    /// Returns how many attempts had this outcome, by indices of [`KINDS`] and [`OUTCOMES`].
    pub fn get(&self, kind: usize, outcome: usize) -> u64 {
        self.counters[kind][outcome].get()
    }

    pub(super) fn mail(&self, outcome: &SendOutcome) {
        self.count(0, AttemptOutcome::of_mail(outcome));
    }

    /// Counts a mail that failed permanently after all retries.
    pub(super) fn mail_failed_permanently(&self) {
        self.count(0, AttemptOutcome::FailedPermanently);
    }

    pub(super) fn newsletter_mail(&self, outcome: &SendOutcome) {
        self.count(1, AttemptOutcome::of_mail(outcome));
    }

    pub(super) fn webhook(&self, end: &End) {
        let came = match end {
            End::Finished(delivery) if delivery.is_delivered => AttemptOutcome::Delivered,
            End::Later(_) => AttemptOutcome::Failed,
            // Older deliveries that fail together with this one were not attempted and do not
            // count.
            End::Finished(_) | End::FailedWithOlder(..) | End::Gone => {
                AttemptOutcome::FailedPermanently
            }
        };
        self.count(2, came);
    }

    fn count(&self, kind: usize, came: AttemptOutcome) {
        self.counters[kind][came as usize].one();
    }
}

impl AttemptOutcome {
    fn of_mail(outcome: &SendOutcome) -> Self {
        match outcome {
            SendOutcome::Sent => Self::Delivered,
            SendOutcome::Failed(_) | SendOutcome::Deferred(_) => Self::Failed,
            SendOutcome::Refused { .. } => Self::FailedPermanently,
        }
    }
}
