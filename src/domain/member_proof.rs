//! The proof of a member's identity: the common part of cookies, identity tokens, links and codes.
//!
//! A proof contains the member, and how often the member's proofs had been revoked when it was
//! issued. Signing out everywhere and changing the address revoke all proofs by incrementing that
//! count; deleting the member revokes them because the member no longer exists. Proofs themselves
//! are not stored.

use serde::{Deserialize, Serialize};

use super::member::Member;
use crate::id::Id;

/// The content of every proof of a member's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberProof {
    /// The member.
    pub member: Id,
    /// Number of times that the member's proofs had been revoked when this proof was issued.
    #[serde(rename = "ended_before")]
    pub revocations: u32,
}

impl Member {
    /// Returns the content of a proof that is issued now.
    pub fn proof(&self) -> MemberProof {
        MemberProof {
            member: self.id,
            revocations: self.proof_revocations,
        }
    }

    /// Returns whether a proof belongs to this member and has not been revoked. Callers check its
    /// expiry.
    pub fn accepts(&self, proof: MemberProof) -> bool {
        proof == self.proof()
    }

    /// Revokes all proofs of the member's identity that have been issued so far.
    pub fn revoke_proofs(&mut self) {
        self.proof_revocations = self.proof_revocations.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn proof_is_accepted_for_its_member_until_revocation() {
        let member = |name: &str| {
            let id = Id::derive("member", name);
            Member::new(id, "a@example.com", Timestamp::UNIX_EPOCH)
        };
        // Another member with the same address, as after a deletion.
        let (mut ana, other) = (member("ana"), member("other"));
        let proof = ana.proof();
        assert!(ana.accepts(proof) && !other.accepts(proof));
        ana.revoke_proofs();
        assert!(!ana.accepts(proof) && ana.accepts(ana.proof()));
    }
}
