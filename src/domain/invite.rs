//! Invites: pending staff users, each with a link sent by mail.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    member::email_key, permission::permissions, record::record, role::Role, secret::Digest,
};
use crate::id::Id;

/// Lifetime of an invite: a week (Ghost 6.65, recorded).
pub const GOOD_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An invitation to the staff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invite {
    /// The record's identifier.
    pub id: Id,
    /// The e-mail address of the invited person.
    pub email: Box<str>,
    /// The role that the person will have.
    pub role: Role,
    /// The digest of the secret in the link.
    pub secret: Digest,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

record!(Invite, "invite", |invite| &invite.email);

permissions! {
    INVITES_BROWSE: "invites", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    INVITES_ADD: "invites", "add" => Below, Below, Writers, Writers, No, No, No;
    INVITES_DELETE: "invites", "delete" => Yes, Yes, Yes, Yes, No, No, No;
}

impl Invite {
    /// Returns whether the invite is valid at `now`.
    pub fn is_good(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Returns whether the invite is for this address, ignoring case (Ghost 6.65, recorded).
    pub fn is_for(&self, email: &str) -> bool {
        email_key(&self.email) == email_key(email)
    }
}
