//! Staff access tokens: keys with which a program acts as a staff user (specification 5.2).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::integration::{ADMIN_SECRET_DIGITS, ApiKey};
use crate::id::Id;

/// The access token of a user. A user has at most one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaffToken {
    /// The user.
    pub user: Id,
    /// The key.
    pub key: ApiKey,
    /// Time at which the user first requested it.
    pub created_at: Timestamp,
    /// Time at which its current secret was generated.
    pub updated_at: Timestamp,
}

impl StaffToken {
    /// Returns a new key for `user`.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn generate(user: Id, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            user,
            key: ApiKey::generate(ADMIN_SECRET_DIGITS, now)?,
            created_at: now,
            updated_at: now,
        })
    }

    /// Returns the same key with a new secret: tokens signed with the old one become invalid.
    ///
    /// # Errors
    ///
    /// If the operating system provides no randomness.
    pub fn refreshed(&self, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            key: self.key.refreshed()?,
            updated_at: now,
            ..self.clone()
        })
    }
}
