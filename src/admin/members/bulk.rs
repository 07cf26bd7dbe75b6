//! Bulk changes of members, each in one transaction.

use std::sync::Arc;

use crate::{
    admin::members::saving::save_with_events,
    catalog::Catalog,
    domain::{action::ActionEvent, actor::Actor, member::Member},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// A bulk change of members.
#[derive(Clone, Copy, Debug)]
pub enum BulkChange {
    /// Adds this label after the existing ones.
    AddLabel(Id),
    /// Removes this label.
    RemoveLabel(Id),
    /// Unsubscribes from this newsletter, or from all if none is named.
    Unsubscribe(Option<Id>),
}

/// The result of a bulk change.
#[derive(Clone, Copy, Debug)]
pub struct BulkOutcome {
    /// Number of members that are in the requested state.
    pub successful: usize,
}

/// Changes the members that `select` returns.
///
/// # Errors
///
/// The error of `select`; `Validation` for a label that does not exist.
pub fn bulk_edit(
    transaction: &mut Transaction,
    actor: &Actor,
    select: impl FnOnce(&Catalog) -> Result<Vec<Arc<Member>>>,
    change: BulkChange,
) -> Result<BulkOutcome> {
    if let BulkChange::AddLabel(label) | BulkChange::RemoveLabel(label) = change
        && transaction.catalog().labels.get(label).is_none()
    {
        return Err(Error::new(Kind::Validation, "The label does not exist.").property("label"));
    }
    // Selected within the transaction, so that the change applies to the members that match then.
    let selected = select(transaction.catalog())?;
    let mut count = 0;
    for before in &selected {
        let mut member = Member::clone(before);
        match change {
            BulkChange::AddLabel(label) if !member.labels.contains(&label) => {
                member.labels.push(label);
            }
            BulkChange::AddLabel(_) => {}
            BulkChange::RemoveLabel(label) => member.labels.retain(|known| *known != label),
            BulkChange::Unsubscribe(None) => member.newsletters.clear(),
            BulkChange::Unsubscribe(Some(newsletter)) => {
                member.newsletters.retain(|known| *known != newsletter);
            }
        }
        if member == **before {
            continue;
        }
        save_with_events(transaction, actor, Some(before), member)?;
        count += 1;
    }
    transaction.record_actions(actor, ActionEvent::Edited, "member", count)?;
    Ok(BulkOutcome {
        successful: selected.len(),
    })
}

/// Deletes the members that `select` returns.
///
/// # Errors
///
/// The error of `select`.
pub fn bulk_delete(
    transaction: &mut Transaction,
    actor: &Actor,
    select: impl FnOnce(&Catalog) -> Result<Vec<Arc<Member>>>,
) -> Result<BulkOutcome> {
    let selected = select(transaction.catalog())?;
    for member in &selected {
        transaction.delete_member(member.id)?;
    }
    transaction.record_actions(actor, ActionEvent::Deleted, "member", selected.len() as u64)?;
    Ok(BulkOutcome {
        successful: selected.len(),
    })
}
