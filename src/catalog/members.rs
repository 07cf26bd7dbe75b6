//! The index of members: by identifier (with the search text), by email address, and in the order
//! in which staff see them.
//!
//! A search reads only the search text of each member, which is prepared once when the member is
//! indexed.

use std::{borrow::Cow, cmp::Reverse, ops::Bound, sync::Arc};

use imbl::{OrdMap, OrdSet};
use jiff::Timestamp;
use memchr::memmem::Finder;

use super::{reference_counts::ReferenceCounts, text_index::TextIndex};
use crate::{
    collation,
    domain::member::{Member, email_key},
    id::Id,
};

/// The default position of a member in lists: newest first, then in descending order of identifier
/// (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberPosition {
    created: Reverse<i64>,
    id: Reverse<Id>,
}

impl MemberPosition {
    /// Returns the position of a member.
    pub fn of(member: &Member) -> Self {
        Self {
            // Ghost stores whole seconds, so members created within the same second are ordered by
            // identifier.
            created: Reverse(member.created_at.as_second()),
            id: Reverse(member.id),
        }
    }
}

/// A member with its search text.
#[derive(Clone)]
pub struct IndexedMember {
    /// The record.
    pub member: Arc<Member>,
    /// The search text: email address and name, folded, one per line.
    pub searched: Arc<str>,
}

/// A text to search in the email addresses and names of members, ignoring case and accents.
#[derive(Debug)]
pub struct MemberSearch(Finder<'static>);

impl MemberSearch {
    /// Returns the search for `text`; `None` if the text is empty.
    pub fn new(text: &str) -> Option<Self> {
        let text = collation::folded(text);
        (!text.is_empty()).then(|| Self(Finder::new(text.as_bytes()).into_owned()))
    }

    /// Returns whether the member matches.
    pub fn finds(&self, indexed: &IndexedMember) -> bool {
        self.0.find(indexed.searched.as_bytes()).is_some()
    }
}

impl IndexedMember {
    fn new(member: Arc<Member>) -> Self {
        let name = member.name.as_deref().unwrap_or_default();
        // The line break separates the two texts, so that no search matches the end of the address
        // with the start of the name.
        let searched = collation::folded(&format!("{}\n{name}", member.email));
        Self {
            member,
            searched: searched.into(),
        }
    }
}

/// All members. Cloning is cheap; a change copies only the path to the changed records.
#[derive(Clone, Default)]
pub struct MemberIndex {
    by_id: OrdMap<Id, IndexedMember>,
    listed: OrdMap<MemberPosition, Arc<Member>>,
    by_address: TextIndex,
    /// The times at which the first tier of a member expires, with the members.
    ending: OrdSet<(i64, Id)>,
    uses_of_labels: ReferenceCounts,
    uses_of_newsletters: ReferenceCounts,
}

impl MemberIndex {
    /// Returns the member with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<Member>> {
        self.by_id.get(&id).map(|indexed| &indexed.member)
    }

    /// Returns the member with exactly this email address.
    pub fn with_email(&self, email: &str) -> Option<&Arc<Member>> {
        let email = email.trim();
        self.matching(email).find(|member| *member.email == *email)
    }

    /// Returns the member with this email address: an exact match, or the first that matches
    /// ignoring case.
    pub fn by_email(&self, email: &str) -> Option<&Arc<Member>> {
        self.with_email(email)
            .or_else(|| self.matching(email).next())
    }

    /// Returns the members with this email address, ignoring case, by ascending identifier.
    pub fn matching(&self, email: &str) -> impl Iterator<Item = &Arc<Member>> {
        let key = email_key(email);
        self.with_similar_email(email)
            .filter(move |member| email_key(&member.email) == key)
    }

    /// Returns the members whose email address equals this one as a text in a filter. Addresses
    /// that differ in accents are different mailboxes, but equal as texts.
    pub fn with_similar_email<'m>(&'m self, email: &str) -> impl Iterator<Item = &'m Arc<Member>> {
        let candidates = self.by_address.candidates(email.trim());
        candidates.filter_map(|id| self.get(id))
    }

    /// Returns the members that share an email address with another member, ignoring case, grouped
    /// and ordered by address. Stores of earlier versions may contain such members.
    pub fn duplicates(&self) -> Vec<Vec<&Arc<Member>>> {
        let is_equal = |one: &&Arc<Member>, other: &&Arc<Member>| {
            email_key(&one.email) == email_key(&other.email)
        };
        let mut duplicates = self.by_address.duplicates(|id| self.get(id), is_equal);
        // The index is sorted by hash, so its order means nothing to the operator.
        duplicates.sort_by_cached_key(|group| email_key(&group[0].email));
        duplicates
    }

    /// Returns all members, by ascending identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.indexed().map(|indexed| &indexed.member)
    }

    /// Returns the members with identifiers greater than `id`, or all members without `id`, by
    /// ascending identifier.
    pub fn after(&self, id: Option<Id>) -> impl Iterator<Item = &Arc<Member>> {
        let start = id.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_id
            .range((start, Bound::Unbounded))
            .map(|(_, indexed)| &indexed.member)
    }

    /// Returns all members with their search texts, by ascending identifier. Members are loaded in
    /// this order, so it is also their order in memory; iterating in another order takes several
    /// times as long.
    pub fn indexed(&self) -> impl Iterator<Item = &IndexedMember> {
        self.by_id.values()
    }

    /// Returns all members in the order in which staff see them.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.listed.values()
    }

    /// Returns the members with a tier that has expired by `now`.
    pub fn ended(&self, now: Timestamp) -> impl Iterator<Item = &Arc<Member>> {
        self.ending
            .range(..=(now.as_second(), Id::MAX))
            .filter_map(|(_, id)| self.get(*id))
            // The index stores whole seconds, so the tier may expire later in this second.
            .filter(move |member| matches!(member.at(now), Cow::Owned(_)))
    }

    /// Returns the members as of `now`: the index itself, unless a tier has expired since the
    /// scheduler last removed expired tiers.
    pub fn at(&self, now: Timestamp) -> Cow<'_, Self> {
        let mut ended = self.ended(now).peekable();
        if ended.peek().is_none() {
            return Cow::Borrowed(self);
        }
        // Only the members whose tiers ended are replaced, in a copy that shares the rest.
        let mut members = self.clone();
        for member in ended {
            members.put(member.at(now).into_owned());
        }
        Cow::Owned(members)
    }

    /// Returns the number of members with this label.
    pub fn uses_of_label(&self, label: Id) -> usize {
        self.uses_of_labels.to(label)
    }

    /// Returns the number of members who receive this newsletter.
    pub fn uses_of_newsletter(&self, newsletter: Id) -> usize {
        self.uses_of_newsletters.to(newsletter)
    }

    /// Returns whether any member has been granted this tier. Reads all members.
    pub fn is_tier_granted(&self, tier: Id) -> bool {
        let mut granted = self.iter().flat_map(|member| &member.tiers);
        granted.any(|grant| grant.tier == tier)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Adds a member or replaces the one with the same identifier.
    pub fn put(&mut self, mut member: Member) {
        // The index entries of the old member can only be found by its old values, so they are
        // removed first.
        self.remove(member.id);
        // Lists deserialised from JSON may have spare capacity.
        member.labels.shrink_to_fit();
        member.newsletters.shrink_to_fit();
        member.tiers.shrink_to_fit();
        member.tiers_deleted.shrink_to_fit();
        if let Some(end) = first_end(&member) {
            self.ending.insert((end, member.id));
        }
        self.uses_of_labels.add(&member.labels);
        self.uses_of_newsletters.add(&member.newsletters);
        let member = Arc::new(member);
        self.by_address.insert(member.email.trim(), member.id);
        self.listed
            .insert(MemberPosition::of(&member), Arc::clone(&member));
        self.by_id.insert(member.id, IndexedMember::new(member));
    }

    /// Removes a member.
    pub fn remove(&mut self, id: Id) -> Option<Arc<Member>> {
        let old = self.by_id.remove(&id)?.member;
        self.by_address.remove(old.email.trim(), id);
        self.listed.remove(&MemberPosition::of(&old));
        if let Some(end) = first_end(&old) {
            self.ending.remove(&(end, id));
        }
        self.uses_of_labels.take(&old.labels);
        self.uses_of_newsletters.take(&old.newsletters);
        Some(old)
    }
}

/// Returns the time at which the first of the member's tiers expires, in seconds since 1970.
fn first_end(member: &Member) -> Option<i64> {
    let ends = member.tiers.iter().filter_map(|grant| grant.expires_at);
    ends.min().map(|end| end.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::member::{Status, TierGrant};

    fn member(hash: u32, email: &str) -> Member {
        let name = hash.to_string();
        let created_at = Timestamp::from_second(hash.into()).unwrap();
        Member::new(Id::derive("member", &name), email, created_at)
    }

    #[test]
    fn an_email_address_matches_exactly_before_ignoring_case() {
        let mut index = MemberIndex::default();
        let (small, large) = (member(1, "ana@example.com"), member(2, "ANA@Example.com"));
        index.put(small.clone());
        index.put(large.clone());

        assert_eq!(**index.by_email("ana@example.com").unwrap(), small);
        assert_eq!(**index.by_email("ANA@Example.com").unwrap(), large);
        let first = if small.id < large.id { &small } else { &large };
        assert_eq!(**index.by_email(" Ana@Example.Com ").unwrap(), *first);
        assert!(index.with_email("Ana@example.com").is_none());
        assert!(index.by_email("ben@example.com").is_none());
    }

    #[test]
    fn expired_tiers_count_nowhere_before_the_scheduler_ends_them() {
        let mut index = MemberIndex::default();
        let ends = Timestamp::from_millisecond(10_500).unwrap();
        let grant = TierGrant {
            tier: Id::derive("tier", "gold"),
            expires_at: Some(ends),
        };
        index.put(Member {
            pays: true,
            tiers: vec![grant],
            ..member(1, "ana@example.com")
        });
        index.put(member(2, "ben@example.com"));
        let at = |millisecond| {
            let now = Timestamp::from_millisecond(millisecond).unwrap();
            let members = index.at(now);
            let statuses = members.iter().map(|member| member.status());
            let ended = index.ended(now).count();
            let mut statuses: Vec<_> = statuses.collect();
            statuses.sort_by_key(|status| status.name());
            (statuses, ended, members.len())
        };
        let (free, paid) = (Status::Free, Status::Paid);
        assert_eq!(at(10_499), (vec![free, paid], 0, 2));
        assert_eq!(at(10_500), (vec![free, free], 1, 2));
    }

    #[test]
    fn replacing_a_member_updates_every_index() {
        let mut index = MemberIndex::default();
        index.put(member(1, "ana@example.com"));
        index.put(member(2, "ben@example.com"));
        let before = index.clone();

        let moved = Member {
            created_at: Timestamp::from_second(9).unwrap(),
            ..member(1, "ana@example.org")
        };
        index.put(moved);

        let listed = |index: &MemberIndex| -> Vec<String> {
            let emails = index.listed().map(|member| member.email.to_string());
            emails.collect()
        };
        assert_eq!(listed(&index), ["ana@example.org", "ben@example.com"]);
        assert_eq!(listed(&before), ["ben@example.com", "ana@example.com"]);
        assert!(index.by_email("ana@example.com").is_none());
        index.remove(Id::derive("member", "1"));
        assert_eq!(listed(&index), ["ben@example.com"]);
        assert!(index.by_email("ana@example.org").is_none());
    }
}
