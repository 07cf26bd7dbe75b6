//! The authors of a post.

use super::change::AuthorReference;
use crate::{
    catalog::Catalog,
    domain::{actor::Actor, role::Role, user::User},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Who a post belongs to that names no author: the user who writes it, or else the owner (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` when the site has no users at all.
pub(super) fn default_author(catalog: &Catalog, actor: &Actor) -> Result<Id> {
    match actor.user() {
        Some(user) => Ok(user),
        None => owner(catalog),
    }
}

/// The users that `references` name, each once, in order. The owner stands in for who is not known (Ghost 6.65,
/// recorded).
///
/// # Errors
///
/// `Validation` when the list is empty.
pub(super) fn resolved(catalog: &Catalog, references: &[AuthorReference]) -> Result<Vec<Id>> {
    if references.is_empty() {
        return Err(Error::new(
            Kind::Validation,
            "A post has at least one author; the list is empty.",
        ));
    }
    let mut authors = Vec::with_capacity(references.len());
    for reference in references {
        let author = match find(catalog, reference) {
            Some(author) => author,
            None => owner(catalog)?,
        };
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

/// The owner of the site; before there is one, the first of its users.
fn owner(catalog: &Catalog) -> Result<Id> {
    let users = || catalog.users.iter();
    users()
        .find(|user| user.role == Role::Owner)
        .or_else(|| users().next())
        .map(|user| user.id)
        .ok_or_else(|| {
            Error::new(
                Kind::Validation,
                "The site has no user yet who could be the author of a post.",
            )
            .help("Set the site up first, or make a user with `galley user create`.")
        })
}
