//! Staff access tokens, read and refreshed by their owners only (specification 5.2), and the use of
//! single-use tokens.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    domain::{actor::Actor, secret::Digest, staff_token::StaffToken, user::USERS_TOKENS_OF_OTHERS},
    error::{Error, Result},
    id::Id,
    site::{Site, Transaction},
};

/// Returns the access token of `user`, creating it if it does not exist.
///
/// # Errors
///
/// `NoPermission` if the actor is another user.
pub fn read(site: &Site, actor: &Actor, user: Id) -> Result<Arc<StaffToken>> {
    check_owner(actor, user)?;
    if let Some(token) = site.current().catalog.staff_token(user) {
        return Ok(Arc::clone(token));
    }
    site.write(
        |transaction| match transaction.catalog().staff_token(user) {
            // Another request has created the token in the meantime.
            Some(token) => Ok(Arc::clone(token)),
            None => save(transaction, StaffToken::generate(user, transaction.now())),
        },
    )
}

/// Gives the access token of `user` a new secret. The old one becomes invalid.
///
/// # Errors
///
/// `NoPermission` if the actor is another user.
pub fn refresh(site: &Site, actor: &Actor, user: Id) -> Result<Arc<StaffToken>> {
    check_owner(actor, user)?;
    site.write(|transaction| {
        let now = transaction.now();
        let token = match transaction.catalog().staff_token(user) {
            Some(token) => token.refreshed(now),
            None => StaffToken::generate(user, now),
        };
        save(transaction, token)
    })
}

/// Records the use of the single-use token `name` that was signed with `key` and expires at `ends`.
/// Returns whether this was the first use; a first use is durable on return.
///
/// # Errors
///
/// If the store cannot be read.
pub fn use_once(site: &Site, key: Id, name: &str, ends: Timestamp) -> Result<bool> {
    let token = Digest::of(&format!("{key}/{name}"));
    site.write(|transaction| transaction.use_token(&token, ends))
}

fn save(
    transaction: &mut Transaction,
    token: Result<StaffToken, getrandom::Error>,
) -> Result<Arc<StaffToken>> {
    let token = token.map_err(Error::internal)?;
    transaction.save_staff_token(token.clone())?;
    Ok(Arc::new(token))
}

fn check_owner(actor: &Actor, user: Id) -> Result<()> {
    if actor.user() == Some(user) {
        Ok(())
    } else {
        Err(USERS_TOKENS_OF_OTHERS.refusal())
    }
}
