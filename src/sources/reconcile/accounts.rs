//! Authors of content files who are also members of the staff: what a file does not say of them is not lost to it.

use crate::{catalog::Catalog, domain::user::User, error::Result, id::Id, site::Transaction};

/// Makes an author be what a file says, and leaves the account as it is.
pub fn save(transaction: &mut Transaction, author: User) -> Result<()> {
    let known = transaction.catalog().users.get(author.id).cloned();
    transaction.save(match known {
        Some(known) => author.with_account_of(&known),
        None => author,
    })
}

/// Whether there is a user who has outlived a file, under this identifier or slug. Files that name an author so mean that
/// user.
pub fn is_somebody(catalog: &Catalog, id: Id, slug: &str) -> bool {
    let users = &catalog.users;
    let found = users.get(id).or_else(|| users.by_slug(slug));
    found.is_some_and(|user| !user.implied)
}

/// Deletes what a file made, unless somebody signs in with it: an account does not go with a file.
pub fn remove(transaction: &mut Transaction, id: Id) -> Result<()> {
    let known = transaction.catalog().users.get(id).cloned();
    match known {
        Some(known) if transaction.stored_credentials(id)?.is_some() => transaction.save(User {
            source: None,
            ..User::clone(&known)
        }),
        _ => transaction.remove::<User>(id),
    }
}
