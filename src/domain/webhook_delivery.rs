//! Webhook deliveries: queued, retried and finished.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::Id;

/// Maximum number of stored attempts of a delivery; the oldest are removed.
pub const LOGGED_ATTEMPTS_MAX: usize = 20;

/// A queued delivery of an event to a webhook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookDelivery {
    /// The webhook.
    pub webhook: Id,
    /// Its number, which increases with each event of the site. Deliveries of one event to several
    /// webhooks have the same number, but a webhook never gets a number twice.
    pub number: u64,
    /// The event, such as `post.published`.
    pub event: Box<str>,
    /// The body of the request: JSON.
    pub body: Box<str>,
    /// The time of the event.
    pub queued_at: Timestamp,
    /// The failed attempts so far.
    #[serde(default, skip_serializing_if = "Progress::is_new")]
    pub progress: Progress,
}

impl WebhookDelivery {
    /// Returns the identifier of the delivery, which is the same in all attempts, so that receivers
    /// can recognise duplicates.
    pub fn name(&self) -> String {
        name(self.webhook, self.number)
    }
}

/// Returns the identifier of the delivery with this number.
pub fn name(webhook: Id, number: u64) -> String {
    format!("{webhook}-{number}")
}

/// Parses a delivery's identifier into webhook and number; `None` if it is invalid.
pub fn parse_name(name: &str) -> Option<(Id, u64)> {
    let (webhook, number) = name.split_once('-')?;
    Some((webhook.parse().ok()?, number.parse().ok()?))
}

/// The progress of a delivery that failed before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of attempts.
    pub attempt_count: u32,
    /// The last [`LOGGED_ATTEMPTS_MAX`] attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// The number of failures since the first attempt or the last manual retry.
    pub failures: u32,
    /// The time of the first of these failures.
    pub failing_since: Option<Timestamp>,
    /// Due time of the next attempt; `None` for immediately.
    pub due_at: Option<Timestamp>,
}

impl Progress {
    /// Returns whether no attempt has been made yet.
    pub fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// Records a further attempt.
    pub fn record(&mut self, attempt: Attempt) {
        self.attempt_count = self.attempt_count.saturating_add(1);
        if self.attempts.len() >= LOGGED_ATTEMPTS_MAX {
            self.attempts.remove(0);
        }
        self.attempts.push(attempt);
    }
}

/// An attempt of a delivery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Time of the start.
    pub at: Timestamp,
    /// The response status; `None` without a response.
    pub status: Option<u16>,
    /// The error; `None` if there was none.
    pub error: Option<Box<str>>,
    /// Its duration, in milliseconds.
    pub latency_ms: u32,
}

/// A finished delivery, as logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedDelivery {
    /// Its number.
    pub number: u64,
    /// The event.
    pub event: Box<str>,
    /// The time of the event.
    pub queued_at: Timestamp,
    /// Time of the delivery or the permanent failure.
    pub finished_at: Timestamp,
    /// True if it was delivered.
    pub is_delivered: bool,
    /// The last request; `None` if no request was sent.
    pub request: Option<LoggedRequest>,
    /// The body of the requests; `None` if it was too long to be stored.
    pub body: Option<Box<str>>,
    /// Length of the body, in bytes.
    pub body_bytes: usize,
    /// The last response; `None` if no response was received.
    #[serde(rename = "answer")]
    pub response: Option<LoggedResponse>,
    /// The number of attempts.
    pub attempt_count: u32,
    /// The last [`LOGGED_ATTEMPTS_MAX`] attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// A request without its body, as logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedRequest {
    /// The target URL without credentials.
    pub address: Box<str>,
    /// The header fields that concern the delivery.
    pub headers: Vec<(Box<str>, Box<str>)>,
}

/// A response of a receiver, as logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedResponse {
    /// The status.
    pub status: u16,
    /// Some of the header fields, with lower-case names.
    pub headers: Vec<(Box<str>, Box<str>)>,
    /// The beginning of the body; invalid UTF-8 is replaced.
    pub body: Box<str>,
    /// True if the body was truncated.
    pub is_cut: bool,
}

/// The result of an attempt.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    /// The webhook.
    pub webhook: Id,
    /// The number of the delivery.
    pub number: u64,
    /// The attempt.
    pub attempt: Attempt,
    /// The consequence for the delivery.
    pub end: End,
}

/// The consequence of an attempt for its delivery.
#[derive(Clone, Debug)]
pub enum End {
    /// The delivery succeeded, or failed permanently.
    Finished(Box<FinishedDelivery>),
    /// The delivery failed permanently: throughout the retry period, the receiver did not respond
    /// or reported errors. Queued deliveries of events before this time fail as well.
    FailedWithOlder(Box<FinishedDelivery>, Timestamp),
    /// The delivery will be retried.
    Later(Box<WebhookDelivery>),
    /// The receiver no longer exists, and its webhook is deleted.
    Gone,
}
