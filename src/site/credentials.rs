//! The credentials of users.

use super::{Transaction, records};
use crate::{
    domain::{credentials::Credentials, user::User},
    error::Result,
    id::Id,
    store::Table,
};

impl Transaction {
    /// Returns the user's credentials from before this transaction; `None` for a user who cannot
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

    /// Replaces the user's credentials. Links for setting a password that were sent earlier become
    /// invalid. Writes nothing if the credentials are unchanged.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_credentials(&mut self, user: Id, credentials: &Credentials) -> Result<()> {
        // Compared with the stored credentials only if this transaction has not replaced them
        // before.
        let is_untouched = !self.has_touched(Table::Credentials, user.as_bytes());
        if is_untouched && self.stored_credentials(user)?.as_ref() == Some(credentials) {
            return Ok(());
        }
        // Otherwise an older link in a mailbox could undo the change of the password.
        self.delete(Table::PasswordResets, user.as_bytes());
        self.put(Table::Credentials, user.as_bytes(), credentials)
    }

    /// Revokes every authentication of a user except the password: sessions and their codes, known
    /// browsers, links for setting a password, and the access token. Returns the number of sessions.
    /// The session of [`keep_session`](Self::keep_session) continues.
    pub fn revoke_authentications(&mut self, user: Id) -> usize {
        self.delete_staff_token(user);
        self.end_sign_ins_of(user)
    }

    /// Ends the sessions of a user with their codes, known browsers, and links for setting a
    /// password. Returns the number of sessions.
    pub fn end_sign_ins_of(&mut self, user: Id) -> usize {
        self.delete(Table::PasswordResets, user.as_bytes());
        self.end_sessions_of(user)
    }

    /// Revokes the authentications of a user whose e-mail address, role or admission changed.
    pub(super) fn user_saved(&mut self, before: Option<&User>, after: &User) -> Result<()> {
        if before.is_some_and(|before| before.revokes_authentications(after)) {
            self.revoke_authentications(after.id);
        }
        Ok(())
    }

    /// Deletes everything that a removed user could authenticate with.
    pub(super) fn user_removed(&mut self, user: Id) -> Result<()> {
        self.delete(Table::Credentials, user.as_bytes());
        self.revoke_authentications(user);
        Ok(())
    }
}
