//! What a webhook is to be told: one row for each event and subscriber, in order.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::Id;

/// Something that a webhook is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WebhookDelivery {
    /// Who is told.
    pub webhook: Id,
    /// Its place among all deliveries of the site: later ones have higher numbers, and none is given twice.
    pub number: u64,
    /// What happened, such as `post.published`.
    pub event: Box<str>,
    /// The body of the request: JSON.
    pub body: Box<str>,
    /// When it happened.
    pub queued_at: Timestamp,
}
