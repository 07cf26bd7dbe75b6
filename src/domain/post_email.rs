//! Post emails: posts that are sent to the subscribers of a newsletter.
//!
//! Each post has at most one email, which is created in the commit that publishes the post. Its
//! recipients are fixed when sending begins, as batches of members in ascending order of
//! identifier. A batch is marked as being sent before its first mail is sent, and stored with its
//! unreached members when it is finished. Therefore the state of a batch is uncertain only if the
//! program was killed while sending it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    OptionalText,
    delivery::{RETRY_PERIOD, is_over, wait_after},
    permission::permissions,
};
use crate::id::Id;

permissions! {
    EMAILS_BROWSE: "emails", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    EMAILS_READ: "emails", "read" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    EMAILS_RETRY: "emails", "retry" => Yes, Yes, Yes, Yes, No, No, No;
}

/// Maximum number of recipients of a batch, and of mails that may be sent twice if the program is
/// killed.
pub const BATCH_RECIPIENTS_MAX: usize = 100;

/// The status of an email or a batch, named as in Ghost 6.65.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmailStatus {
    /// Nothing has been sent yet.
    Pending,
    /// Sending is in progress, or waits until the mail server accepts more mail.
    Submitting,
    /// Sending is finished, and at least one recipient was reached, or there were no recipients.
    Submitted,
    /// Sending is finished, and no recipient was reached.
    Failed,
}

impl EmailStatus {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Submitting => "submitting",
            Self::Submitted => "submitted",
            Self::Failed => "failed",
        }
    }
}

/// A post being sent to the subscribers of a newsletter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostEmail {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier.
    pub uuid: Uuid,
    /// The post.
    pub post: Id,
    /// The newsletter.
    pub newsletter: Id,
    /// The recipients among the subscribers, as a filter of members; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: OptionalText,
    /// Its status.
    pub status: EmailStatus,
    /// The last error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: OptionalText,
    /// The number of recipients, excluding members who unsubscribed or were deleted before their
    /// mail was sent.
    pub recipients: u32,
    /// The number of recipients that the mail server accepted.
    #[serde(default)]
    pub delivered: u32,
    /// The number of recipients that the mail server refused.
    #[serde(default)]
    pub failed: u32,
    /// The subject.
    pub subject: Box<str>,
    /// The sender; `None` until sending begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: OptionalText,
    /// The reply-to address, if it differs from the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: OptionalText,
    /// The progress of sending.
    #[serde(default)]
    pub sending: SendingProgress,
    /// Time at which the post was published.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// The progress of sending an email.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SendingProgress {
    /// The number of batches so far.
    pub batches: u32,
    /// The number of members in these batches.
    pub recipients: u32,
    /// The last member who was put into a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_recipient: Option<Id>,
    /// True if all recipients have been put into batches.
    pub is_fixed: bool,
    /// The number of the next batch; all previous batches are finished.
    pub next_batch: u32,
    /// The mail server's last response that deferred a recipient, since the first batch began.
    #[serde(rename = "put_off", skip_serializing_if = "Option::is_none")]
    pub last_deferral: OptionalText,
    /// The number of consecutive failures of the mail server.
    pub failures: u32,
    /// Time since which the mail server has not accepted any mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// Time at which sending is retried; `None` for immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
}

/// A post email to be created.
#[derive(Clone, Copy, Debug)]
pub struct NewPostEmail<'a> {
    /// The identifier of the email.
    pub id: Id,
    /// Its second identifier.
    pub uuid: Uuid,
    /// The post.
    pub post: Id,
    /// The newsletter.
    pub newsletter: Id,
    /// The segment of its subscribers.
    pub segment: Option<&'a str>,
    /// The subject.
    pub subject: &'a str,
    /// The number of recipients, as far as known.
    pub recipients: u32,
}

impl PostEmail {
    /// Returns an email that has not been sent to any recipient yet.
    pub fn new(outset: NewPostEmail, now: Timestamp) -> Self {
        Self {
            id: outset.id,
            uuid: outset.uuid,
            post: outset.post,
            newsletter: outset.newsletter,
            segment: outset.segment.map(Into::into),
            status: EmailStatus::Pending,
            error: None,
            recipients: outset.recipients,
            delivered: 0,
            failed: 0,
            subject: outset.subject.into(),
            from: None,
            reply_to: None,
            sending: SendingProgress::default(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns whether sending has not finished.
    pub fn is_under_way(&self) -> bool {
        matches!(self.status, EmailStatus::Pending | EmailStatus::Submitting)
    }

    /// Returns whether an attempt is due at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        let failures = self.sending.failures;
        let is_over = |until| is_over(until, failures, now);
        self.is_under_way() && self.sending.due_at.is_none_or(is_over)
    }

    /// Returns the number of recipients that were neither accepted nor refused.
    pub fn unreached(&self) -> u32 {
        let done = self.delivered.saturating_add(self.failed);
        self.recipients.saturating_sub(done)
    }

    /// Returns whether sending the email again could reach further recipients.
    pub fn can_be_retried(&self) -> bool {
        !self.is_under_way()
            && (self.status == EmailStatus::Failed || self.failed > 0 || self.unreached() > 0)
    }

    /// Finishes sending, and sets the status according to the counts.
    pub fn conclude(&mut self, error: Option<&str>) {
        let has_reached_none = self.delivered == 0 && (error.is_some() || self.failed > 0);
        self.status = if has_reached_none {
            EmailStatus::Failed
        } else {
            EmailStatus::Submitted
        };
        self.error = match (error, self.failed) {
            (Some(error), _) => Some(error.into()),
            (None, 0) => None,
            (None, failed) => Some(
                format!(
                    "The mail server refused the mail for {failed} of {}.",
                    self.recipients
                )
                .into(),
            ),
        };
        // A concluded email is never due, whatever its last failure was.
        self.sending.due_at = None;
    }

    /// Records that the mail server did not accept any mail. Sending is retried later, or fails
    /// permanently after a day.
    ///
    /// The wait grows with each failure; `jitter` adds up to a quarter of it.
    pub fn fail(&mut self, reason: &str, now: Timestamp, jitter: u8) {
        // The day begins with the first failure since the mail server last accepted a mail.
        let since = *self.sending.failing_since.get_or_insert(now);
        if now.duration_since(since) >= SignedDuration::try_from(RETRY_PERIOD).unwrap_or_default() {
            let unreached = self.unreached();
            let error = format!("Failed after a day, {unreached} not reached: {reason}");
            return self.conclude(Some(&error));
        }
        self.error = Some(reason.into());
        let wait = wait_after(self.sending.failures, jitter);
        self.sending.due_at = now.checked_add(wait).ok();
        self.sending.failures = self.sending.failures.saturating_add(1);
    }

    /// Records that the mail server accepted a mail.
    pub fn succeed(&mut self) {
        self.sending.failures = 0;
        self.sending.failing_since = None;
        self.sending.due_at = None;
        self.error = None;
    }

    /// Restarts sending to the recipients that were not reached.
    pub fn retry(&mut self) {
        self.status = EmailStatus::Pending;
        self.succeed();
        // Refused recipients of any batch become waiting ones again (`EmailBatch::retry`), so
        // sending begins at the first batch.
        self.failed = 0;
        self.sending.last_deferral = None;
        self.sending.next_batch = 0;
    }
}

/// A batch of the recipients of an email.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmailBatch {
    /// The record's identifier.
    pub id: Id,
    /// Its number among the batches of the email, from 0.
    pub number: u32,
    /// Its status. If a batch is being sent when the program starts, its waiting members may
    /// already have received the mail.
    pub status: EmailStatus,
    /// The number of members when it was created.
    pub size: u32,
    /// The members still to be reached. Members deferred by the mail server come last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Id>,
    /// The recipients that the mail server refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<RecipientRefusal>,
    /// The reason why members are still waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: OptionalText,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A refused recipient of an email.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecipientRefusal {
    /// The member, who may have been deleted since.
    pub member: Id,
    /// The second identifier of the member.
    pub member_uuid: Uuid,
    /// The refused address.
    pub address: Box<str>,
    /// The member's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// The mail server's reply code, if it sent one (RFC 5321, section 4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The mail server's reply.
    pub message: Box<str>,
    /// The time of the refusal.
    pub at: Timestamp,
}

impl EmailBatch {
    /// Returns the batch with this number for these members.
    pub fn new(email: &PostEmail, number: u32, members: Vec<Id>, now: Timestamp) -> Self {
        Self {
            id: Id::derive("email batch", &format!("{}/{number}", email.id)),
            number,
            status: EmailStatus::Pending,
            size: members.len() as u32,
            waiting: members,
            refusals: Vec::new(),
            error: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Sets the status of a batch that is not being sent: pending if members are waiting, otherwise
    /// finished.
    pub fn update_status(&mut self, now: Timestamp) {
        self.updated_at = now;
        self.status = match (self.waiting.is_empty(), self.refusals.len() as u32) {
            (false, _) => EmailStatus::Pending,
            // Members who were deleted before their mail are neither waiting nor refused.
            (true, refused) if refused == self.size && refused > 0 => EmailStatus::Failed,
            (true, _) => EmailStatus::Submitted,
        };
        if self.waiting.is_empty() {
            self.error = None;
        }
    }

    /// Moves the refused recipients back to the waiting members. Returns whether there were any.
    pub fn retry(&mut self, now: Timestamp) -> bool {
        let refused = std::mem::take(&mut self.refusals);
        let has_refusals = !refused.is_empty();
        self.waiting
            .extend(refused.into_iter().map(|refusal| refusal.member));
        if has_refusals {
            self.update_status(now);
        }
        has_refusals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(recipients: u32) -> PostEmail {
        let outset = NewPostEmail {
            id: Id::derive("email", "a"),
            uuid: Uuid::nil(),
            post: Id::derive("post", "a"),
            newsletter: Id::derive("newsletter", "a"),
            segment: None,
            subject: "S",
            recipients,
        };
        PostEmail::new(outset, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn email_fails_if_no_recipient_got_it() {
        for (recipients, delivered, failed, error, expected) in [
            (0, 0, 0, None, EmailStatus::Submitted),
            (3, 3, 0, None, EmailStatus::Submitted),
            (3, 2, 1, None, EmailStatus::Submitted),
            (3, 0, 3, None, EmailStatus::Failed),
            (3, 0, 0, Some("no"), EmailStatus::Failed),
            (3, 1, 0, Some("no"), EmailStatus::Submitted),
        ] {
            let mut email = PostEmail {
                delivered,
                failed,
                ..email(recipients)
            };
            email.conclude(error);
            assert_eq!(email.status, expected, "{email:?}");
            assert_eq!(
                email.can_be_retried(),
                delivered < recipients,
                "{:?}",
                email.error
            );
        }
    }

    #[test]
    fn sending_fails_after_a_day_without_any_accepted_mail() {
        let mut email = email(2);
        let mut now = Timestamp::UNIX_EPOCH;
        let mut waits = Vec::new();
        while waits.len() < 13 {
            email.fail("away", now, 0);
            let due = email.sending.due_at.unwrap();
            assert!(!email.is_due(now) && email.is_due(due));
            waits.push(due.duration_since(now).as_secs());
            now = due;
        }
        assert_eq!(
            waits,
            [
                5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600
            ]
        );
        email.succeed();
        email.fail("away", now, 0);
        let first = email.sending.due_at.unwrap();
        assert_eq!(first.duration_since(now).as_secs(), 5);

        email.fail("away", now + SignedDuration::from_hours(24), 0);
        assert_eq!(email.status, EmailStatus::Failed);
        let error = email.error.as_deref().unwrap();
        assert_eq!(error, "Failed after a day, 2 not reached: away");
    }
}
