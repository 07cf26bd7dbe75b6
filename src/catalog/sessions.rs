//! Sessions, indexed by the digest of the cookie and by user.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::{
    domain::{secret::Digest, session::Session},
    id::Id,
};

/// An index of sessions. Cloning is cheap; a change copies only the path to the changed records.
#[derive(Clone, Default)]
pub struct Sessions {
    by_digest: OrdMap<Digest, Arc<Session>>,
    by_user: OrdSet<(Id, Digest)>,
}

impl Sessions {
    /// Returns the session with this digest.
    pub fn get(&self, digest: &Digest) -> Option<&Arc<Session>> {
        self.by_digest.get(digest)
    }

    /// Returns all sessions of a user, in no particular order.
    pub fn of(&self, user: Id) -> impl Iterator<Item = &Arc<Session>> {
        self.by_user
            .range((user, Digest::MIN)..)
            // There is no constant for the greatest digest to end the range with.
            .take_while(move |(owner, _)| *owner == user)
            .filter_map(|(_, digest)| self.by_digest.get(digest))
    }

    /// Adds a session or replaces the one with the same digest.
    pub fn put(&mut self, session: Session) {
        self.remove(&session.digest);
        self.by_user.insert((session.user, session.digest));
        self.by_digest.insert(session.digest, Arc::new(session));
    }

    /// Removes a session.
    pub fn remove(&mut self, digest: &Digest) -> Option<Arc<Session>> {
        let old = self.by_digest.remove(digest)?;
        self.by_user.remove(&(old.user, *digest));
        Some(old)
    }
}
