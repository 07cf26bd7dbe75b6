//! Accounts that the operator manages on the command line, without a browser or mail.

use std::sync::Arc;

use super::{collection, rate_limits::RateLimits, sessions, users};
use crate::{
    catalog::Catalog,
    domain::{
        action::ActionEvent,
        actor::Actor,
        credentials::Credentials,
        password::Password,
        password_strength::{self, Chooser},
        role::Role,
        session::Session,
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    site::Site,
};

/// A new staff account.
#[derive(Debug)]
pub struct NewAccount<'a> {
    /// The name that readers see.
    pub name: &'a str,
    /// The email address to sign in with.
    pub email: &'a str,
    /// The role.
    pub role: Role,
    /// The password.
    pub password: &'a Password,
    /// The path of the site's URL, which the user's slug must not shadow.
    pub subdirectory: &'a str,
}

/// Creates an account. A user with this email address who cannot sign in yet gets the account.
///
/// # Errors
///
/// `Validation` for an invalid name or email address, for the email address of a user who can sign
/// in, for a password that is easy to guess, and for a second owner.
pub fn add(site: &Site, account: &NewAccount) -> Result<Arc<User>> {
    users::check_name(account.name)?;
    check_password(
        &site.current().catalog,
        account.password,
        account.name,
        account.email,
    )?;
    // Hashed outside the transaction: hashing takes about 80 ms and would block other changes.
    let credentials = Credentials {
        password_hash: account.password.hash()?,
    };
    site.write(|transaction| {
        let owner = transaction.catalog().owner();
        if let (Role::Owner, Some(owner)) = (account.role, owner) {
            return Err(Error::new(
                Kind::Validation,
                format!("The site already has an owner: {}.", owner.name),
            )
            .help("Create an administrator; the owner can then transfer the ownership."));
        }
        users::refuse_registered(transaction, account.email)?;
        let known = transaction.catalog().user_by_email(account.email);
        // A user who cannot sign in yet may hold this address: such a user gets the account, so the
        // user is exempt from the check.
        users::check_email(transaction, account.email, known.map(|known| known.id))?;
        let user = users::joining(
            transaction,
            account.name,
            account.email,
            account.role,
            account.subdirectory,
        )?;
        let id = user.id;
        transaction.save(user)?;
        transaction.save_credentials(id, &credentials)?;
        let user = users::found(transaction, Some(id))?;
        collection::record_action(transaction, &Actor::Operator, ActionEvent::Added, &*user)?;
        Ok(user)
    })
}

/// Sets a new password for a user without checking the previous one. Revokes all other credentials
/// of the user, unlocks a locked account, and ends waits after wrong passwords.
///
/// # Errors
///
/// `NotFound` if there is no such user, `Validation` for a password that is easy to guess, and for
/// a user without an email address.
pub fn reset_password(
    site: &Site,
    rate_limits: &RateLimits,
    name: &str,
    password: &Password,
) -> Result<Arc<User>> {
    let snapshot = Arc::clone(&site.current());
    let user = named(&snapshot.catalog, name)?;
    let Some(email) = user.email.as_deref() else {
        return Err(Error::new(
            Kind::Validation,
            format!("{} has no e-mail address to sign in with.", user.name),
        ));
    };
    check_password(&snapshot.catalog, password, &user.name, email)?;
    let credentials = Credentials {
        password_hash: password.hash()?,
    };
    let changed = site.write(|transaction| {
        transaction.save_credentials(user.id, &credentials)?;
        transaction.revoke_authentications(user.id);
        // Read again, because the user may have changed while the password was hashed.
        let known = users::found(transaction, Some(user.id))?;
        let status = match known.status {
            // A new password does not lift a suspension.
            UserStatus::Inactive => UserStatus::Inactive,
            _ => UserStatus::Active,
        };
        let changed = User {
            status,
            ..User::clone(&known)
        };
        users::save(transaction, &Actor::Operator, changed)
    })?;
    rate_limits.end_password_waits(email, site);
    Ok(changed)
}

/// Returns the sessions of a user, most recently used first.
///
/// # Errors
///
/// `NotFound` if there is no such user.
pub fn sessions(site: &Site, name: &str) -> Result<Vec<Arc<Session>>> {
    let snapshot = Arc::clone(&site.current());
    Ok(sessions::browse(site, named(&snapshot.catalog, name)?.id))
}

/// Revokes all credentials of a user except the password: sessions, password reset links and the
/// staff access token. Returns the user and the number of ended sessions.
///
/// # Errors
///
/// `NotFound` if there is no such user.
pub fn sign_out(site: &Site, name: &str) -> Result<(Arc<User>, usize)> {
    let snapshot = Arc::clone(&site.current());
    let user = named(&snapshot.catalog, name)?;
    let now = site.now();
    // Sessions that wait for a code or only recognise a browser end as well, but do not count.
    let signed_in = snapshot.catalog.sessions.of(user.id);
    let count = signed_in
        .filter(|session| session.is_signed_in(now))
        .count();
    site.write(|transaction| {
        transaction.revoke_authentications(user.id);
        Ok(())
    })?;
    Ok((Arc::clone(user), count))
}

/// Returns the user with this email address, slug or identifier.
fn named<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c Arc<User>> {
    let by_id = || name.parse().ok().and_then(|id| catalog.users.get(id));
    catalog
        .user_by_email(name)
        .or_else(|| catalog.users.by_slug(name))
        .or_else(by_id)
        .ok_or_else(|| {
            Error::not_found(format!("User \"{name}\""))
                .help("Use an e-mail address, slug or identifier; `galley user list` shows them.")
        })
}

fn check_password(catalog: &Catalog, password: &Password, name: &str, email: &str) -> Result<()> {
    let title = catalog.settings.text("title").unwrap_or_default();
    let chooser = Chooser {
        email,
        name,
        site_title: &title,
    };
    password_strength::check(password, chooser)
}
