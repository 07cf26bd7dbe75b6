//! The authors of a post.

use super::change::AuthorReference;
use crate::{
    catalog::Catalog,
    domain::{actor::Actor, user::User},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Returns the default author of a new post: the acting user, or else the owner (Ghost 6.65,
/// recorded).
///
/// On a site without users, creates a placeholder for the owner: a Ghost site has an owner before
/// it is set up.
///
/// # Errors
///
/// If the system provides no randomness for an identifier.
pub(super) fn default_author(transaction: &mut Transaction, actor: &Actor) -> Result<Id> {
    if let Some(author) = actor.user().or_else(|| owner(transaction.catalog())) {
        return Ok(author);
    }
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    transaction.save(User::placeholder(id, now))?;
    Ok(id)
}

/// Returns the users that `references` name, in order and without duplicates. An unknown user is
/// replaced by the owner (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` if the list is empty, `NotFound` if the site has no users at all.
pub(super) fn resolved(catalog: &Catalog, references: &[AuthorReference]) -> Result<Vec<Id>> {
    if references.is_empty() {
        return Err(Error::new(
            Kind::Validation,
            "A post has at least one author; the list \"authors\" is empty.",
        ));
    }
    let mut authors = Vec::with_capacity(references.len());
    for reference in references {
        let author = find(catalog, reference)
            .or_else(|| owner(catalog))
            .ok_or_else(|| Error::not_found("Author"))?;
        // Several unknown authors are all replaced by the owner, who is added once.
        if !authors.contains(&author) {
            authors.push(author);
        }
    }
    Ok(authors)
}

/// Makes accounts that exist only for content files permanent.
pub(super) fn keep(transaction: &mut Transaction, authors: &[Id]) -> Result<()> {
    // An author named by a content file exists as long as a file names the author.
    if transaction.writes_files() {
        return Ok(());
    }
    for author in authors {
        let user = transaction.catalog().users.get(*author).cloned();
        if let Some(user) = user.filter(|user| user.implied) {
            transaction.save(User {
                implied: false,
                ..User::clone(&user)
            })?;
        }
    }
    Ok(())
}

fn find(catalog: &Catalog, reference: &AuthorReference) -> Option<Id> {
    // Names are not looked up: Ghost rejects authors that are given by name only (6.65, recorded).
    let by_id = || catalog.users.get(reference.id?);
    let by_slug = || catalog.users.with_slug(reference.slug.as_deref()?).next();
    let by_email = || catalog.user_by_email(reference.email.as_deref()?);
    let user = by_id().or_else(by_slug).or_else(by_email)?;
    Some(user.id)
}

/// Returns the owner of the site. If there is no owner yet, returns the first author of the content
/// files, ordered by path, or else the oldest user.
fn owner(catalog: &Catalog) -> Option<Id> {
    let first = || {
        let rank = |user: &User| {
            (
                user.origin.is_store(),
                user.origin.path().map(str::to_owned),
                user.created_at,
                user.id,
            )
        };
        catalog.users.iter().min_by_key(|user| rank(user))
    };
    catalog.owner().or_else(first).map(|user| user.id)
}
