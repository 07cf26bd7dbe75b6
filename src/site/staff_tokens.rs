//! The keys of the staff, and tokens that count once.

use std::ops::{Bound, ControlFlow};

use jiff::Timestamp;

use super::{Transaction, records};
use crate::{
    domain::{secret::Digest, staff_token::StaffToken},
    error::Result,
    id::Id,
    store::{Keys, Table},
};

/// How many others are looked at when a token is used: those that are worth nothing anyway are forgotten. Digests fall
/// everywhere alike, so looking at a few each time keeps the table about as small as what must be in it.
const LOOKED_AT: usize = 4;

impl Transaction {
    /// Keeps the key of a member of the staff, in the place of the one that there is.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn save_staff_token(&mut self, token: StaffToken) -> Result<()> {
        self.put(Table::StaffTokens, token.user.as_bytes(), &token)?;
        self.catalog_mut().put_staff_token(token);
        Ok(())
    }

    /// Takes the key of a member of the staff away, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn delete_staff_token(&mut self, user: Id) -> Result<()> {
        match self.catalog_mut().remove_staff_token(user) {
            Some(_) => self.delete(Table::StaffTokens, user.as_bytes()),
            None => Ok(()),
        }
    }

    /// Notes that a token that counts once was used; `ends` is when it is worth nothing anyway. Returns whether this was
    /// the first time.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn use_token(&mut self, token: &Digest, ends: Timestamp) -> Result<bool> {
        let key = token.as_bytes();
        if self.read::<Timestamp>(Table::UsedTokens, key)?.is_some() {
            return Ok(false);
        }
        for worthless in self.ended_tokens_after(key)? {
            self.delete(Table::UsedTokens, &worthless)?;
        }
        self.put(Table::UsedTokens, key, &ends)?;
        Ok(true)
    }

    /// Those of the next few used tokens that have ended.
    fn ended_tokens_after(&self, key: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        let mut looked_at = 0;
        let mut outcome = Ok(());
        let keys = Keys::range::<&[u8]>((Bound::Excluded(key), Bound::Unbounded));
        self.scan(Table::UsedTokens, &keys, |key, bytes| {
            match records::decode::<Timestamp>(Table::UsedTokens, bytes) {
                Ok(ends) if ends < self.now() => found.push(key.to_vec()),
                Ok(_) => {}
                Err(error) => outcome = Err(error),
            }
            looked_at += 1;
            if looked_at < LOOKED_AT && outcome.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        outcome.map(|()| found)
    }
}
