//! The tags of a post: those there are, and new ones that are made with it.

use std::collections::HashMap;

use super::{Writer, change::TagReference};
use crate::{
    admin::tags::{self, Changes},
    domain::tag::Tag,
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// The tags that `references` name, each once, in order. A tag is known by its identifier, its slug or its name to the
/// letter; a name or slug that is not known makes a tag (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` when nothing but an unknown identifier is said of a tag, or its name is empty.
pub(super) fn resolved(
    transaction: &mut Transaction,
    writer: &Writer,
    references: &[TagReference],
) -> Result<Vec<Id>> {
    let mut by_name = named(transaction, references);
    let mut tags = Vec::with_capacity(references.len());
    for reference in references {
        let known = known(transaction, &by_name, reference);
        let tag = match known {
            Some(tag) => {
                keep(transaction, tag)?;
                tag
            }
            None => {
                let tag = add(transaction, writer, reference)?;
                by_name.insert(tag.name.clone(), tag.id);
                tag.id
            }
        };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// The oldest tag of each name that is asked for.
fn named(transaction: &Transaction, references: &[TagReference]) -> HashMap<Box<str>, Id> {
    let mut by_name = HashMap::new();
    if references.iter().any(|reference| reference.name.is_some()) {
        for tag in transaction.catalog().tags.iter() {
            by_name.entry(tag.name.clone()).or_insert(tag.id);
        }
    }
    by_name
}

/// A tag that is there for content files only stays from now on, whether one names it or not.
fn keep(transaction: &mut Transaction, id: Id) -> Result<()> {
    match transaction.catalog().tags.get(id) {
        Some(tag) if tag.implied => {
            let kept = Tag {
                implied: false,
                ..Tag::clone(tag)
            };
            transaction.save(kept)
        }
        _ => Ok(()),
    }
}

fn known(
    transaction: &Transaction,
    by_name: &HashMap<Box<str>, Id>,
    reference: &TagReference,
) -> Option<Id> {
    let tags = &transaction.catalog().tags;
    let by_id = || Some(tags.get(reference.id?)?.id);
    let by_slug = || Some(tags.by_slug(reference.slug.as_deref()?)?.id);
    let by_own_name = || by_name.get(reference.name.as_deref()?).copied();
    by_id().or_else(by_slug).or_else(by_own_name)
}

fn add(transaction: &mut Transaction, writer: &Writer, reference: &TagReference) -> Result<Tag> {
    let name = reference.name.as_deref().or(reference.slug.as_deref());
    let unusable = match (name, reference.id) {
        (None, Some(id)) => format!("There is no tag {id}, which the post is to have."),
        (None | Some(""), _) => "A tag of a post has a name.".to_owned(),
        (Some(_), _) => {
            let changes = Changes {
                name,
                slug: reference.slug.as_deref(),
                internal: None,
                texts: reference
                    .texts
                    .iter()
                    .map(|(field, text)| (*field, text.as_deref()))
                    .collect(),
            };
            return tags::add_to(transaction, writer.actor, &changes, writer.site);
        }
    };
    // No field is named: Ghost 6.65, recorded.
    Err(Error::new(Kind::Validation, unusable))
}
