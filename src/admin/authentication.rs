//! Authentication of staff users: passwords, sessions and the counting of attempts (specification
//! 3.2; details as recorded from Ghost 6.65).

use std::{net::IpAddr, sync::Arc};

use jiff::Timestamp;

use super::rate_limits::RateLimits;
use crate::{
    catalog::Catalog,
    domain::{
        credentials::Credentials,
        password::Password,
        rate_limit::RateLimitKey,
        secret::Secret,
        session::{Browser, Session, SessionState},
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, SiteSnapshot, Transaction},
    store::Table,
};

/// Context of an authentication.
#[derive(Clone, Copy)]
pub struct AuthContext<'a> {
    /// The site.
    pub site: &'a Site,
    /// The counts of attempts.
    pub rate_limits: &'a RateLimits,
    /// True if a sign-in with a new browser requires a code.
    pub device_verification: bool,
}

/// The client that authenticates.
#[derive(Clone, Debug)]
pub struct AuthClient<'a> {
    /// The IP address of the client; attempts are counted per address.
    pub client: IpAddr,
    /// The browser.
    pub browser: Browser<'a>,
    /// The secret of the session cookie, if there is one.
    pub cookie: Option<Secret>,
}

/// A cookie to set.
#[derive(Debug)]
pub struct Cookie {
    /// The secret of the session.
    pub secret: Secret,
    /// Time of expiry.
    pub ends_at: Timestamp,
}

impl AuthClient<'_> {
    /// Returns the session of the cookie, signed in or not; `None` if it has expired.
    pub fn session<'c>(&self, catalog: &'c Catalog, now: Timestamp) -> Option<&'c Arc<Session>> {
        let digest = self.cookie.as_ref()?.digest();
        let session = catalog.sessions.get(&digest)?;
        (!session.is_over(now)).then_some(session)
    }

    /// Returns whether `user` has signed in with this browser and verified it by a mailed code.
    pub(super) fn is_known_to(&self, user: &User, catalog: &Catalog, now: Timestamp) -> bool {
        let session = self.session(catalog, now);
        session.is_some_and(|session| session.verified && session.user == user.id)
    }
}

/// Returns the user, who may have been deleted, suspended or changed since the request was checked.
///
/// # Errors
///
/// `NotFound` if the user does not exist, `NoPermission` for a suspended one.
pub(super) fn admitted(transaction: &Transaction, user: Id) -> Result<Arc<User>> {
    let user = transaction.catalog().users.get(user).cloned();
    let user = user.ok_or_else(unknown)?;
    match user.status {
        UserStatus::Inactive => Err(suspended()),
        _ => Ok(user),
    }
}

/// Signs in a user who has authenticated, and ends the previous session of the browser. `verified`
/// says whether the browser counts as known from now on.
///
/// # Errors
///
/// `NotFound` if the user does not exist, `NoPermission` for a suspended one.
pub(super) fn admit(
    transaction: &mut Transaction,
    user: Id,
    visitor: &AuthClient,
    verified: bool,
) -> Result<Cookie> {
    admitted(transaction, user)?;
    let secret = Secret::generate().map_err(Error::internal)?;
    let mut session = begin(transaction, &secret, user, visitor, SessionState::SignedIn)?;
    session.verified = verified;
    let ends_at = session.ends_at();
    transaction.save_session(session)?;
    record_last_seen(transaction, user)?;
    Ok(Cookie { secret, ends_at })
}

/// Checks the password of a user who is already signed in, and returns the credentials that it was
/// checked against.
///
/// Wrong passwords are counted separately from sign-ins, with a higher limit: Ghost 6.65 counts
/// none here (observed), and guessing requires a session.
///
/// # Errors
///
/// `Validation` with the code `PASSWORD_INCORRECT`, `TooManyRequests`.
pub(super) fn check_own_password(
    authentication: AuthContext,
    visitor: &AuthClient,
    snapshot: &SiteSnapshot,
    user: &User,
    password: &Password,
) -> Result<Credentials> {
    let guesses = &authentication.rate_limits.own_passwords;
    let account = RateLimitKey::account(user.email.as_deref().unwrap_or_default());
    let client = RateLimitKey::client(visitor.client);
    // Counted by account, from whichever client: guessing here needs a session of the account.
    guesses.begin(account, client, authentication.site)?;
    let outcome = check_password(snapshot, Some(user), password);
    match &outcome {
        Ok(_) => guesses.clear_guesses(account, client, authentication.site),
        Err(error) if error.kind() == Kind::Validation => {}
        // The password was not checked.
        Err(_) => guesses.cancel_guess(account, client, authentication.site),
    }
    outcome
}

/// Counts a password attempt. If the password is right, clears the failed attempts of this client
/// for this account.
///
/// Attempts at one account are also counted across all clients. A browser that the user has
/// verified before is exempt from that limit, so that attackers cannot lock the user out.
pub(super) fn with_counting<T>(
    authentication: AuthContext,
    visitor: &AuthClient,
    email: &str,
    is_known: bool,
    check: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let site = authentication.site;
    let from_here = &authentication.rate_limits.passwords;
    let at_account = &authentication.rate_limits.passwords_of_account;
    let client = RateLimitKey::client(visitor.client);
    let account = RateLimitKey::account(email);
    from_here.begin(client, account, site)?;
    if !is_known && let Err(refusal) = at_account.begin(account, client, site) {
        // No password was checked, so the attempt must not count against the client either.
        from_here.cancel_guess(client, account, site);
        return Err(refusal);
    }
    let outcome = check();
    match &outcome {
        Ok(_) => {
            from_here.clear_guesses(client, account, site);
            // Guesses of other clients for this account remain counted.
            at_account.clear_guesses(account, client, site);
        }
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::Validation) => {}
        // The password was not checked.
        Err(_) => {
            from_here.cancel_guess(client, account, site);
            if !is_known {
                at_account.cancel_guess(account, client, site);
            }
        }
    }
    outcome
}

/// Returns the user's credentials if `password` is right. Takes the same time if the user does not
/// exist.
pub(super) fn check_password(
    snapshot: &SiteSnapshot,
    user: Option<&User>,
    password: &Password,
) -> Result<Credentials> {
    let credentials: Option<Credentials> = match user {
        Some(user) => snapshot.read(Table::Credentials, user.id.as_bytes())?,
        None => None,
    };
    let hash = credentials
        .as_ref()
        .map(|existing| &*existing.password_hash);
    let is_right = password.verify(hash)?;
    match (user, credentials) {
        (None, _) => Err(unknown()),
        (Some(_), Some(credentials)) if is_right => Ok(credentials),
        (Some(_), _) => Err(wrong_password()),
    }
}

/// Returns a new session of `user` in the browser of `visitor`, and ends the previous one.
pub(super) fn begin(
    transaction: &mut Transaction,
    secret: &Secret,
    user: Id,
    visitor: &AuthClient,
    state: SessionState,
) -> Result<Session> {
    // The new cookie replaces the former one, so the browser could no longer end that session.
    if let Some(former) = &visitor.cookie {
        transaction.end_session(&former.digest());
    }
    Session::begin(secret, user, &visitor.browser, state, transaction.now())
        .map_err(Error::internal)
}

/// Records when a user was last seen.
pub(super) fn record_last_seen(transaction: &mut Transaction, user: Id) -> Result<()> {
    let now = transaction.now();
    let Some(existing) = transaction.catalog().users.get(user) else {
        return Err(unknown());
    };
    let updated = User {
        last_seen: Some(now),
        ..User::clone(existing)
    };
    transaction.save(updated)
}

pub(super) fn unknown() -> Error {
    Error::not_found("User").context("No user has this e-mail address.")
}

pub(super) fn wrong_password() -> Error {
    Error::new(Kind::Validation, "The password is incorrect.")
        .help("If you have forgotten it, request a link to set a new one.")
        .code("PASSWORD_INCORRECT")
}

pub(super) fn suspended() -> Error {
    Error::new(Kind::NoPermission, "This account is suspended.")
        .help("An administrator of the site can end the suspension.")
}

pub(super) fn locked() -> Error {
    Error::new(Kind::PasswordResetRequired, "A new password is required.")
        .help("Request a link to set one.")
}
