//! What a member may read.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    member::Member,
    post::{Post, Visibility},
};
use crate::{id::Id, render::paywall::Reader};

/// A member who reads at some time.
#[derive(Clone, Debug)]
pub struct ReadingMember {
    member: Arc<Member>,
    now: Timestamp,
}

impl ReadingMember {
    /// Returns the member as a reader at `now`.
    pub fn new(member: Arc<Member>, now: Timestamp) -> Self {
        Self { member, now }
    }

    /// Returns whether the member may read all of a post.
    pub fn may_read(&self, post: &Post) -> bool {
        match post.visibility {
            Visibility::Public | Visibility::Members => true,
            Visibility::Paid => self.member.has_paid_access(self.now),
            Visibility::Tiers => self.has_one_of(&post.tiers),
        }
    }

    /// Returns whether the member has paid access and one of these tiers.
    pub fn has_one_of(&self, tiers: &[Id]) -> bool {
        let mut grants = self.member.tiers.iter();
        self.member.has_paid_access(self.now)
            && grants.any(|grant| grant.lasts(self.now) && tiers.contains(&grant.tier))
    }

    /// Returns a text that is the same for all members who may read the same.
    pub fn access(&self) -> String {
        match self.level() {
            Reader::Paying => {
                let grants = self.member.tiers.iter();
                let grants = grants.filter(|grant| grant.lasts(self.now));
                let mut tiers: Vec<String> = grants.map(|grant| grant.tier.to_string()).collect();
                tiers.sort();
                format!("paying {}", tiers.join(","))
            }
            Reader::Free => "free".to_owned(),
        }
    }

    /// Returns the access level, as gated blocks name it.
    pub fn level(&self) -> Reader {
        if self.member.has_paid_access(self.now) {
            Reader::Paying
        } else {
            Reader::Free
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::{
        member::{Status, TierGrant},
        post::PostKind,
    };

    #[test]
    fn tiers_give_access_until_they_expire() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let [gold, silver] = ["gold", "silver"].map(|name| Id::derive("tier", name));
        let with = |status, tiers: &[(Id, Option<i64>)]| {
            let grants = tiers.iter().map(|(tier, ends)| TierGrant {
                tier: *tier,
                expires_at: ends.map(|ends| Timestamp::from_second(ends).unwrap()),
            });
            let member = Member {
                status,
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
        let free = with(Status::Free, &[]);
        assert_eq!(reads(&free), [true, true, false, false]);
        assert_eq!(reads(&with(Status::Free, &[(gold, None)])), reads(&free));
        assert_eq!(reads(&with(Status::Comped, &[(gold, ended)])), reads(&free));
        let silver = with(Status::Comped, &[(silver, None)]);
        assert_eq!(reads(&silver), [true, true, true, false]);
        assert_eq!(reads(&with(Status::Paid, &[])), reads(&silver));
        let gold = with(Status::Paid, &[(gold, Some(1_800_000_001))]);
        assert_eq!(reads(&gold), [true; 4]);
        assert_eq!(gold.level(), Reader::Paying);
    }
}
