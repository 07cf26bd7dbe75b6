//! Labels of members: adding, editing and deleting (Ghost 6.65, recorded).

use std::sync::Arc;

use super::collection::{self, Collection, free_slug};
use crate::{
    domain::{action::ActionEvent, actor::Actor, label::Label},
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// New values for a label; `None` leaves a value unchanged.
#[derive(Debug, Default)]
pub struct LabelChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The text that the slug is derived from; if empty, or missing for a new label, the name is
    /// used.
    pub slug: Option<Box<str>>,
}

/// Adds a label.
///
/// # Errors
///
/// `Validation` if the name is empty, is too long, begins with a comma, or is exactly the name of
/// another label.
pub fn add(site: &Site, actor: &Actor, changes: &LabelChanges) -> Result<Arc<Label>> {
    site.write(|transaction| add_to(transaction, actor, changes))
}

/// Adds a label within a larger transaction, as [`add`] does.
///
/// # Errors
///
/// As [`add`].
pub fn add_to(
    transaction: &mut Transaction,
    actor: &Actor,
    changes: &LabelChanges,
) -> Result<Arc<Label>> {
    let now = transaction.now();
    let name = changes.name.as_deref().unwrap_or_default().trim();
    let slug_text = changes.slug.as_deref().filter(|slug| !slug.is_empty());
    let slug_text = slug_text.unwrap_or(name);
    let label = Label {
        id: Id::generate(now).map_err(Error::internal)?,
        slug: free_slug::<Label>(transaction, slug::Kind::Label, slug_text, None),
        name: name.into(),
        created_at: now,
        updated_at: now,
    };
    save(transaction, actor, ActionEvent::Added, label)
}

/// Updates a label; returns it, and whether it changed. A new name does not change the slug.
///
/// # Errors
///
/// `NotFound` if it does not exist; otherwise as [`add`].
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: &LabelChanges,
) -> Result<(Arc<Label>, bool)> {
    site.write(|transaction| {
        let before: Arc<Label> = collection::found(transaction, actor, id)?;
        let mut label = Label::clone(&before);
        if let Some(name) = &changes.name {
            label.name = name.trim().into();
        }
        if let Some(slug_text) = &changes.slug {
            let slug_text = if slug_text.is_empty() {
                &label.name
            } else {
                slug_text
            };
            label.slug =
                free_slug::<Label>(transaction, slug::Kind::Label, slug_text, Some(label.id));
        }
        // An unchanged label is not saved, so that `updated_at` and the audit log show changes
        // only.
        if label == *before {
            return Ok((before, false));
        }
        label.updated_at = transaction.now_after(label.updated_at);
        let label = save(transaction, actor, ActionEvent::Edited, label)?;
        Ok((label, true))
    })
}

impl Collection for Label {}

fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    label: Label,
) -> Result<Arc<Label>> {
    if label.name.starts_with(',') {
        let message = "The name of a label must not begin with a comma.";
        return Err(Error::new(Kind::Validation, message).property("name"));
    }
    collection::save(transaction, actor, event, label)
}
