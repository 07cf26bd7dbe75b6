//! Shared steps of adding, editing and deleting records of any kind: the lookup, the audit entry,
//! and the rules that a kind declares.

use std::sync::Arc;

use super::content_files;
use crate::{
    domain::{action::ActionEvent, actor::Actor, record::Record},
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{CollectionRecord, EditableRecord, Site, Transaction},
};

/// The rules of a kind of records, in addition to those of its operations.
pub trait Collection: EditableRecord {
    /// Checks whether `actor` may change the record.
    ///
    /// # Errors
    ///
    /// `NotFound` if the record is hidden from the actor, `NoPermission` if it belongs to another
    /// actor.
    fn admit(&self, _actor: &Actor) -> Result<()> {
        Ok(())
    }

    /// Applies the consequences of the record's deletion.
    ///
    /// # Errors
    ///
    /// If a consequence cannot be applied.
    fn after_deletion(&self, _transaction: &mut Transaction) -> Result<()> {
        Ok(())
    }
}

/// Returns the record with this identifier if `actor` may change it.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`Collection::admit`].
pub fn found<R: Collection>(
    transaction: &Transaction,
    actor: &Actor,
    id: Option<Id>,
) -> Result<Arc<R>> {
    let record = match id {
        Some(id) => R::find(transaction, id)?,
        None => None,
    };
    let record = record.ok_or_else(|| Error::not_found(R::KIND))?;
    record.admit(actor)?;
    Ok(record)
}

/// Adds a record or replaces the one with the same identifier, and records the action. Returns the
/// stored record.
///
/// # Errors
///
/// If the record is invalid, or the store cannot be read.
pub fn save<R: EditableRecord>(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    record: R,
) -> Result<Arc<R>> {
    let saved = record.save(transaction)?;
    record_action(transaction, actor, event, &*saved)?;
    Ok(saved)
}

/// Deletes a record, with its consequences, and returns it.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`Collection`].
pub fn delete<R: Collection>(site: &Site, actor: &Actor, id: Option<Id>) -> Result<Arc<R>> {
    content_files::edit(site, actor, |transaction| {
        let record: Arc<R> = found(transaction, actor, id)?;
        R::remove(record.id(), transaction)?;
        // After the removal, because consequences depend on the records that are left.
        record.after_deletion(transaction)?;
        record_action(transaction, actor, ActionEvent::Deleted, &*record)?;
        Ok(record)
    })
}

/// Records the action of `actor` on a record in the audit log.
///
/// # Errors
///
/// If the store cannot be read, or the system provides no randomness.
pub fn record_action(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    record: &impl Record,
) -> Result<()> {
    transaction.record_action(actor, event, record.subject())
}

/// Returns the first slug derived from `text` that is not used by any record other than `own`.
pub fn free_slug<R: CollectionRecord>(
    transaction: &Transaction,
    kind: slug::Kind,
    text: &str,
    own: Option<Id>,
) -> Box<str> {
    let records = R::of(transaction.catalog());
    let is_free = |slug: &String| {
        let holder = records.by_slug(slug);
        holder.is_none_or(|holder| Some(holder.id()) == own)
    };
    slug::candidates(slug::from_text(kind, text, ""))
        .find(is_free)
        .expect("invariant: candidates have no end")
        .into()
}

/// Returns the error for an invalid value.
pub fn invalid(message: impl Into<String>) -> Error {
    Error::new(Kind::Validation, message.into())
}
