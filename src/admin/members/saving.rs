//! Finds members, and saves them with their events and actions.

use std::sync::Arc;

use crate::{
    admin::collection,
    catalog::Catalog,
    domain::{action::ActionEvent, actor::Actor, member::Member, member_event::EventSource},
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Returns the member with this identifier.
///
/// # Errors
///
/// `NotFound` if it does not exist.
pub fn found(catalog: &Catalog, id: Option<Id>) -> Result<Arc<Member>> {
    let member = id.and_then(|id| catalog.members.get(id));
    member.cloned().ok_or_else(|| Error::not_found("member"))
}

/// Saves a member, and records the event and the action.
pub(super) fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    before: Option<Arc<Member>>,
    member: Member,
) -> Result<Arc<Member>> {
    if let Some(before) = before.as_ref().filter(|before| ***before == member) {
        return Ok(Arc::clone(before));
    }
    let after = save_with_events(transaction, actor, before.as_deref(), member)?;
    let event = match before {
        None => ActionEvent::Added,
        Some(_) => ActionEvent::Edited,
    };
    collection::record_action(transaction, actor, event, &*after)?;
    Ok(after)
}

/// Saves a changed member with the time of the change, and records its events.
pub(super) fn save_with_events(
    transaction: &mut Transaction,
    actor: &Actor,
    before: Option<&Member>,
    mut member: Member,
) -> Result<Arc<Member>> {
    member.updated_at = transaction.now_after(member.updated_at);
    let id = member.id;
    transaction.save_member(member)?;
    // Read back, because `save_member` also revokes the proofs of a member whose address changed.
    let after = transaction.catalog().members.get(id);
    let after = Arc::clone(after.expect("invariant: saved in this transaction"));
    transaction.record_member_change(before, &after, EventSource::from(actor))?;
    Ok(after)
}
