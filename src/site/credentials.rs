//! The credentials of users.

use super::{Transaction, records};
use crate::{domain::credentials::Credentials, error::Result, id::Id, store::Table};

impl Transaction {
    /// Returns the user's credentials as this transaction found them; `None` for a user who cannot
    /// sign in.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn stored_credentials(&self, user: Id) -> Result<Option<Credentials>> {
        let found = self.found(Table::Credentials, user.as_bytes())?;
        found
            .map(|bytes| records::decode(Table::Credentials, &bytes))
            .transpose()
    }

    /// Replaces the user's credentials. Links for setting a password that were sent before become
    /// invalid. Writes nothing if the credentials are unchanged.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_credentials(&mut self, user: Id, credentials: &Credentials) -> Result<()> {
        let is_untouched = !self.has_touched(Table::Credentials, user.as_bytes());
        if is_untouched && self.stored_credentials(user)?.as_ref() == Some(credentials) {
            return Ok(());
        }
        self.delete(Table::PasswordResets, user.as_bytes());
        self.put(Table::Credentials, user.as_bytes(), credentials)
    }

    /// Deletes everything that a user can authenticate with.
    pub(super) fn delete_account(&mut self, user: Id) {
        self.delete(Table::Credentials, user.as_bytes());
        self.delete(Table::PasswordResets, user.as_bytes());
        self.delete_staff_token(user);
        self.end_sessions_of(user);
    }
}
