//! Deletes members.

use std::sync::Arc;

use crate::{
    admin::{collection, members::saving::found},
    domain::{action::ActionEvent, actor::Actor, member::Member},
    error::Result,
    id::Id,
    site::Transaction,
};

/// Deletes a member, and returns the deleted record.
///
/// # Errors
///
/// `NotFound` if it does not exist.
pub fn delete(transaction: &mut Transaction, actor: &Actor, id: Option<Id>) -> Result<Arc<Member>> {
    let member = found(transaction.catalog(), id)?;
    transaction.delete_member(member.id)?;
    collection::record_action(transaction, actor, ActionEvent::Deleted, &*member)?;
    Ok(member)
}
