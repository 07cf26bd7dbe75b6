//! Invites. They are few and short-lived, so they are read from the store.

use std::ops::ControlFlow;

use super::{SiteSnapshot, Transaction, records};
use crate::{
    domain::invite::Invite,
    error::Result,
    id::Id,
    store::{Keys, Table},
};

impl SiteSnapshot {
    /// Returns all invites, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn invites(&self) -> Result<Vec<Invite>> {
        let mut invites = Vec::new();
        self.visit(Table::Invites, |_, invite: Invite| {
            invites.push(invite);
            Ok(())
        })?;
        Ok(invites)
    }

    /// Returns the invite with this identifier.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn invite(&self, id: Id) -> Result<Option<Invite>> {
        self.read(Table::Invites, id.as_bytes())
    }
}

impl Transaction {
    /// Returns all invites, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn invites(&self) -> Result<Vec<Invite>> {
        let mut invites: Vec<Result<Invite>> = Vec::new();
        self.scan(Table::Invites, &Keys::all(), |_, bytes| {
            invites.push(records::decode(Table::Invites, bytes));
            ControlFlow::Continue(())
        })?;
        invites.into_iter().collect()
    }

    /// Adds an invite.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn add_invite(&mut self, invite: &Invite) -> Result<()> {
        self.put(Table::Invites, invite.id.as_bytes(), invite)
    }

    /// Deletes an invite, if it exists. Its link becomes invalid.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_invite(&mut self, id: Id) -> Result<()> {
        self.delete(Table::Invites, id.as_bytes())
    }
}
