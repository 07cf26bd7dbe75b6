//! Commands about staff accounts, for `galley user`.

use super::{ControlContext, Reply};
use crate::{
    admin::accounts::{self, NewAccount},
    control::account::{Account, AccountCommand, SessionReport},
    domain::password::Password,
    error::Result,
};

/// Executes a command about the accounts of a site at the path `subdirectory`.
///
/// # Errors
///
/// The errors of the operation.
pub(super) fn carry_out(
    context: &ControlContext,
    command: &AccountCommand,
    subdirectory: &str,
) -> Result<Reply> {
    let site = &context.site;
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
            let (limits, password) = (&context.rate_limits, Password::new(&password.0));
            let user = accounts::reset_password(site, limits, name, &password)?;
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
