//! What users sign in with.

use super::{Transaction, records};
use crate::{domain::credentials::Credentials, error::Result, id::Id, store::Table};

impl Transaction {
    /// What the user signs in with, as this transaction found it; `None` for one who cannot.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn stored_credentials(&self, user: Id) -> Result<Option<Credentials>> {
        let record = self.found(Table::Credentials, user.as_bytes())?;
        record
            .map(|record| records::decode(Table::Credentials, &record.bytes))
            .transpose()
    }

    /// Gives the user these credentials in the place of those there are; links to set a password that were sent before are
    /// worth nothing any more. Nothing is written when they are the same.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn save_credentials(&mut self, user: Id, credentials: &Credentials) -> Result<()> {
        let is_untouched = !self.has_touched(Table::Credentials, user.as_bytes());
        if is_untouched && self.stored_credentials(user)?.as_ref() == Some(credentials) {
            return Ok(());
        }
        self.delete(Table::PasswordResets, user.as_bytes())?;
        self.put(Table::Credentials, user.as_bytes(), credentials)
    }

    /// Takes away everything that a user comes in with.
    pub(super) fn delete_account(&mut self, user: Id) -> Result<()> {
        self.delete(Table::Credentials, user.as_bytes())?;
        self.delete(Table::PasswordResets, user.as_bytes())?;
        self.delete_staff_token(user)?;
        self.end_sessions_of(user).map(drop)
    }
}
