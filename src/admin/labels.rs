//! Labels of members: made, changed and deleted (Ghost 6.65, recorded).

use std::sync::Arc;

use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
        label::Label,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
};

/// What is to be of a label; `None` leaves it as it is.
#[derive(Debug, Default)]
pub struct Changes {
    /// What the staff sees.
    pub name: Option<Box<str>>,
    /// What its slug is made from; from its name when this is empty, and where a new one is said nothing of it.
    pub slug: Option<Box<str>>,
}

/// Makes a label.
///
/// # Errors
///
/// `Validation` when the name is empty, too long, begins with a comma, or is another one's to the letter.
pub fn add(site: &Site, actor: &Actor, changes: &Changes) -> Result<Arc<Label>> {
    site.write(|transaction| add_to(transaction, actor, changes))
}

/// Makes a label as a part of a greater change, as [`add`] does.
///
/// # Errors
///
/// As [`add`].
pub fn add_to(
    transaction: &mut Transaction,
    actor: &Actor,
    changes: &Changes,
) -> Result<Arc<Label>> {
    let now = transaction.now();
    let name = changes.name.as_deref().unwrap_or_default().trim();
    let wanted = changes.slug.as_deref().filter(|slug| !slug.is_empty());
    let wanted = wanted.unwrap_or(name);
    let label = Label {
        id: Id::generate(now).map_err(Error::internal)?,
        slug: free_slug(transaction, wanted, None),
        name: name.into(),
        created_at: now,
        updated_at: now,
    };
    save(transaction, actor, ActionEvent::Added, label)
}

/// Changes a label; tells what it is now, and whether that is another than before. Its slug stays when its name changes.
///
/// # Errors
///
/// `NotFound` when there is none; otherwise as [`add`].
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: &Changes,
) -> Result<(Arc<Label>, bool)> {
    site.write(|transaction| {
        let before = found(transaction, id)?;
        let mut label = Label::clone(&before);
        if let Some(name) = &changes.name {
            label.name = name.trim().into();
        }
        if let Some(wanted) = &changes.slug {
            let wanted = if wanted.is_empty() {
                &label.name
            } else {
                wanted
            };
            label.slug = free_slug(transaction, wanted, Some(label.id));
        }
        if label == *before {
            return Ok((before, false));
        }
        label.updated_at = transaction.now_after(label.updated_at);
        let label = save(transaction, actor, ActionEvent::Edited, label)?;
        Ok((label, true))
    })
}

/// Deletes a label; members who have it are not touched.
///
/// # Errors
///
/// `NotFound` when there is none.
pub fn delete(site: &Site, actor: &Actor, id: Option<Id>) -> Result<()> {
    site.write(|transaction| {
        let label = found(transaction, id)?;
        transaction.delete_label(label.id)?;
        note(transaction, actor, ActionEvent::Deleted, &label)
    })
}

fn found(transaction: &Transaction, id: Option<Id>) -> Result<Arc<Label>> {
    let label = id.and_then(|id| transaction.catalog().labels.get(id));
    label.cloned().ok_or_else(|| Error::not_found("label"))
}

fn free_slug(transaction: &Transaction, text: &str, own: Option<Id>) -> Box<str> {
    let labels = &transaction.catalog().labels;
    let is_free = |slug: &String| {
        let holder = labels.by_slug(slug);
        holder.is_none_or(|holder| Some(holder.id) == own)
    };
    slug::candidates(slug::from_text(slug::Kind::Label, text, ""))
        .find(is_free)
        .expect("invariant: candidates have no end")
        .into()
}

fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    label: Label,
) -> Result<Arc<Label>> {
    if label.name.starts_with(',') {
        let message = "The name of a label does not begin with a comma.";
        return Err(Error::new(Kind::Validation, message).property("name"));
    }
    let id = label.id;
    transaction.save_label(label)?;
    let saved = found(transaction, Some(id))?;
    note(transaction, actor, event, &saved)?;
    Ok(saved)
}

fn note(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    label: &Label,
) -> Result<()> {
    let subject = Subject {
        id: label.id,
        resource_type: "label",
        name: Some(&label.name),
        kind: None,
    };
    transaction.record_action(actor, event, subject)
}
