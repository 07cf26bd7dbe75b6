//! Sessions of users, and signing out.

use std::sync::Arc;

use super::authentication::{AuthClient, AuthContext, Cookie};
use crate::{
    domain::{
        secret::Secret,
        session::{Session, SessionState},
    },
    error::{Error, Result},
    id::Id,
    site::Site,
};

/// Returns the signed-in sessions of a user, most recently used first.
pub fn browse(site: &Site, user: Id) -> Vec<Arc<Session>> {
    let now = site.now();
    let snapshot = site.current();
    let sessions = snapshot.catalog.sessions.of(user);
    let mut sessions: Vec<_> = sessions
        .filter(|session| session.is_signed_in(now))
        .cloned()
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse((session.last_used_at, session.created_at)));
    sessions
}

/// Signs a user out of the current browser. Returns the cookie to set, with which a known browser
/// remains known.
///
/// # Errors
///
/// `NoPermission` if no user is signed in there.
pub fn sign_out(authentication: AuthContext, visitor: &AuthClient) -> Result<Option<Cookie>> {
    authentication.site.write(|transaction| {
        let now = transaction.now();
        let session = visitor.session(transaction.catalog(), now);
        let Some(session) = session.filter(|session| session.is_signed_in(now)).cloned() else {
            return Err(Error::unauthenticated("The request has no session cookie."));
        };
        transaction.end_session(&session.digest);
        if !session.verified {
            return Ok(None);
        }
        // The secret changes, so that a copy of the previous cookie does not count as the known
        // browser.
        let secret = Secret::generate().map_err(Error::internal)?;
        let existing = Session {
            digest: secret.digest(),
            state: SessionState::SignedOut,
            code: None,
            ..Session::clone(&session)
        };
        let ends_at = existing.ends_at();
        transaction.save_session(existing)?;
        Ok(Some(Cookie { secret, ends_at }))
    })
}

/// Records the use of a session, at most once a day to avoid a write for every request.
///
/// # Errors
///
/// If the store cannot be read.
pub fn record_use(site: &Site, session: &Session) -> Result<()> {
    if !session.should_store_use(site.now()) {
        return Ok(());
    }
    site.write(|transaction| {
        // A session that has ended since the request was authenticated must not be stored again.
        let Some(existing) = transaction.catalog().sessions.get(&session.digest) else {
            return Ok(());
        };
        let used = Session {
            last_used_at: transaction.now(),
            ..Session::clone(existing)
        };
        transaction.save_session(used)
    })
}
