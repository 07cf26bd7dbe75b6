//! Signing in with an e-mail address and a password (specification 3.2 and 5.2; details as recorded from Ghost 6.65).

use std::{net::IpAddr, sync::Arc};

use jiff::Timestamp;

use crate::{
    catalog::Catalog,
    domain::{
        attempts::{Attempts, Counted},
        credentials::Credentials,
        password::{self, Password},
        secret::Secret,
        session::{Browser, Session, SessionState},
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    site::{Edition, Site, Transaction},
    store::Table,
};

/// The way into a site.
#[derive(Clone, Copy)]
pub struct Door<'a> {
    /// The site.
    pub site: &'a Site,
    /// What is counted of those who want to come in.
    pub attempts: &'a Attempts,
    /// Whether who comes with a new browser is asked for a code.
    pub device_verification: bool,
}

/// Somebody at the door.
#[derive(Clone, Debug)]
pub struct Visitor<'a> {
    /// Whose attempts count together with this one's: an IPv4 address or an IPv6 network.
    pub client: IpAddr,
    /// What the visitor comes with.
    pub browser: Browser<'a>,
    /// What the cookie says, if there is one.
    pub cookie: Option<Secret>,
}

/// What the browser is to keep.
#[derive(Debug)]
pub struct Cookie {
    /// What it is known by from now on.
    pub secret: Secret,
    /// How long it may keep that.
    pub ends_at: Timestamp,
}

impl Visitor<'_> {
    /// The session that the cookie belongs to, signed in or not, unless it is over.
    pub fn session<'c>(&self, catalog: &'c Catalog, now: Timestamp) -> Option<&'c Arc<Session>> {
        let digest = self.cookie.as_ref()?.digest();
        let session = catalog.sessions.get(&digest)?;
        (!session.is_over(now)).then_some(session)
    }

    /// Whether it is known that `user` has been here with this browser and could read the user's mail.
    fn is_known_to(&self, user: &User, catalog: &Catalog, now: Timestamp) -> bool {
        let session = self.session(catalog, now);
        session.is_some_and(|session| session.verified && session.user == user.id)
    }
}

/// Signs a user in. The session that the browser had before ends.
///
/// # Errors
///
/// `NotFound` when nobody has the address, `Validation` with the code `PASSWORD_INCORRECT`, `TooManyRequests`,
/// `NoPermission` for who is suspended, `PasswordResetRequired` for who is locked.
pub fn sign_in(door: Door, visitor: &Visitor, email: &str, password: &Password) -> Result<Cookie> {
    let edition = Arc::clone(&door.site.current());
    let catalog = &edition.catalog;
    let user = catalog.user_by_email(email);
    let now = door.site.now();
    let is_known = user.is_some_and(|user| visitor.is_known_to(user, catalog, now));
    let credentials = with_counting(door, visitor, email, is_known, || {
        check_password(&edition, user.map(Arc::as_ref), password)
    })?;
    let user = user.ok_or_else(unknown)?;
    match user.status {
        UserStatus::Inactive => return Err(suspended()),
        UserStatus::Locked => return Err(locked()),
        _ => {}
    }
    let renewed = match password::is_up_to_date(&credentials.password_hash) {
        true => None,
        false => Some(password.hash()?),
    };
    let secret = Secret::generate().map_err(Error::internal)?;
    door.site.write(|transaction| {
        // Somebody may have set another password while this one was being looked at.
        if transaction.stored_credentials(user.id)?.as_ref() != Some(&credentials) {
            return Err(wrong_password());
        }
        if let Some(password_hash) = &renewed {
            let password_hash = password_hash.clone();
            transaction.save_credentials(user.id, &Credentials { password_hash })?;
        }
        end_former(transaction, visitor)?;
        let mut session = begin(transaction, &secret, user, visitor, SessionState::SignedIn)?;
        session.verified = is_known;
        note_arrival(transaction, user)?;
        let ends_at = session.ends_at();
        transaction.save_session(session)?;
        Ok(Cookie { secret, ends_at })
    })
}

/// Signs a user in who has proven to be the user in another way: with a link that was sent by mail, or by having been
/// signed in when the password was changed. The session that the browser had before ends.
///
/// # Errors
///
/// When the store cannot be read.
pub fn admit(transaction: &mut Transaction, user: &User, visitor: &Visitor) -> Result<Cookie> {
    let secret = Secret::generate().map_err(Error::internal)?;
    end_former(transaction, visitor)?;
    let mut session = begin(transaction, &secret, user, visitor, SessionState::SignedIn)?;
    session.verified = true;
    note_arrival(transaction, user)?;
    let ends_at = session.ends_at();
    transaction.save_session(session)?;
    Ok(Cookie { secret, ends_at })
}

/// Counts a guess at a password, and forgets the count when it was right.
///
/// Guesses at one account are counted wherever they come from. Whoever has a browser that the account's owner has used
/// before is let through, so that nobody can lock the owner out by guessing.
fn with_counting<T>(
    door: Door,
    visitor: &Visitor,
    email: &str,
    is_known: bool,
    check: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let guesses = &door.attempts.passwords;
    let now = door.site.now();
    let client = Counted::Client(visitor.client);
    let account = Counted::account(email);
    guesses.begin(client, now)?;
    if !is_known && let Err(refusal) = guesses.begin(account, now) {
        guesses.take_back(client);
        return Err(refusal);
    }
    let outcome = check();
    match &outcome {
        Ok(_) => {
            guesses.forget(client);
            guesses.forget(account);
        }
        Err(error) if matches!(error.kind(), Kind::NotFound | Kind::Validation) => {}
        // Nobody looked at the password.
        Err(_) => {
            guesses.take_back(client);
            if !is_known {
                guesses.take_back(account);
            }
        }
    }
    outcome
}

/// What the user signs in with, if `password` is right. Takes as long when there is no such user.
fn check_password(
    edition: &Edition,
    user: Option<&User>,
    password: &Password,
) -> Result<Credentials> {
    let credentials: Option<Credentials> = match user {
        Some(user) => edition.read(Table::Credentials, user.id.as_bytes())?,
        None => None,
    };
    let hash = credentials.as_ref().map(|known| &*known.password_hash);
    let is_right = password.verify(hash)?;
    match (user, credentials) {
        (None, _) => Err(unknown()),
        (Some(_), Some(credentials)) if is_right => Ok(credentials),
        (Some(_), _) => Err(wrong_password()),
    }
}

fn end_former(transaction: &mut Transaction, visitor: &Visitor) -> Result<()> {
    match &visitor.cookie {
        Some(former) => transaction.end_session(&former.digest()),
        None => Ok(()),
    }
}

fn begin(
    transaction: &Transaction,
    secret: &Secret,
    user: &User,
    visitor: &Visitor,
    state: SessionState,
) -> Result<Session> {
    Session::begin(secret, user.id, &visitor.browser, state, transaction.now())
        .map_err(Error::internal)
}

/// Keeps when a user was last here.
fn note_arrival(transaction: &mut Transaction, user: &User) -> Result<()> {
    let now = transaction.now();
    let Some(known) = transaction.catalog().users.get(user.id) else {
        return Err(unknown());
    };
    let seen = User {
        last_seen: Some(now),
        ..User::clone(known)
    };
    transaction.save(seen)
}

fn unknown() -> Error {
    Error::new(Kind::NotFound, "There is no user with this e-mail address.")
}

fn wrong_password() -> Error {
    Error::new(Kind::Validation, "The password is not right.")
        .context("Capital letters count.")
        .help("If you have forgotten it, have a link sent to you with which you can set a new one.")
        .code("PASSWORD_INCORRECT")
}

fn suspended() -> Error {
    Error::new(Kind::NoPermission, "This account is suspended.")
        .help("An administrator of the site can let you in again.")
}

fn locked() -> Error {
    Error::new(
        Kind::PasswordResetRequired,
        "You have to set a new password.",
    )
    .help("Have a link sent to you with which you can do so.")
}
