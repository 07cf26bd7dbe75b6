//! The authors of a post.

use super::change::AuthorReference;
use crate::{
    catalog::Catalog,
    domain::{actor::Actor, user::User},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Returns the author of a post that names none: the user who writes it, or else the owner (Ghost 6.65, recorded).
///
/// A site without users gets one who stands in for the owner: Ghost has an owner before anybody has set it up.
///
/// # Errors
///
/// When the randomness for an identifier cannot be had.
pub(super) fn default_author(transaction: &mut Transaction, actor: &Actor) -> Result<Id> {
    if let Some(known) = actor.user().or_else(|| owner(transaction.catalog())) {
        return Ok(known);
    }
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    transaction.save(User::standing_in(id, now))?;
    Ok(id)
}

/// The users that `references` name, each once, in order. The owner stands in for who is not known (Ghost 6.65,
/// recorded).
///
/// # Errors
///
/// `Validation` when the list is empty, `NotFound` when the site has no users at all.
pub(super) fn resolved(catalog: &Catalog, references: &[AuthorReference]) -> Result<Vec<Id>> {
    if references.is_empty() {
        return Err(Error::new(
            Kind::Validation,
            "A post has at least one author; the list is empty.",
        ));
    }
    let mut authors = Vec::with_capacity(references.len());
    for reference in references {
        let author = find(catalog, reference)
            .or_else(|| owner(catalog))
            .ok_or_else(|| Error::not_found("Author"))?;
        if !authors.contains(&author) {
            authors.push(author);
        }
    }
    Ok(authors)
}

/// Accounts that are there for content files only stay from now on, whether one names them or not.
pub(super) fn keep(transaction: &mut Transaction, authors: &[Id]) -> Result<()> {
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
    let by_id = || catalog.users.get(reference.id?);
    let by_slug = || catalog.users.by_slug(reference.slug.as_deref()?);
    let by_email = || {
        let email = reference.email.as_deref()?;
        catalog.users.iter().find(|user| {
            let own = user.email.as_deref();
            own.is_some_and(|own| own.to_lowercase() == email.to_lowercase())
        })
    };
    let user = by_id().or_else(by_slug).or_else(by_email)?;
    Some(user.id)
}

/// The owner of the site. Before there is one, the first author of the content files by path, or else the user who was there
/// first.
fn owner(catalog: &Catalog) -> Option<Id> {
    let first = || {
        let rank = |user: &User| {
            (
                user.source.is_none(),
                user.source.clone(),
                user.created_at,
                user.id,
            )
        };
        catalog.users.iter().min_by_key(|user| rank(user))
    };
    catalog.owner().or_else(first).map(|user| user.id)
}
