//! The proof of a member's identity: the common part of cookies, identity tokens, links and codes.
//!
//! A proof contains the member, and how often the member's proofs had been revoked when it was
//! issued. Signing out everywhere and changing the address revoke all proofs by incrementing that
//! count; deleting the member revokes them because the member no longer exists. Proofs themselves
//! are not stored.

use serde::{Deserialize, Serialize};

use super::member::Member;
use crate::id::Id;

/// The contents of every proof of a member's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberProof {
    /// The member.
    pub member: Id,
    /// Number of times that the member's proofs had been revoked when this proof was issued.
    pub ended_before: u32,
}

impl Member {
    /// Returns the contents of a proof that is issued now.
    pub fn proof(&self) -> MemberProof {
        MemberProof {
            member: self.id,
            ended_before: self.proofs_ended,
        }
    }

    /// Returns whether a proof belongs to this member and has not been revoked. Callers check its
    /// expiry.
    pub fn accepts(&self, proof: MemberProof) -> bool {
        proof == self.proof()
    }

    /// Revokes all proofs of the member's identity that have been issued so far.
    pub fn end_proofs(&mut self) {
        self.proofs_ended = self.proofs_ended.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn proof_is_of_one_member_until_all_are_ended() {
        let member = |name: &str| {
            let id = Id::derive("member", name);
            Member::new(id, "a@example.com", Timestamp::UNIX_EPOCH)
        };
        // Another member with the same address, as after a deletion.
        let (mut ana, other) = (member("ana"), member("other"));
        let proof = ana.proof();
        assert!(ana.accepts(proof) && !other.accepts(proof));
        ana.end_proofs();
        assert!(!ana.accepts(proof) && ana.accepts(ana.proof()));
    }
}
