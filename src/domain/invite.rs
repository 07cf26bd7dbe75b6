//! Invites: who may become a member of the staff, by a link that was sent to them.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{role::Role, secret::Digest};
use crate::id::Id;

/// How long an invite is good: a week (Ghost 6.65, recorded).
pub const GOOD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An invitation to the staff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invite {
    /// The record's identifier.
    pub id: Id,
    /// Who is invited.
    pub email: Box<str>,
    /// What the person will be.
    pub role: Role,
    /// What is kept of the secret that the link holds.
    pub secret: Digest,
    /// Until when it is good.
    pub expires_at: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Invite {
    /// Whether it is good at `now`.
    pub fn is_good(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Whether it is for this address, in the same case (Ghost 6.65, recorded).
    pub fn is_for(&self, email: &str) -> bool {
        *self.email == *email
    }
}
