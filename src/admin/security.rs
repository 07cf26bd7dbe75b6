//! Resetting all credentials of a site after a leak (Ghost 6.65, recorded).

use crate::{
    domain::{
        actor::Actor,
        integration::Integration,
        invite::Invite,
        staff_token::StaffToken,
        user::{User, UserStatus},
    },
    error::{Error, Result},
    id::Id,
    site::{EditableRecord, Site, Transaction},
    store::Table,
};

use super::passwords;

/// The result of a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetOutcome {
    /// Keys that have a new secret.
    pub keys: usize,
    /// Users who have to set a new password.
    pub users: usize,
}

/// Ends all sessions, revokes all password reset links and invites, gives all keys new secrets, and
/// locks all users with a password until they set a new one.
///
/// # Errors
///
/// If the store cannot be read, or the system provides no randomness.
pub fn reset_everything(site: &Site, actor: &Actor) -> Result<ResetOutcome> {
    site.write(|transaction| {
        let keys = refresh_keys(transaction)?;
        for invite in transaction.all(Table::Invites, |invite: Invite| invite.id)? {
            Invite::remove(invite, transaction)?;
        }
        let mut users = 0;
        let everybody: Vec<Id> = transaction
            .catalog()
            .users
            .iter()
            .map(|user| user.id)
            .collect();
        for user in everybody {
            // `revoke_authentications` would also delete the access tokens, which have just been given new
            // secrets.
            transaction.end_sign_ins_of(user);
            if lock(transaction, user)? {
                passwords::record_edit(transaction, actor, user)?;
                users += 1;
            }
        }
        Ok(ResetOutcome { keys, users })
    })
}

fn refresh_keys(transaction: &mut Transaction) -> Result<usize> {
    let now = transaction.now();
    // Collected first, because saving changes the catalog.
    let integrations: Vec<Integration> = transaction
        .catalog()
        .integrations()
        .map(|integration| Integration::clone(integration))
        .collect();
    let staff: Vec<StaffToken> = transaction
        .catalog()
        .staff_tokens()
        .map(|token| token.refreshed(now))
        .collect::<Result<_, _>>()
        .map_err(Error::internal)?;
    let count = 2 * integrations.len() + staff.len();
    for integration in integrations {
        let content_key = integration.content_key.refreshed();
        let admin_key = integration.admin_key.refreshed();
        transaction.save_integration(Integration {
            content_key: content_key.map_err(Error::internal)?,
            admin_key: admin_key.map_err(Error::internal)?,
            ..integration
        })?;
    }
    for token in staff {
        transaction.save_staff_token(token)?;
    }
    Ok(count)
}

/// Locks a user who has a password. A suspended user stays suspended.
fn lock(transaction: &mut Transaction, user: Id) -> Result<bool> {
    let Some(existing) = transaction.catalog().users.get(user).cloned() else {
        return Ok(false);
    };
    let is_suspended = existing.status == UserStatus::Inactive;
    if is_suspended || transaction.stored_credentials(user)?.is_none() {
        return Ok(false);
    }
    transaction.save(User {
        status: UserStatus::Locked,
        ..User::clone(&existing)
    })?;
    Ok(true)
}
