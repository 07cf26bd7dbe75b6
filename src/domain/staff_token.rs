//! Staff access tokens: the key with which a program acts as a member of the staff (specification 5.2).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::integration::{ADMIN_SECRET_DIGITS, ApiKey};
use crate::id::Id;

/// The key of one user. A user has one at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StaffToken {
    /// Whose it is.
    pub user: Id,
    /// The key itself.
    pub key: ApiKey,
    /// When the user first asked for it.
    pub created_at: Timestamp,
    /// When it got its present secret.
    pub updated_at: Timestamp,
}

impl StaffToken {
    /// A new key for `user`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn generate(user: Id, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            user,
            key: ApiKey::generate(ADMIN_SECRET_DIGITS, now)?,
            created_at: now,
            updated_at: now,
        })
    }

    /// The same key with a new secret: what was made with the old one opens nothing any more.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub fn refreshed(&self, now: Timestamp) -> Result<Self, getrandom::Error> {
        Ok(Self {
            key: self.key.refreshed()?,
            updated_at: now,
            ..self.clone()
        })
    }
}
