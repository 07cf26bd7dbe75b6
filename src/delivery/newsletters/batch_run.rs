//! The result of sending a batch, until it is recorded.

use std::{collections::HashMap, sync::Arc, time::Instant};

use crate::{
    delivery::mail::{MailServer, SendOutcome},
    domain::{
        member::Member,
        post_email::{EmailBatch, PostEmail, RecipientRefusal},
    },
    id::Id,
};

/// The result of a batch until it is recorded. The batch is not sent again before that, so that a
/// full disk does not cause repeated mails.
pub(super) struct UnrecordedBatch {
    pub(super) email: PostEmail,
    pub(super) batch: EmailBatch,
    pub(super) run: BatchRun,
    /// Number of recipients that the mail server refused.
    pub(super) refused: u32,
}

/// The result of sending to the waiting recipients of a batch.
#[derive(Default)]
pub(super) struct BatchRun {
    /// The recipients whose mails the mail server accepted.
    pub(super) delivered: Vec<Id>,
    /// The number of recipients that no longer subscribe.
    pub(super) skipped: u32,
    /// The deferred recipients.
    pub(super) deferred: Vec<Id>,
    /// The number of consecutive deferred recipients.
    deferred_in_a_row: u32,
    /// The last reason for a deferral.
    pub(super) last_reason: Option<String>,
    /// The reason why the mail server accepts no mails.
    pub(super) failure: Option<String>,
    /// The mails in flight: their recipients and start times.
    pub(super) under_way: HashMap<u64, (Arc<Member>, Instant)>,
}

impl BatchRun {
    /// Returns when the first of the mails in flight times out.
    pub(super) fn first_end(&self, now: Instant) -> Instant {
        let begins = self.under_way.values().map(|(_, begin)| *begin);
        begins.min().unwrap_or(now) + MailServer::PATIENCE
    }

    /// Records the outcome of an attempt. `refuse` receives a refusal by the mail server.
    pub(super) fn record_outcome(
        &mut self,
        attempt: u64,
        outcome: SendOutcome,
        refuse: impl FnOnce(RecipientRefusal),
        at: jiff::Timestamp,
    ) {
        // An abandoned attempt does not belong to this run.
        let Some((member, _)) = self.under_way.remove(&attempt) else {
            return;
        };
        match outcome {
            SendOutcome::Sent => {
                self.delivered.push(member.id);
                self.deferred_in_a_row = 0;
            }
            SendOutcome::Refused { code, reason } => {
                self.deferred_in_a_row = 0;
                refuse(RecipientRefusal {
                    member: member.id,
                    member_uuid: member.uuid,
                    address: member.email.clone(),
                    name: member.name.clone(),
                    code,
                    message: reason.into(),
                    at,
                });
            }
            SendOutcome::Deferred(reason) => {
                self.deferred.push(member.id);
                self.deferred_in_a_row += 1;
                if self.deferred_in_a_row >= MailServer::DEFERRED_IN_A_ROW_MAX {
                    self.failure = Some(reason.clone());
                }
                self.last_reason = Some(reason);
            }
            // The mail did not reach the server, or the server accepts none, so no further mail is
            // started.
            SendOutcome::Failed(reason) => {
                self.deferred.push(member.id);
                self.failure = Some(reason);
            }
        }
    }

    /// Abandons the mails in flight. Their recipients may receive the mail twice.
    pub(super) fn abandon_mails_under_way(&mut self, is_stopping: bool) {
        let abandoned = self.under_way.drain().map(|(_, (member, _))| member.id);
        self.deferred.extend(abandoned);
        if !is_stopping {
            self.failure = Some("The mail server takes too long.".to_owned());
        }
    }
}
