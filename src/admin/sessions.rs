//! Sessions: who is signed in where, and signing out.

use std::sync::Arc;

use super::door::{Cookie, Door, Visitor};
use crate::{
    domain::{
        secret::Secret,
        session::{Session, SessionState},
    },
    error::{Error, Result},
    id::Id,
    site::Site,
};

/// The sessions of a user that are signed in, the one that was used last first.
pub fn browse(site: &Site, user: Id) -> Vec<Arc<Session>> {
    let now = site.now();
    let edition = site.current();
    let sessions = edition.catalog.sessions.of(user);
    let mut sessions: Vec<_> = sessions
        .filter(|session| session.is_signed_in(now))
        .cloned()
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse((session.last_used_at, session.created_at)));
    sessions
}

/// Signs a user out everywhere, and says how many sessions that ended.
///
/// # Errors
///
/// When the store cannot be read.
pub fn end_all(site: &Site, user: Id) -> Result<usize> {
    site.write(|transaction| transaction.end_sessions_of(user))
}

/// Signs a user out where the user is now, and says what the browser is to keep: a browser that is known stays so.
///
/// # Errors
///
/// `NoPermission` when nobody is signed in there.
pub fn sign_out(door: Door, visitor: &Visitor) -> Result<Option<Cookie>> {
    door.site.write(|transaction| {
        let now = transaction.now();
        let session = visitor.session(transaction.catalog(), now);
        let Some(session) = session.filter(|session| session.is_signed_in(now)).cloned() else {
            return Err(Error::unauthenticated(
                "The request carries no cookie of a session.",
            ));
        };
        transaction.end_session(&session.digest)?;
        if !session.verified {
            return Ok(None);
        }
        let secret = Secret::generate().map_err(Error::internal)?;
        let known = Session {
            digest: secret.digest(),
            state: SessionState::SignedOut,
            code: None,
            ..Session::clone(&session)
        };
        let ends_at = known.ends_at();
        transaction.save_session(known)?;
        Ok(Some(Cookie { secret, ends_at }))
    })
}

/// Keeps that a session was used, once a day: finer would be a write for every request.
///
/// # Errors
///
/// When the store cannot be read.
pub fn note_use(site: &Site, session: &Session) -> Result<()> {
    if !session.is_use_news(site.now()) {
        return Ok(());
    }
    site.write(|transaction| {
        let Some(known) = transaction.catalog().sessions.get(&session.digest) else {
            return Ok(());
        };
        let used = Session {
            last_used_at: transaction.now(),
            ..Session::clone(known)
        };
        transaction.save_session(used)
    })
}
