//! Sessions of members: the signed value of a cookie.
//!
//! Sessions are not stored. A session ends when the proofs of the member's identity are revoked.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::{
    member::Member,
    member_proof::MemberProof,
    secret::{Digest, Secret},
};

/// Lifetime of a session, in seconds: 184 days (Ghost 6.65, observed).
pub const SESSION_LIFETIME_S: i64 = 184 * 24 * 60 * 60;

/// A session of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberSession {
    /// The proof of identity of the member, as of the beginning of the session.
    pub proof: MemberProof,
    /// Time of the end.
    pub ends_at: Timestamp,
}

impl MemberSession {
    /// Returns a session that begins at `now`.
    pub fn new(member: &Member, now: Timestamp) -> Self {
        Self {
            proof: member.proof(),
            ends_at: now + SignedDuration::from_secs(SESSION_LIFETIME_S),
        }
    }

    /// Parses the value of a cookie; `None` if its signature is wrong.
    pub fn from_cookie(secret: &Secret, value: &str, signature: &str) -> Option<Self> {
        // The signature comes first, so that nothing in a forged cookie is interpreted.
        if Digest::from_hexadecimal(signature)? != sign(secret, value) {
            return None;
        }
        let mut parts = value.split('-');
        let member = parts.next()?.parse().ok()?;
        let ends_at = Timestamp::from_second(parts.next()?.parse().ok()?).ok()?;
        let revocations = parts.next()?.parse().ok()?;
        let proof = MemberProof {
            member,
            revocations,
        };
        Some(Self { proof, ends_at })
    }

    /// Returns whether this is a valid session of `member` at `now`.
    pub fn is_valid_for(&self, member: &Member, now: Timestamp) -> bool {
        member.accepts(self.proof) && now < self.ends_at
    }

    /// Returns the signature of the cookie.
    pub fn signature(&self, secret: &Secret) -> String {
        sign(secret, &self.to_string()).to_hexadecimal()
    }
}

impl fmt::Display for MemberSession {
    /// Writes the value of the cookie.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = self.ends_at.as_second();
        write!(f, "{}-{ends}-{}", self.proof.member, self.proof.revocations)
    }
}

fn sign(secret: &Secret, value: &str) -> Digest {
    secret.digest_of(&format!("member session/{value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    #[test]
    fn session_ends_in_time_or_with_all_proofs_of_its_member() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let secret = Secret::generate().unwrap();
        let mut member = Member::new(Id::derive("member", "ana"), "ana@example.com", now);
        let session = MemberSession::new(&member, now);
        let (value, signature) = (session.to_string(), session.signature(&secret));

        let read = MemberSession::from_cookie(&secret, &value, &signature);
        assert_eq!(read, Some(session));
        let forged = value.replace("-0", "-1");
        assert_eq!(
            MemberSession::from_cookie(&secret, &forged, &signature),
            None
        );
        assert_eq!(MemberSession::from_cookie(&secret, &value, ""), None);

        let end = now + SignedDuration::from_secs(SESSION_LIFETIME_S);
        assert!(session.is_valid_for(&member, now));
        assert!(!session.is_valid_for(&member, end));
        member.revoke_proofs();
        assert!(!session.is_valid_for(&member, now));
    }
}
