//! The content that a member may read.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    member::{Member, Status},
    post::{Post, Visibility},
};
use crate::{id::Id, render::paywall::Reader};

/// A member as a reader.
#[derive(Clone, Debug)]
pub struct ReadingMember {
    /// The member as of the time of reading.
    member: Arc<Member>,
}

impl ReadingMember {
    /// Returns `member` as a reader at `now`.
    pub fn new(member: Arc<Member>, now: Timestamp) -> Self {
        Self {
            member: member.as_of(now),
        }
    }

    /// Returns the member as of the time of reading.
    pub fn member(&self) -> &Member {
        &self.member
    }

    /// Returns whether the member may read the whole post.
    pub fn may_read(&self, post: &Post) -> bool {
        match post.visibility {
            Visibility::Public | Visibility::Members => true,
            Visibility::Paid => self.level() == Reader::Paying,
            Visibility::Tiers => self.has_one_of(&post.tiers),
        }
    }

    /// Returns whether the member has one of these tiers.
    pub fn has_one_of(&self, tiers: &[Id]) -> bool {
        let mut grants = self.member.tiers.iter();
        grants.any(|grant| tiers.contains(&grant.tier))
    }

    /// Returns a text that is equal for members with the same status and the same access to
    /// content.
    pub fn access(&self) -> String {
        let status = self.member.status().name();
        match self.level() {
            Reader::Paying => {
                let grants = self.member.tiers.iter();
                let mut tiers: Vec<String> = grants.map(|grant| grant.tier.to_string()).collect();
                // The order in which tiers were granted does not affect access.
                tiers.sort();
                format!("{status} {}", tiers.join(","))
            }
            Reader::Free => status.to_owned(),
        }
    }

    /// Returns the access level as used by gated blocks.
    pub fn level(&self) -> Reader {
        match self.member.status() {
            Status::Paid | Status::Comped => Reader::Paying,
            Status::Free => Reader::Free,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::{member::TierGrant, post::PostKind};

    #[test]
    fn tiers_give_access_until_they_expire() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let [gold, silver] = ["gold", "silver"].map(|name| Id::derive("tier", name));
        let with = |pays, tiers: &[(Id, Option<i64>)]| {
            let grants = tiers.iter().map(|(tier, ends)| TierGrant {
                tier: *tier,
                expires_at: ends.map(|ends| Timestamp::from_second(ends).unwrap()),
            });
            let member = Member {
                pays,
                tiers: grants.collect(),
                ..Member::new(Id::derive("member", "ana"), "ana@example.com", now)
            };
            ReadingMember::new(Arc::new(member), now)
        };
        let reads = |reader: &ReadingMember| {
            [
                Visibility::Public,
                Visibility::Members,
                Visibility::Paid,
                Visibility::Tiers,
            ]
            .map(|visibility| {
                let id = Id::derive("post", "a");
                let mut post = Post::draft(id, Uuid::nil(), PostKind::Post, now);
                post.visibility = visibility;
                post.tiers = vec![gold];
                reader.may_read(&post)
            })
        };
        let ended = Some(1_800_000_000);
        let free = with(false, &[]);
        assert_eq!(reads(&free), [true, true, false, false]);
        assert_eq!(reads(&with(false, &[(gold, ended)])), reads(&free));
        // A paid subscription ends with its last tier.
        assert_eq!(reads(&with(true, &[(gold, ended)])), reads(&free));
        let of_silver = with(false, &[(silver, None)]);
        assert_eq!(reads(&of_silver), [true, true, true, false]);
        assert_eq!(reads(&with(true, &[])), reads(&of_silver));
        let both = with(false, &[(gold, ended), (silver, None)]);
        assert_eq!(reads(&both), reads(&of_silver));
        assert_eq!(both.access(), of_silver.access());
        let gold = with(true, &[(gold, Some(1_800_000_001))]);
        assert_eq!(reads(&gold), [true; 4]);
        assert_eq!(gold.level(), Reader::Paying);
    }
}
