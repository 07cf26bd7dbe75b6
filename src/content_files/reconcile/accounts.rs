//! Authors of content files who are also staff users: account fields, which files cannot set, are preserved.

use crate::{
    catalog::Catalog,
    domain::{origin::RecordOrigin, user::User},
    error::Result,
    id::Id,
    site::Transaction,
};

/// Saves the author fields of a file; the account is unchanged.
pub fn save(transaction: &mut Transaction, author: User) -> Result<()> {
    let known = transaction.catalog().users.get(author.id).cloned();
    transaction.save(match known {
        Some(known) => author.with_account_of(&known),
        None => author,
    })
}

/// Returns whether the site has a user with this identifier or slug that no file merely implies. Files that name such an
/// author refer to that user.
pub fn has_explicit_user(catalog: &Catalog, id: Id, slug: &str) -> bool {
    let users = &catalog.users;
    let user = users.get(id).or_else(|| users.by_slug(slug));
    user.is_some_and(|user| !user.implied)
}

/// Deletes the record of a file. A user with credentials remains in the store, because an account does not depend on a
/// file.
pub fn remove(transaction: &mut Transaction, id: Id) -> Result<()> {
    let known = transaction.catalog().users.get(id).cloned();
    match known {
        Some(known) if transaction.stored_credentials(id)?.is_some() => transaction.save(User {
            origin: RecordOrigin::Store,
            ..User::clone(&known)
        }),
        _ => transaction.remove::<User>(id),
    }
}
