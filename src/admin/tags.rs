//! Tags: adding, editing and deleting (Ghost 6.65, recorded).

use std::sync::Arc;

use url::Url;

use super::{
    collection::{self, Collection},
    content_files,
    texts::{self, TextChanges},
};
use crate::{
    catalog::{Catalog, fields::STAFF_TAGS},
    domain::{
        UNDATED,
        action::ActionEvent,
        actor::Actor,
        post::Post,
        tag::{self, Tag},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::slug,
    site::{Site, Transaction},
    store::Table,
};

/// New values for a tag; values that are `None` or missing remain unchanged.
#[derive(Default)]
pub struct TagChanges<'a> {
    /// The name.
    pub name: Option<&'a str>,
    /// The text that the slug is derived from.
    pub slug: Option<&'a str>,
    /// True if the tag is internal. A name that begins with `#` takes precedence.
    pub internal: Option<bool>,
    /// Other texts.
    pub texts: TextChanges<Tag>,
    /// Fields that were sent as empty strings: a change even if they have no value (Ghost 6.65,
    /// recorded).
    pub emptied: Vec<&'static str>,
}

impl TagChanges<'_> {
    /// Applies everything but the slug.
    ///
    /// # Errors
    ///
    /// `Validation` if the name is blank or begins with a comma.
    fn apply(&self, tag: &mut Tag, site: &Url) -> Result<()> {
        if let Some(name) = self.name {
            tag.name = checked_name(name)?.into();
        }
        if let Some(internal) = self.internal {
            tag.internal = internal;
        }
        // An internal tag remains internal even if its new name does not begin with `#`.
        tag.internal |= tag::is_internal(&tag.name);
        texts::apply(tag, &self.texts, site);
        Ok(())
    }
}

/// Returns the name if it is valid. Surrounding blanks are preserved (Ghost 6.65, recorded).
fn checked_name(name: &str) -> Result<&str> {
    let problem = match name.trim() {
        "" => "A tag must have a name.",
        // The editor's input separates tags by commas.
        words if words.starts_with(',') => "The name of a tag must not begin with a comma.",
        _ => return Ok(name),
    };
    Err(Error::new(Kind::Validation, problem).property("name"))
}

/// Adds a tag. Names need not be unique; if the slug is in use, a number is appended. `site_url` is
/// the site's URL.
///
/// # Errors
///
/// `Validation` if the name is blank or begins with a comma.
pub fn add(site: &Site, actor: &Actor, changes: &TagChanges, site_url: &Url) -> Result<Arc<Tag>> {
    content_files::edit(site, actor, |transaction| {
        add_to(transaction, actor, changes, site_url)
    })
}

/// Adds a tag within a larger transaction, as [`add`] does.
///
/// # Errors
///
/// As [`add`].
pub fn add_to(
    transaction: &mut Transaction,
    actor: &Actor,
    changes: &TagChanges,
    site_url: &Url,
) -> Result<Arc<Tag>> {
    let id = Id::generate(transaction.now()).map_err(Error::internal)?;
    let name = checked_name(changes.name.unwrap_or_default())?;
    let requested = changes.slug.unwrap_or(name);
    let slug = unique_slug(transaction.catalog(), id, requested, site_url);
    let mut tag = Tag::new(id, &slug, name, transaction.now());
    changes.apply(&mut tag, site_url)?;
    collection::save(transaction, actor, ActionEvent::Added, tag)
}

/// Adds a tag that is implied by its name in a content file. Its identifier and dates are the same
/// on every machine.
///
/// # Errors
///
/// `Validation` for an invalid name.
pub fn imply(
    transaction: &mut Transaction,
    changes: &TagChanges,
    site_url: &Url,
) -> Result<Arc<Tag>> {
    let name = checked_name(changes.name.unwrap_or_default())?;
    let slug = slug::from_text(slug::Kind::Tag, name, site_url.path());
    if let Some(known) = transaction.catalog().tags.by_slug(&slug) {
        return Ok(Arc::clone(known));
    }
    let id = Id::derive("tag", &slug);
    let tag = Tag {
        implied: true,
        ..Tag::new(id, &slug, name, UNDATED)
    };
    transaction.save(tag)?;
    let saved = transaction.catalog().tags.get(id);
    Ok(Arc::clone(
        saved.expect("invariant: saved in this transaction"),
    ))
}

/// Updates a tag; returns it, and whether it changed. A new name does not change the slug.
///
/// # Errors
///
/// `NotFound` if it does not exist, `Validation` for a tag from a content file and for an invalid
/// name.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: &TagChanges,
    site_url: &Url,
) -> Result<(Arc<Tag>, bool)> {
    content_files::edit(site, actor, |transaction| {
        edit_in(transaction, actor, id, changes, site_url)
    })
}

/// Updates a tag within a larger transaction, as [`edit`] does.
///
/// # Errors
///
/// As [`edit`].
pub fn edit_in(
    transaction: &mut Transaction,
    actor: &Actor,
    id: Option<Id>,
    changes: &TagChanges,
    site_url: &Url,
) -> Result<(Arc<Tag>, bool)> {
    let before: Arc<Tag> = collection::found(transaction, actor, id)?;
    let mut tag = Tag::clone(&before);
    changes.apply(&mut tag, site_url)?;
    if let Some(requested) = changes.slug {
        tag.slug = unique_slug(transaction.catalog(), tag.id, requested, site_url).into();
    }
    // Clients send back the values of content files as they read them.
    let emptied = if before.origin.is_store() {
        STAFF_TAGS.without_value(&before, &changes.emptied)
    } else {
        Vec::new()
    };
    if tag == *before && emptied.is_empty() {
        return Ok((before, false));
    }
    transaction.announce_emptied(Table::Tags, tag.id, emptied);
    tag.updated_at = transaction.now_after(tag.updated_at);
    // An edited tag is permanent, even if no post names it.
    tag.implied = false;
    let tag = collection::save(transaction, actor, ActionEvent::Edited, tag)?;
    let is_renamed = (&tag.name, &tag.slug) != (&before.name, &before.slug);
    if is_renamed && transaction.writes_files() {
        for post in tagged(transaction, tag.id).filter(|post| post.origin.is_file()) {
            // The file of the post may refer to the tag by the old name or slug.
            transaction.edit_post(Post::clone(&post))?;
        }
    }
    Ok((tag, true))
}

impl Collection for Tag {
    /// Removes the deleted tag from posts and pages.
    fn after_deletion(&self, transaction: &mut Transaction) -> Result<()> {
        for post in tagged(transaction, self.id) {
            let mut post = Post::clone(&post);
            post.tags.retain(|own| *own != self.id);
            transaction.edit_post(post)?;
        }
        Ok(())
    }
}

/// Returns a slug for the tag `id`, derived from `requested`. If another tag has the slug, a number
/// is appended.
pub fn unique_slug(catalog: &Catalog, id: Id, requested: &str, site_url: &Url) -> String {
    let is_free = |slug: &String| {
        let holder = catalog.tags.by_slug(slug);
        holder.is_none_or(|holder| holder.id == id)
    };
    slug::candidates(slug::from_text(slug::Kind::Tag, requested, site_url.path()))
        .find(is_free)
        .expect("invariant: there are more numbers than tags")
}

/// Returns the posts and pages that have the tag.
fn tagged(transaction: &Transaction, id: Id) -> impl Iterator<Item = Arc<Post>> + use<> {
    let posts = transaction.catalog().posts.iter();
    // Collected, because callers change the posts while they iterate.
    let tagged: Vec<_> = posts
        .filter(|post| post.tags.contains(&id))
        .cloned()
        .collect();
    tagged.into_iter()
}
