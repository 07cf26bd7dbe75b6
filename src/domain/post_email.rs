//! A post on its way to the subscribers of a newsletter by mail: what clients call an email.
//!
//! One for each post, made in the commit that publishes it. Its recipients are fixed when sending begins, as batches of
//! members by rising identifier. A batch is marked as being sent before its first mail leaves and left with whom it has not
//! reached when it is over, so that only batches that were under way when the program was killed are in doubt.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    OptionalText,
    delivery::{TRIED_FOR, is_over, wait_after},
};
use crate::id::Id;

/// Most recipients of one batch: as many mails may go out twice when the program is killed.
pub const BATCH_RECIPIENTS_MAX: usize = 100;

/// How far an email or a batch has come (Ghost 6.65, by its name on the wire).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmailStatus {
    /// Nothing was sent yet.
    Pending,
    /// It is being sent, or waits until the mail server takes more.
    Submitting,
    /// It is over, and somebody got it, or there was nobody to get it.
    Submitted,
    /// It is over, and nobody got it.
    Failed,
}

impl EmailStatus {
    /// The word for it on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Submitting => "submitting",
            Self::Submitted => "submitted",
            Self::Failed => "failed",
        }
    }
}

/// A post on its way to the subscribers of a newsletter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostEmail {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier.
    pub uuid: Uuid,
    /// What is sent.
    pub post: Id,
    /// To whose subscribers.
    pub newsletter: Id,
    /// Which of them, as a filter of members; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: OptionalText,
    /// How far it is.
    pub status: EmailStatus,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: OptionalText,
    /// How many are to get it. Who unsubscribed or was deleted before the mail went out is not among them any more.
    pub recipients: u32,
    /// To how many the mail server took it.
    #[serde(default)]
    pub delivered: u32,
    /// For how many the mail server refused it.
    #[serde(default)]
    pub failed: u32,
    /// What it is about.
    pub subject: Box<str>,
    /// Who it is from; known when sending begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: OptionalText,
    /// Where answers go, if not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: OptionalText,
    /// How far its sending is.
    #[serde(default)]
    pub sending: Sending,
    /// When its post was published.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// How far the sending of an email is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sending {
    /// How many batches there are so far.
    pub batches: u32,
    /// How many members are in them.
    pub recipients: u32,
    /// The last member who was put into a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_recipient: Option<Id>,
    /// Whether all recipients are in batches.
    pub is_fixed: bool,
    /// The batch that is next: those before it were gone through.
    pub next_batch: u32,
    /// What the mail server said last to somebody whom it put off since the first batch was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_off: OptionalText,
    /// How often in a row the mail server failed.
    pub failures: u32,
    /// Since when it has taken nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// When it is tried again; at once when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
}

/// What is to be sent of a post, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct Outset<'a> {
    /// The identifiers of the email.
    pub id: Id,
    /// The second one.
    pub uuid: Uuid,
    /// The post.
    pub post: Id,
    /// The newsletter.
    pub newsletter: Id,
    /// Which of its subscribers.
    pub segment: Option<&'a str>,
    /// What it is about.
    pub subject: &'a str,
    /// How many are to get it, as far as that is known.
    pub recipients: u32,
}

impl PostEmail {
    /// An email of which nothing was sent yet.
    pub fn new(outset: Outset, now: Timestamp) -> Self {
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
            sending: Sending::default(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether there is something left to do for it.
    pub fn is_under_way(&self) -> bool {
        matches!(self.status, EmailStatus::Pending | EmailStatus::Submitting)
    }

    /// Whether it is to be tried at `now`.
    pub fn is_due(&self, now: Timestamp) -> bool {
        let failures = self.sending.failures;
        let is_over = |until| is_over(until, failures, now);
        self.is_under_way() && self.sending.due_at.is_none_or(is_over)
    }

    /// How many have neither got it nor were refused.
    pub fn unreached(&self) -> u32 {
        let done = self.delivered.saturating_add(self.failed);
        self.recipients.saturating_sub(done)
    }

    /// Whether sending it again could reach anybody.
    pub fn can_be_retried(&self) -> bool {
        !self.is_under_way()
            && (self.status == EmailStatus::Failed || self.failed > 0 || self.unreached() > 0)
    }

    /// It is over, for what has come of it.
    pub fn conclude(&mut self, error: Option<&str>) {
        let reached_nobody = self.delivered == 0 && (error.is_some() || self.failed > 0);
        self.status = if reached_nobody {
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
        self.sending.due_at = None;
    }

    /// The mail server took nothing for this reason: it is tried again later, and no more when that has been so for a day.
    ///
    /// The wait grows with each failure; `jitter` adds up to a quarter of it.
    pub fn fail(&mut self, reason: &str, now: Timestamp, jitter: u8) {
        let since = *self.sending.failing_since.get_or_insert(now);
        if now.duration_since(since) >= SignedDuration::try_from(TRIED_FOR).unwrap_or_default() {
            let unreached = self.unreached();
            let error = format!("Gave up after a day with {unreached} not reached: {reason}");
            return self.conclude(Some(&error));
        }
        self.error = Some(reason.into());
        let wait = wait_after(self.sending.failures, jitter);
        self.sending.due_at = now.checked_add(wait).ok();
        self.sending.failures = self.sending.failures.saturating_add(1);
    }

    /// The mail server took something.
    pub fn succeed(&mut self) {
        self.sending.failures = 0;
        self.sending.failing_since = None;
        self.sending.due_at = None;
        self.error = None;
    }

    /// It is to be sent once more, to those whom it has not reached.
    pub fn retry(&mut self) {
        self.status = EmailStatus::Pending;
        self.succeed();
        self.failed = 0;
        self.sending.put_off = None;
        self.sending.next_batch = 0;
    }
}

/// Some of the recipients of an email.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmailBatch {
    /// The record's identifier.
    pub id: Id,
    /// Its place among those of the email, from 0.
    pub number: u32,
    /// How far it is. One that is being sent when the program starts is in doubt: all who wait may have got it.
    pub status: EmailStatus,
    /// How many were in it when it was made.
    pub size: u32,
    /// Who is still to get it. Those whom the mail server put off come last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Id>,
    /// For whom the mail server refused it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    /// Why some still wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: OptionalText,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Why somebody did not get an email.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Who, who may be gone by now.
    pub member: Id,
    /// The second identifier of the member.
    pub member_uuid: Uuid,
    /// The address that was tried.
    pub address: Box<str>,
    /// What the member was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// The code of the mail server, if it said one (RFC 5321, section 4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// What the mail server said.
    pub message: Box<str>,
    /// When.
    pub at: Timestamp,
}

impl EmailBatch {
    /// The batch with this number for these members.
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

    /// What it is once nobody is being written to: over, or to be gone on with.
    pub fn settle(&mut self, now: Timestamp) {
        self.updated_at = now;
        self.status = match (self.waiting.is_empty(), self.refusals.len() as u32) {
            (false, _) => EmailStatus::Pending,
            (true, refused) if refused == self.size && refused > 0 => EmailStatus::Failed,
            (true, _) => EmailStatus::Submitted,
        };
        if self.waiting.is_empty() {
            self.error = None;
        }
    }

    /// Those for whom it was refused wait again. Tells whether there is anybody.
    pub fn retry(&mut self, now: Timestamp) -> bool {
        let refused = std::mem::take(&mut self.refusals);
        let is_any = !refused.is_empty();
        self.waiting
            .extend(refused.into_iter().map(|refusal| refusal.member));
        if is_any {
            self.settle(now);
        }
        is_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(recipients: u32) -> PostEmail {
        let outset = Outset {
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
    fn an_email_failed_when_nobody_got_it_who_was_to_get_it() {
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
    fn a_mail_server_that_takes_nothing_is_tried_for_a_day_and_one_that_takes_something_again() {
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
        assert_eq!(error, "Gave up after a day with 2 not reached: away");
    }
}
