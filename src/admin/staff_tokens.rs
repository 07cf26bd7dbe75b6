//! Staff access tokens: the key of a member of the staff, read and refreshed by its owner alone (specification 5.2).

use std::sync::Arc;

use crate::{
    domain::{
        actor::Actor, permission::USERS_TOKENS_OF_OTHERS, secret::Digest, staff_token::StaffToken,
    },
    error::{Error, Result},
    id::Id,
    site::{Site, Transaction},
};

use jiff::Timestamp;

/// The key of `user`, made now if there is none.
///
/// # Errors
///
/// `NoPermission` when it is somebody else's.
pub fn read(site: &Site, actor: &Actor, user: Id) -> Result<Arc<StaffToken>> {
    check_owner(actor, user)?;
    if let Some(token) = site.current().catalog.staff_token(user) {
        return Ok(Arc::clone(token));
    }
    site.write(
        |transaction| match transaction.catalog().staff_token(user) {
            // Somebody was quicker.
            Some(token) => Ok(Arc::clone(token)),
            None => save(transaction, StaffToken::generate(user, transaction.now())),
        },
    )
}

/// Gives the key of `user` a new secret; the old one opens nothing any more.
///
/// # Errors
///
/// `NoPermission` when it is somebody else's.
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

/// Notes that a token that counts once was used. Returns whether this was the first time; that is on disk then.
///
/// # Errors
///
/// When the store cannot be read.
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
