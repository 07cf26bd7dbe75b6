//! Many members at once, all in one transaction.

use std::sync::Arc;

use crate::{
    catalog::Catalog,
    domain::{action::ActionEvent, actor::Actor, member::Member, member_event::EventSource},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// What is to become of many members.
#[derive(Clone, Copy, Debug)]
pub enum BulkChange {
    /// They get this label behind those they have.
    AddLabel(Id),
    /// They lose it.
    RemoveLabel(Id),
    /// They no longer get this newsletter, or any when none is named.
    Unsubscribe(Option<Id>),
}

/// What came of a change of many members.
#[derive(Clone, Copy, Debug)]
pub struct BulkOutcome {
    /// How many are as they were to be.
    pub successful: usize,
}

/// Changes the members that `select` finds.
///
/// # Errors
///
/// What `select` returns; `Validation` for a label that there is not.
pub fn bulk_edit(
    transaction: &mut Transaction,
    actor: &Actor,
    select: impl FnOnce(&Catalog) -> Result<Vec<Arc<Member>>>,
    change: BulkChange,
) -> Result<BulkOutcome> {
    if let BulkChange::AddLabel(label) | BulkChange::RemoveLabel(label) = change
        && transaction.catalog().labels.get(label).is_none()
    {
        return Err(Error::new(Kind::Validation, "There is no such label.").property("label"));
    }
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
        member.updated_at = transaction.now_after(member.updated_at);
        transaction.record_member_change(Some(before), &member, EventSource::from(actor))?;
        transaction.save_member(member)?;
        count += 1;
    }
    transaction.record_actions(actor, ActionEvent::Edited, "member", count)?;
    Ok(BulkOutcome {
        successful: selected.len(),
    })
}

/// Deletes the members that `select` finds.
///
/// # Errors
///
/// What `select` returns.
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
