//! The tags of a post: those there are, and new ones that are made with it.

use std::collections::HashMap;

use super::{Writer, change::TagReference};
use crate::{
    domain::{
        action::{ActionEvent, Subject},
        tag::Tag,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{slug, urls},
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
            Some(tag) => tag,
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
    let name = match (&reference.name, &reference.slug, reference.id) {
        (Some(name), _, _) | (None, Some(name), _) => name.trim(),
        (None, None, Some(id)) => {
            return Err(Error::new(
                Kind::Validation,
                format!("There is no tag {id}, which the post is to have."),
            ));
        }
        (None, None, None) => "",
    };
    if name.is_empty() || name.starts_with(',') {
        return Err(Error::new(
            Kind::Validation,
            "The name of a tag is not empty and does not begin with a comma.",
        ));
    }
    let wanted = reference.slug.as_deref().unwrap_or(name);
    let tags = &transaction.catalog().tags;
    let slug = slug::candidates(slug::from_text(slug::Kind::Tag, wanted, writer.site.path()))
        .find(|slug| tags.by_slug(slug).is_none())
        .expect("there are more numbers than tags");
    let id = Id::generate(transaction.now()).map_err(Error::internal)?;
    let tag = Tag {
        description: reference.description.as_deref().map(Into::into),
        feature_image: reference.feature_image.as_deref().map(|address| {
            urls::address_to_stored(address, writer.site)
                .as_ref()
                .into()
        }),
        accent_color: reference.accent_color.as_deref().map(Into::into),
        ..Tag::new(id, &slug, name, transaction.now())
    };
    transaction.save(tag.clone())?;
    transaction.record_action(
        writer.actor,
        ActionEvent::Added,
        Subject {
            id,
            resource_type: "tag",
            name: Some(name),
            kind: None,
        },
    )?;
    Ok(tag)
}
