//! The proof of who a member is: the part that cookies, identity tokens, links and codes have in
//! common.
//!
//! A proof names the member and how often the member's proofs had been ended before it was made.
//! Signing out everywhere and a change of the address end all proofs by counting one further; a
//! deletion ends them because the member is missing. Nothing has to be stored for a proof.

use serde::{Deserialize, Serialize};

use super::member::Member;
use crate::id::Id;

/// The contents of every proof of a member's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberProof {
    /// The member.
    pub member: Id,
    /// Number of times that the member's proofs had been revoked when this one was made.
    pub ended_before: u32,
}

impl Member {
    /// Returns the contents of a proof that is made now.
    pub fn proof(&self) -> MemberProof {
        MemberProof {
            member: self.id,
            ended_before: self.proofs_ended,
        }
    }

    /// Returns whether a proof is this member's and was not ended. Its own expiry is the proof's to
    /// check.
    pub fn accepts(&self, proof: MemberProof) -> bool {
        proof == self.proof()
    }

    /// Ends all proofs of who the member is that were made so far.
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
