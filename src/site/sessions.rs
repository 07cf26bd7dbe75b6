//! Sessions of signed-in users.

use std::{cmp::Reverse, sync::Arc};

use super::Transaction;
use crate::{
    domain::{
        secret::Digest,
        session::{SESSIONS_OF_USER_MAX, Session},
    },
    error::Result,
    id::Id,
    store::Table,
};

impl Transaction {
    /// Adds a session or replaces the one with its digest. Deletes the user's expired sessions and,
    /// if there are too many, the least recently used ones.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_session(&mut self, session: Session) -> Result<()> {
        let now = self.now();
        let others = self.catalog().sessions.of(session.user);
        let mut others: Vec<Arc<Session>> = others
            .filter(|other| other.digest != session.digest)
            .cloned()
            .collect();
        // Expired sessions are last in the order, so they are deleted before any session in use.
        others.sort_by_key(|other| (other.is_over(now), Reverse(other.last_used_at)));
        let retained = others
            .iter()
            // One less, because the saved session is added.
            .take(SESSIONS_OF_USER_MAX - 1)
            .take_while(|other| !other.is_over(now))
            .count();
        for other in &others[retained..] {
            self.end_session(&other.digest);
        }
        self.put(Table::Sessions, session.digest.as_bytes(), &session)?;
        self.catalog_mut().sessions.put(session);
        Ok(())
    }

    /// Ends a session, if it exists. Its cookie becomes invalid.
    pub fn end_session(&mut self, digest: &Digest) {
        // A session that does not exist is not deleted, so that the transaction stays empty.
        if self.catalog_mut().sessions.remove(digest).is_some() {
            self.delete(Table::Sessions, digest.as_bytes());
        }
    }

    /// Excludes a session, the one in which users change their own account, from the change that ends all
    /// others.
    pub fn keep_session(&mut self, digest: Digest) {
        self.excepted_session = Some(digest);
    }

    /// Ends all sessions of a user and returns their number.
    pub(super) fn end_sessions_of(&mut self, user: Id) -> usize {
        let sessions = self.catalog().sessions.of(user);
        let digests = sessions.map(|session| session.digest);
        let digests: Vec<Digest> = digests
            .filter(|digest| self.excepted_session != Some(*digest))
            .collect();
        for digest in &digests {
            self.end_session(digest);
        }
        digests.len()
    }
}
