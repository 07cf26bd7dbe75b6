//! Access tokens of the staff, and the digests of single-use tokens that were used.

use std::ops::{Bound, ControlFlow};

use jiff::Timestamp;

use super::{Transaction, records};
use crate::{
    domain::{secret::Digest, staff_token::StaffToken},
    error::Result,
    id::Id,
    store::{Keys, Table},
};

/// Number of other used tokens that each use checks and deletes if they have expired. Digests are
/// evenly distributed, so checking a few each time keeps the table nearly minimal.
const CHECKED_TOKENS: usize = 4;

impl Transaction {
    /// Stores the access token of a staff user in place of the previous one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_staff_token(&mut self, token: StaffToken) -> Result<()> {
        self.put(Table::StaffTokens, token.user.as_bytes(), &token)?;
        self.catalog_mut().put_staff_token(token);
        Ok(())
    }

    /// Deletes the access token of a staff user, if there is one.
    pub fn delete_staff_token(&mut self, user: Id) {
        // Only an existing token is deleted, so that the transaction stays empty otherwise.
        if self.catalog_mut().remove_staff_token(user).is_some() {
            self.delete(Table::StaffTokens, user.as_bytes());
        }
    }

    /// Records the use of a single-use token that expires at `ends`. Returns whether this was the
    /// first use.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn use_token(&mut self, token: &Digest, ends: Timestamp) -> Result<bool> {
        let key = token.as_bytes();
        // Read in the transaction, so that of two simultaneous uses only one is the first.
        if self.read::<Timestamp>(Table::UsedTokens, key)?.is_some() {
            return Ok(false);
        }
        self.record_end_of_use(token, ends)?;
        Ok(true)
    }

    /// Records that the token with this digest is not accepted any more, for as long as it is valid:
    /// until `ends`. Deletes a few such records that have expired.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn record_end_of_use(&mut self, digest: &Digest, ends: Timestamp) -> Result<()> {
        let key = digest.as_bytes();
        // A few with each use, instead of a periodic scan of the whole table.
        for worthless in self.expired_tokens_after(key)? {
            self.delete(Table::UsedTokens, &worthless);
        }
        self.put(Table::UsedTokens, key, &ends)
    }

    /// Returns the keys of those of the next few used tokens that have expired.
    fn expired_tokens_after(&self, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        let mut checked = 0;
        let mut outcome = Ok(());
        let keys = Keys::range::<&[u8]>((Bound::Excluded(key), Bound::Unbounded));
        self.scan(Table::UsedTokens, &keys, |key, bytes| {
            match records::decode::<Timestamp>(Table::UsedTokens, bytes) {
                Ok(ends) if ends < self.now() => found.push(key.to_vec()),
                Ok(_) => {}
                Err(error) => outcome = Err(error),
            }
            checked += 1;
            if checked < CHECKED_TOKENS && outcome.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        outcome.map(|()| found)
    }
}
