//! Applies a member change to the record, and resolves the labels that it names.

use std::collections::HashSet;

use super::{
    access,
    change::{LabelReference, MemberChange, NewsletterReference},
};
use crate::{
    admin::labels::{self, LabelChanges},
    catalog::Catalog,
    domain::{actor::Actor, label::Label, member::Member, newsletter::Newsletter},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Applies `change` to the member.
pub fn apply(
    transaction: &mut Transaction,
    actor: &Actor,
    member: &mut Member,
    change: &MemberChange,
) -> Result<()> {
    if let Some(email) = &change.email {
        member.email = email.clone();
    }
    if let Some(name) = &change.name {
        member.name = name.clone();
    }
    if let Some(note) = &change.note {
        member.note = note.clone();
    }
    let catalog = transaction.catalog();
    match (&change.newsletters, change.subscribed) {
        (Some(named), _) => subscribe(catalog, member, newsletters(catalog, named)?),
        (None, Some(false)) => member.newsletters.clear(),
        // Clients send back `true` for members with any newsletter, which must not add the default
        // ones.
        (None, Some(true)) if !gets_any(catalog, member) => {
            subscribe(catalog, member, newsletters_of_new_members(catalog));
        }
        (None, Some(true) | None) => {}
    }
    access::apply(transaction, member, change)?;
    if let Some(named) = &change.labels {
        member.labels = resolved_labels(transaction, actor, named)?;
    }
    Ok(())
}

/// Returns the newsletters that new members get by default, in their order.
pub fn newsletters_of_new_members(catalog: &Catalog) -> Vec<Id> {
    let newsletters = catalog.newsletters.iter();
    let mut newsletters: Vec<&Newsletter> = newsletters
        .map(AsRef::as_ref)
        .filter(|newsletter| newsletter.is_for_new_members())
        .collect();
    newsletters.sort_by_key(|newsletter| (newsletter.sort_order, newsletter.id));
    newsletters.iter().map(|newsletter| newsletter.id).collect()
}

/// Sets the newsletters of a member. Archived ones of the member remain and come first: responses
/// omit them, so clients cannot send them back (Ghost 6.65, recorded).
fn subscribe(catalog: &Catalog, member: &mut Member, newsletters: Vec<Id>) {
    let is_archived = |id: &Id| {
        let newsletter = catalog.newsletters.get(*id);
        newsletter.is_some_and(|newsletter| !newsletter.active)
    };
    member.newsletters.retain(is_archived);
    for id in newsletters {
        if !member.newsletters.contains(&id) {
            member.newsletters.push(id);
        }
    }
}

/// Returns whether one of the member's newsletters is active.
fn gets_any(catalog: &Catalog, member: &Member) -> bool {
    let mut newsletters = catalog.newsletters.all(&member.newsletters).into_iter();
    newsletters.any(|newsletter| newsletter.active)
}

fn newsletters(catalog: &Catalog, named: &[NewsletterReference]) -> Result<Vec<Id>> {
    let mut added = HashSet::new();
    let mut found = Vec::with_capacity(named.len());
    for reference in named {
        let newsletter = match reference {
            NewsletterReference::Id(id) => catalog.newsletters.get(*id),
            NewsletterReference::Name(name) => catalog.newsletters.named(name),
        };
        // The error names no field (Ghost 6.65, observed).
        let newsletter = newsletter.ok_or_else(|| {
            Error::new(
                Kind::Validation,
                "The request names a newsletter in \"newsletters\" that does not exist.",
            )
        })?;
        if added.insert(newsletter.id) {
            found.push(newsletter.id);
        }
    }
    Ok(found)
}

/// Returns the named labels, in order and without duplicates. A name refers to an existing label,
/// ignoring case, or creates a new one.
fn resolved_labels(
    transaction: &mut Transaction,
    actor: &Actor,
    named: &[LabelReference],
) -> Result<Vec<Id>> {
    let mut found: Vec<Id> = Vec::with_capacity(named.len());
    for reference in named {
        let name = reference.name.as_deref().unwrap_or_default().trim();
        if name.is_empty() {
            continue;
        }
        let id = match existing_label(transaction.catalog(), reference.id, name) {
            Some(label) => label.id,
            None => {
                let new = LabelChanges {
                    name: Some(name.into()),
                    slug: reference.slug.clone(),
                };
                labels::add_to(transaction, actor, &new)?.id
            }
        };
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

fn existing_label<'a>(catalog: &'a Catalog, id: Option<Id>, name: &str) -> Option<&'a Label> {
    let by_id = id.and_then(|id| catalog.labels.get(id));
    let label = by_id.or_else(|| catalog.labels.named(name));
    label.map(AsRef::as_ref)
}
