//! The links that readers requested, in the store, and the key that signs members' tokens.

use std::{
    ops::{Bound, ControlFlow},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};

use super::{SiteSnapshot, Transaction, records};
use crate::{
    domain::{
        identity_key::IdentityKey, member::email_key, member_link::SIGN_IN_LIFETIME_S,
        member_token::MemberToken, secret::Digest,
    },
    error::{Error, Result},
    store::{Keys, Snapshot, Table},
};

/// Key of the key that signs members' tokens.
const IDENTITY_KEY: &[u8] = b"member_identity_key";

/// Number of stored requests that each new one checks for expiry.
const CHECKED: usize = 4;

/// Returns the key that signs members' tokens; `None` if no key was needed yet.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn identity_key(snapshot: &dyn Snapshot) -> Result<Option<Arc<IdentityKey>>> {
    let Some(record) = snapshot.get(Table::Meta, IDENTITY_KEY)? else {
        return Ok(None);
    };
    let text: String = records::decode(Table::Meta, &record.bytes)?;
    Ok(IdentityKey::from_stored(&text).map(Arc::new))
}

/// Returns the key of the record with the time at which the links to an address were revoked.
fn links_to(email: &str) -> Digest {
    Digest::of(&format!("links to {}", email_key(email)))
}

impl SiteSnapshot {
    /// Returns the requested link whose token has this digest.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn member_token(&self, digest: &Digest) -> Result<Option<MemberToken>> {
        self.read(Table::MemberTokens, digest.as_bytes())
    }
}

impl Transaction {
    /// Returns the requested link whose token has this digest.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn member_token(&self, digest: &Digest) -> Result<Option<MemberToken>> {
        self.read(Table::MemberTokens, digest.as_bytes())
    }

    /// Stores a requested link, and deletes a few expired links.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_member_token(&mut self, digest: &Digest, token: &MemberToken) -> Result<()> {
        let mut expired = Vec::new();
        let mut checked = 0;
        let start: &[u8] = digest.as_bytes();
        // Digests are evenly distributed, so over time the checks that follow new digests reach all
        // rows.
        let after = Keys::range::<&[u8]>((Bound::Excluded(start), Bound::Unbounded));
        self.scan(Table::MemberTokens, &after, |key, bytes| {
            let other = records::decode::<MemberToken>(Table::MemberTokens, bytes);
            // An unreadable row of a newer version is not deleted.
            if other.is_ok_and(|other| other.expires_at() < self.now()) {
                expired.push(key.to_vec());
            }
            checked += 1;
            if checked < CHECKED {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        for key in expired {
            self.delete(Table::MemberTokens, &key);
        }
        self.put(Table::MemberTokens, digest.as_bytes(), token)
    }

    /// Revokes the links that were sent to an address before its member was deleted or changed the
    /// address.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn end_links_to(&mut self, email: &str) -> Result<()> {
        let mut ends = self.now() + SignedDuration::from_secs(SIGN_IN_LIFETIME_S);
        // Each revocation has a different time, even within one second.
        if let Some(last) = self.links_ended(email)? {
            ends = ends.max(last + SignedDuration::from_secs(1));
        }
        self.record_end_of_use(&links_to(email), ends)
    }

    /// Returns the time that identifies the last revocation of the links to an address; `None` if
    /// there was none within the lifetime of a link.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn links_ended(&self, email: &str) -> Result<Option<Timestamp>> {
        self.read(Table::UsedTokens, links_to(email).as_bytes())
    }

    /// Deletes the requested link whose token has this digest.
    pub fn delete_member_token(&mut self, digest: &Digest) {
        self.delete(Table::MemberTokens, digest.as_bytes());
    }

    /// Returns the key that signs members' tokens. The first call creates it.
    ///
    /// # Errors
    ///
    /// If the system provides no randomness.
    pub fn identity_key(&mut self) -> Result<Arc<IdentityKey>> {
        if let Some(key) = &self.catalog().identity_key {
            return Ok(Arc::clone(key));
        }
        let no_key = || Error::internal("no key can be generated");
        let stored = IdentityKey::generate().ok_or_else(no_key)?;
        let key = Arc::new(IdentityKey::from_stored(&stored).ok_or_else(no_key)?);
        self.put(Table::Meta, IDENTITY_KEY, &stored)?;
        self.catalog_mut().identity_key = Some(Arc::clone(&key));
        Ok(key)
    }
}
