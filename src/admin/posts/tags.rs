//! The tags of a post: existing ones, and new ones that are created with it.

use std::{collections::HashSet, sync::Arc};

use super::{ChangeContext, change::TagReference};
use crate::{
    admin::tags::{self, TagChanges},
    catalog::Catalog,
    collation::TextKey,
    domain::tag::{TAGS_EDIT, Tag},
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::Transaction,
};

/// Returns the tags that `references` name, in order and without duplicates. A tag is found by its
/// identifier, its slug, or its name, ignoring case. An unknown name or slug creates a tag; a name
/// together with a known identifier renames the tag (Ghost 6.65, recorded). Other fields are
/// ignored.
///
/// # Errors
///
/// `Validation` if a reference has only an unknown identifier, or an empty name.
pub(super) fn resolved(
    transaction: &mut Transaction,
    context: &ChangeContext,
    references: &[TagReference],
) -> Result<Vec<Id>> {
    let references = &distinct(references, context);
    let mut tags = Vec::with_capacity(references.len());
    for reference in references {
        let tag = match known(transaction.catalog(), reference) {
            Some(tag) => {
                // A tag named by a content file exists as long as a file names it.
                if !transaction.writes_files() {
                    make_permanent(transaction, tag)?;
                }
                rename(transaction, context, tag, reference)?;
                tag
            }
            None => add(transaction, context, reference)?.id,
        };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// Returns the references with valid slugs. Of references without an identifier, only the first
/// with a given name, ignoring case, is returned (Ghost 6.65, observed).
fn distinct(references: &[TagReference], context: &ChangeContext) -> Vec<TagReference> {
    let mut names = HashSet::new();
    let mut distinct = Vec::with_capacity(references.len());
    for reference in references {
        let name = reference.name.as_deref().map(TextKey::of);
        // The name of a reference with an identifier is recorded as well, so that a later reference
        // with that name only is a repetition.
        let is_new = name.is_none_or(|name| names.insert(name));
        if reference.id.is_some() {
            distinct.push(reference.clone());
        } else if is_new {
            let clean = |text: &str| slug::from_text(slug::Kind::Tag, text, context.site.path());
            distinct.push(TagReference {
                slug: reference.slug.as_deref().map(clean),
                ..reference.clone()
            });
        }
    }
    distinct
}

/// Makes a tag that exists only for content files permanent.
fn make_permanent(transaction: &mut Transaction, id: Id) -> Result<()> {
    match transaction.catalog().tags.get(id) {
        Some(tag) if tag.implied => {
            let permanent = Tag {
                implied: false,
                ..Tag::clone(tag)
            };
            transaction.save(permanent)
        }
        _ => Ok(()),
    }
}

/// Renames a tag that is referenced by its identifier. Does nothing for actors who may not edit
/// tags, and for tags of content files.
fn rename(
    transaction: &mut Transaction,
    context: &ChangeContext,
    tag: Id,
    reference: &TagReference,
) -> Result<()> {
    let is_of_file = |tag: &Arc<Tag>| tag.origin.is_file();
    let is_permitted = TAGS_EDIT.admit(context.actor).is_ok();
    let name = reference.name.as_deref();
    if reference.id != Some(tag)
        || name.is_none_or(str::is_empty)
        || !is_permitted
        || transaction.catalog().tags.get(tag).is_some_and(is_of_file)
    {
        return Ok(());
    }
    let changes = TagChanges {
        name,
        ..TagChanges::default()
    };
    tags::edit_in(
        transaction,
        context.actor,
        Some(tag),
        &changes,
        context.site,
    )
    .map(drop)
}

/// Returns the existing tag that a reference names by identifier, slug or name (ignoring case), in
/// this order.
fn known(catalog: &Catalog, reference: &TagReference) -> Option<Id> {
    let tags = &catalog.tags;
    let by_id = || Some(tags.get(reference.id?)?.id);
    let by_slug = || Some(tags.by_slug(reference.slug.as_deref()?)?.id);
    let by_name = || Some(tags.named(reference.name.as_deref()?)?.id);
    by_id().or_else(by_slug).or_else(by_name)
}

fn add(
    transaction: &mut Transaction,
    context: &ChangeContext,
    reference: &TagReference,
) -> Result<Arc<Tag>> {
    let name = reference.name.as_deref().or(reference.slug.as_deref());
    let unusable = match (name, reference.id) {
        (None, Some(id)) => format!("\"tags\" names a tag that does not exist: {id}."),
        (None | Some(""), _) => "A tag of a post needs a name.".to_owned(),
        (Some(_), _) => {
            let changes = TagChanges {
                name,
                slug: reference.slug.as_deref(),
                ..TagChanges::default()
            };
            // The file will name the tag, so it gets the identifier that every machine derives from
            // the file.
            return if transaction.writes_files() {
                tags::imply(transaction, &changes, context.site)
            } else {
                tags::add_to(transaction, context.actor, &changes, context.site)
            };
        }
    };
    // The errors name no field (Ghost 6.65, recorded).
    Err(Error::new(Kind::Validation, unusable))
}
