//! Commands about staff accounts, for `galley user`.

use super::Reply;
use crate::{
    admin::accounts::{self, NewAccount},
    control::account::{Account, AccountCommand, SessionReport},
    domain::password::Password,
    error::Result,
    site::Site,
};

/// Executes a command about the accounts of a site at the path `subdirectory`.
///
/// # Errors
///
/// The errors of the operation.
pub(super) fn carry_out(
    site: &Site,
    command: &AccountCommand,
    subdirectory: &str,
) -> Result<Reply> {
    Ok(match command {
        AccountCommand::Add {
            name,
            email,
            role,
            password,
        } => {
            let user = accounts::add(
                site,
                &NewAccount {
                    name,
                    email,
                    role: *role,
                    password: &Password::new(&password.0),
                    subdirectory,
                },
            )?;
            Reply::Account(Account::of(&user))
        }
        AccountCommand::List => {
            let snapshot = site.current();
            let mut users: Vec<_> = snapshot.catalog.users.iter().collect();
            // By date, then by identifier, so that users created in the same second have a stable
            // order.
            users.sort_by_key(|user| (user.created_at, user.id));
            Reply::Accounts(users.into_iter().map(|user| Account::of(user)).collect())
        }
        AccountCommand::ResetPassword { name, password } => {
            let user = accounts::reset_password(site, name, &Password::new(&password.0))?;
            Reply::Account(Account::of(&user))
        }
        AccountCommand::Sessions { name } => {
            let sessions = accounts::sessions(site, name)?;
            let sessions = sessions.iter().map(|session| SessionReport::of(session));
            Reply::Sessions(sessions.collect())
        }
        AccountCommand::SignOut { name } => {
            let (user, sessions) = accounts::sign_out(site, name)?;
            Reply::SignedOut {
                account: Account::of(&user),
                sessions,
            }
        }
    })
}
