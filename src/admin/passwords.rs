//! Setting passwords: by users themselves, by other users, and with a reset link (Ghost 6.65,
//! recorded).

use std::sync::Arc;

use super::{
    auth_mails::MailSite,
    authentication::{self, AuthClient, AuthContext, Cookie, locked, suspended, unknown},
    collection, users,
};
use crate::{
    catalog::Catalog,
    domain::{
        action::ActionEvent,
        actor::{Actor, SignInMethod},
        credentials::Credentials,
        email, link_token,
        mail::Mail,
        password::Password,
        password_reset::{PasswordResets, ResetToken},
        password_strength::{self, Chooser},
        rate_limit::RateLimitKey,
        role::Role,
        user::{USERS_PASSWORD_OF_OTHERS, User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
    store::Table,
};

/// A new password, as typed by its owner.
#[derive(Debug)]
pub struct NewPassword {
    /// The password.
    pub password: Password,
    /// The repeated password, if the client sent one.
    pub repeated: Option<Password>,
}

impl NewPassword {
    /// Returns the hash of a password that is acceptable for `user`.
    ///
    /// # Errors
    ///
    /// `Validation` if the repeated password differs, or the password is easy to guess.
    pub fn credentials_for(&self, user: &User, catalog: &Catalog) -> Result<Credentials> {
        self.check_repeated()?;
        let chooser = Chooser {
            email: user.email.as_deref().unwrap_or_default(),
            name: &user.name,
            site_title: &catalog.settings.text("title").unwrap_or_default(),
        };
        password_strength::check(&self.password, chooser)?;
        Ok(Credentials {
            password_hash: self.password.hash()?,
        })
    }

    fn check_repeated(&self) -> Result<()> {
        match &self.repeated {
            Some(again) if *again != self.password => Err(Error::new(
                Kind::Validation,
                "The two passwords do not match.",
            )),
            _ => Ok(()),
        }
    }
}

/// Changes the password of `user`, revokes all other credentials of that user, and ends waits after
/// wrong passwords. A user who changes their own password gets a new session.
///
/// # Errors
///
/// `Validation` with the code `PASSWORD_INCORRECT` for a wrong old password, `Validation` for an
/// unacceptable new one, `NoPermission`, `NotFound`.
pub fn change(
    authentication: AuthContext,
    visitor: &AuthClient,
    actor: &Actor,
    user: Id,
    old: Option<&Password>,
    new: &NewPassword,
) -> Result<Option<Cookie>> {
    let snapshot = Arc::clone(&authentication.site.current());
    let catalog = &snapshot.catalog;
    let found = catalog.users.get(user);
    let is_own = actor.user() == Some(user);
    if !is_own {
        let right = USERS_PASSWORD_OF_OTHERS.admit(actor)?;
        let is_over_owner = |role| role == Role::Owner && actor.role() != Some(Role::Owner);
        let may = |user: &&Arc<User>| right.covers_role(user.role) && !is_over_owner(user.role);
        if found.is_some() && found.filter(may).is_none() {
            return Err(USERS_PASSWORD_OF_OTHERS.refusal());
        }
    }
    let found = found.ok_or_else(|| Error::not_found("user"))?;
    let verified = if is_own {
        // This error has no code, unlike the error for a wrong password (Ghost 6.65, observed).
        let old = old.ok_or_else(|| {
            Error::new(
                Kind::Validation,
                "The current password is required in \"oldPassword\".",
            )
        })?;
        let verified =
            authentication::check_own_password(authentication, visitor, &snapshot, found, old)?;
        Some(verified)
    } else {
        None
    };
    // Hashed outside the transaction, which blocks other changes.
    let credentials = new.credentials_for(found, catalog)?;
    // Read before `set` ends this session.
    let was_verified = visitor
        .session(catalog, authentication.site.now())
        .is_some_and(|session| session.verified);
    let cookie = authentication.site.write(|transaction| {
        // The password may have been changed while this one was checked.
        if verified.is_some() && transaction.stored_credentials(user)? != verified {
            return Err(authentication::wrong_password());
        }
        set(transaction, user, &credentials)?;
        record_edit(transaction, actor, user)?;
        match actor {
            Actor::User { method, .. } if is_own && *method == SignInMethod::Session => {
                authentication::admit(transaction, user, visitor, was_verified).map(Some)
            }
            _ => Ok(None),
        }
    })?;
    end_waits(authentication, found);
    Ok(cookie)
}

/// Sends the user with this email address a link for setting a new password.
///
/// # Errors
///
/// `BadRequest` for an invalid address, `NotFound` if no user has it, `NoPermission` for a
/// suspended user, `TooManyRequests` after five in an hour.
pub fn send_reset(
    authentication: AuthContext,
    visitor: &AuthClient,
    mail_site: &MailSite,
    email: &str,
) -> Result<()> {
    let email = email.trim();
    if !email::is_address(email) {
        return Err(Error::new(Kind::BadRequest, "An e-mail address is needed.")
            .context("The link to set a new password is sent there."));
    }
    let quota = &authentication.rate_limits.password_resets;
    // The client first: beyond its limit, it cannot use up the quota of an account.
    quota.spend(RateLimitKey::client(visitor.client), authentication.site)?;
    quota.spend(RateLimitKey::account(email), authentication.site)?;
    let snapshot = Arc::clone(&authentication.site.current());
    let user = snapshot.catalog.user_by_email(email).ok_or_else(unknown)?;
    if user.status == UserStatus::Inactive {
        return Err(suspended());
    }
    authentication.site.write(|transaction| {
        mail_reset(transaction, user.id, |to, token| {
            mail_site.password_reset(to, token)
        })
    })
}

/// Returns the error for a locked user, after sending a link for setting a new password.
pub(super) fn refuse_locked(
    authentication: AuthContext,
    mail_site: &MailSite,
    user: &User,
) -> Error {
    let email = user.email.as_deref().unwrap_or_default();
    let quota = &authentication.rate_limits.password_resets;
    match quota.spend(RateLimitKey::account(email), authentication.site) {
        Ok(()) => {}
        // Five links were sent within the last hour; no more are sent.
        Err(error) if error.kind() == Kind::TooManyRequests => return locked(),
        Err(error) => return error,
    }
    let sent = authentication.site.write(|transaction| {
        mail_reset(transaction, user.id, |to, token| {
            mail_site.locked(to, token)
        })
    });
    match sent {
        Ok(()) => locked(),
        Err(error) => error,
    }
}

/// Sets a password with a reset link, revokes all other credentials of the user, ends waits after
/// wrong passwords, and signs the user in.
///
/// # Errors
///
/// `Unauthorized` for an invalid token, `BadRequest` for an expired one, `Validation` for an
/// unacceptable password.
pub fn reset(
    authentication: AuthContext,
    visitor: &AuthClient,
    token: &str,
    new: &NewPassword,
) -> Result<Cookie> {
    // Checked before the link (Ghost 6.65, observed).
    new.check_repeated()?;
    let Some(token) = ResetToken::from_text(&link_token::secret_of(token)) else {
        return Err(Error::new(Kind::Unauthorized, "The link is incomplete.")
            .help("Copy the whole link from the e-mail, or request another one."));
    };
    let snapshot = Arc::clone(&authentication.site.current());
    let resets: Option<PasswordResets> =
        snapshot.read(Table::PasswordResets, token.user.as_bytes())?;
    if !resets.is_some_and(|resets| resets.accept(&token, authentication.site.now())) {
        return Err(spent());
    }
    let user = snapshot.catalog.users.get(token.user).ok_or_else(spent)?;
    if user.status == UserStatus::Inactive {
        return Err(suspended());
    }
    // Hashed outside the transaction, after the link was checked, so that only holders of a link
    // can cause the work.
    let credentials = new.credentials_for(user, &snapshot.catalog)?;
    let cookie = authentication.site.write(|transaction| {
        // The link may have been used in the meantime.
        let resets: Option<PasswordResets> =
            transaction.read(Table::PasswordResets, token.user.as_bytes())?;
        if !resets.is_some_and(|resets| resets.accept(&token, transaction.now())) {
            return Err(spent());
        }
        set(transaction, token.user, &credentials)?;
        let actor = Actor::User {
            id: user.id,
            role: user.role,
            method: SignInMethod::Session,
        };
        record_edit(transaction, &actor, user.id)?;
        authentication::admit(transaction, user.id, visitor, true)
    })?;
    end_waits(authentication, user);
    Ok(cookie)
}

/// Ends the waits after wrong passwords of a user with a new password.
fn end_waits(authentication: AuthContext, user: &User) {
    let email = user.email.as_deref().unwrap_or_default();
    authentication
        .rate_limits
        .end_password_waits(email, authentication.site);
}

/// Sets a user's password, revokes all other credentials of the user, and unlocks a locked user.
///
/// # Errors
///
/// `NotFound` if there is no such user.
pub fn set(transaction: &mut Transaction, user: Id, credentials: &Credentials) -> Result<()> {
    let Some(existing) = transaction.catalog().users.get(user).cloned() else {
        return Err(Error::not_found("user"));
    };
    transaction.save_credentials(user, credentials)?;
    transaction.revoke_authentications(user);
    // A link that was mailed before must not lift a suspension.
    if existing.status == UserStatus::Inactive {
        return Ok(());
    }
    transaction.save(User {
        status: UserStatus::Active,
        ..User::clone(&existing)
    })
}

/// Mails a link to the user's current address.
fn mail_reset(
    transaction: &mut Transaction,
    user: Id,
    build_mail: impl FnOnce(&str, &str) -> Mail,
) -> Result<()> {
    let user = authentication::admitted(transaction, user)?;
    let token = ResetToken::generate(user.id).map_err(Error::internal)?;
    let key = user.id.as_bytes();
    let existing: Option<PasswordResets> = transaction.read(Table::PasswordResets, key)?;
    let mut resets = existing.unwrap_or_default();
    let expires_at = resets.add(&token, transaction.now());
    transaction.put(Table::PasswordResets, key, &resets)?;
    let email = user.email.as_deref().unwrap_or_default();
    let token = link_token::in_link(expires_at, email, &token.text());
    transaction.send_mail(build_mail(email, &token))
}

pub(super) fn record_edit(transaction: &mut Transaction, actor: &Actor, user: Id) -> Result<()> {
    let user = users::found(transaction, Some(user))?;
    collection::record_action(transaction, actor, ActionEvent::Edited, &*user)
}

fn spent() -> Error {
    Error::new(Kind::BadRequest, "The link is no longer valid.")
        .context("It has been used, or is older than a day.")
        .help("Request another one.")
}
