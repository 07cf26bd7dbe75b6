//! What a webhook is to be sent, in order; and what came of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::Id;

/// How many attempts of a delivery are kept; of more, the last.
pub const ATTEMPTS_KEPT: usize = 20;

/// Something that a webhook is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookDelivery {
    /// Who is told.
    pub webhook: Id,
    /// Its place among all deliveries of the site: later ones have higher numbers. Several webhooks are sent the same event
    /// under the same number, and none is sent two under one.
    pub number: u64,
    /// What happened, such as `post.published`.
    pub event: Box<str>,
    /// The body of the request: JSON.
    pub body: Box<str>,
    /// When it happened.
    pub queued_at: Timestamp,
    /// How it stands with what was tried and failed.
    #[serde(default, skip_serializing_if = "Progress::is_new")]
    pub progress: Progress,
}

impl WebhookDelivery {
    /// What the delivery is called, in all its attempts: what receivers drop repeats by.
    pub fn name(&self) -> String {
        name(self.webhook, self.number)
    }
}

/// What the delivery with this number is called.
pub fn name(webhook: Id, number: u64) -> String {
    format!("{webhook}-{number}")
}

/// The webhook and the number of the delivery that is called this; `None` when none can be.
pub fn parse_name(name: &str) -> Option<(Id, u64)> {
    let (webhook, number) = name.split_once('-')?;
    Some((webhook.parse().ok()?, number.parse().ok()?))
}

/// How far a delivery is that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How often it was tried at all.
    pub attempt_count: u32,
    /// The last [`ATTEMPTS_KEPT`] of these attempts, from old to new.
    pub attempts: Vec<Attempt>,
    /// How often it failed since it was begun with, or asked for again.
    pub failures: u32,
    /// When the first of these failures was.
    pub failing_since: Option<Timestamp>,
    /// When it is to be tried again; `None` at once.
    pub due_at: Option<Timestamp>,
}

impl Progress {
    /// Whether nothing was tried yet.
    pub fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// Notes one more attempt.
    pub fn note(&mut self, attempt: Attempt) {
        self.attempt_count = self.attempt_count.saturating_add(1);
        if self.attempts.len() >= ATTEMPTS_KEPT {
            self.attempts.remove(0);
        }
        self.attempts.push(attempt);
    }
}

/// One attempt to deliver something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    pub at: Timestamp,
    /// The status that was answered; `None` when nobody answered.
    pub status: Option<u16>,
    /// What went wrong; `None` when nothing did.
    pub error: Option<Box<str>>,
    /// How long it took, in milliseconds.
    pub latency_ms: u32,
}

/// A delivery that is over, as the log keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedDelivery {
    /// Its number.
    pub number: u64,
    /// What happened.
    pub event: Box<str>,
    /// When that was.
    pub queued_at: Timestamp,
    /// When it was delivered or given up.
    pub finished_at: Timestamp,
    /// Whether the receiver has it.
    pub is_delivered: bool,
    /// The last request; `None` when there was none.
    pub request: Option<KeptRequest>,
    /// The body of every request; `None` when it is too long to be kept.
    pub body: Option<Box<str>>,
    /// The length of that, in bytes.
    pub body_bytes: usize,
    /// What was answered the last time; `None` when nobody answered.
    pub answer: Option<KeptAnswer>,
    /// How often it was tried.
    pub attempt_count: u32,
    /// The last [`ATTEMPTS_KEPT`] of these attempts, from old to new.
    pub attempts: Vec<Attempt>,
}

/// What was sent, but for the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRequest {
    /// Where it was sent, without a user's name and password.
    pub address: Box<str>,
    /// The header fields that are about the delivery.
    pub headers: Vec<(Box<str>, Box<str>)>,
}

/// What a receiver answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The status.
    pub status: u16,
    /// Some of the header fields, their names in small letters.
    pub headers: Vec<(Box<str>, Box<str>)>,
    /// The beginning of the body; what is not UTF-8 in it is replaced.
    pub body: Box<str>,
    /// Whether there was more of it.
    pub is_cut: bool,
}

/// What came of an attempt.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Who was told.
    pub webhook: Id,
    /// Which delivery it was.
    pub number: u64,
    /// The attempt.
    pub attempt: Attempt,
    /// What becomes of the delivery.
    pub end: End,
}

/// What becomes of a delivery after an attempt.
#[derive(Clone, Debug)]
pub enum End {
    /// The receiver has it, or it is given up.
    Finished(Box<FinishedDelivery>),
    /// It is given up after a time in which nobody answered or the receiver was in trouble. What has waited as long behind it
    /// is given up too: all that happened before this.
    GivenUpWithOlder(Box<FinishedDelivery>, Timestamp),
    /// It is tried again later.
    Later(Box<WebhookDelivery>),
    /// The receiver is no more, and wants nothing more.
    Gone,
}
