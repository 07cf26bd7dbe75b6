//! The index of members: by identifier, each beside the text that a search looks through, by address, and in the order in
//! which staff see them.
//!
//! A search reads one text of each member and nothing else: who is not found is not looked at any closer. That text is
//! made once, when the record comes in.

use std::{cmp::Reverse, ops::Bound, sync::Arc};

use imbl::{OrdMap, OrdSet};
use jiff::Timestamp;
use memchr::memmem::Finder;
use twox_hash::XxHash3_128;

use super::uses::Uses;
use crate::{
    domain::member::{Member, email_key},
    id::Id,
};

/// Where a member stands in a list without an order: who came last is first, then by identifier, the greatest first
/// (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    created: Reverse<i64>,
    id: Reverse<Id>,
}

impl Place {
    /// The place of a member.
    pub fn of(member: &Member) -> Self {
        Self {
            created: Reverse(member.created_at.as_second()),
            id: Reverse(member.id),
        }
    }
}

/// A member, and what a search looks through.
#[derive(Clone)]
pub struct Indexed {
    /// The record.
    pub member: Arc<Member>,
    /// Address and name in small letters, a line for each.
    pub searched: Arc<str>,
}

/// A text that is looked for in the addresses and names of members, letters of either case being the same.
#[derive(Debug)]
pub struct Search(Finder<'static>);

impl Search {
    /// The search for `text`; `None` when that is empty.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        (!text.is_empty()).then(|| Self(Finder::new(text.as_bytes()).into_owned()))
    }

    /// Whether the member is found.
    pub fn finds(&self, indexed: &Indexed) -> bool {
        self.0.find(indexed.searched.as_bytes()).is_some()
    }
}

impl Indexed {
    fn new(member: Arc<Member>) -> Self {
        let name = member.name.as_deref().unwrap_or_default();
        let searched = format!("{}\n{name}", member.email).to_lowercase();
        Self {
            member,
            searched: searched.into(),
        }
    }
}

/// All members. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone, Default)]
pub struct MemberIndex {
    by_id: OrdMap<Id, Indexed>,
    listed: OrdMap<Place, Arc<Member>>,
    /// A number made of the address, and who has it: smaller than the address, and quicker to compare.
    by_address: OrdSet<(u64, Id)>,
    /// When the first of a member's tiers ends, and whose.
    ending: OrdSet<(i64, Id)>,
    uses_of_labels: Uses,
    uses_of_newsletters: Uses,
}

impl MemberIndex {
    /// The member with this identifier.
    pub fn get(&self, id: Id) -> Option<&Arc<Member>> {
        self.by_id.get(&id).map(|indexed| &indexed.member)
    }

    /// The member with this address, to the letter.
    pub fn with_email(&self, email: &str) -> Option<&Arc<Member>> {
        let email = email.trim();
        self.like(email).find(|member| *member.email == *email)
    }

    /// The member with this address: the one who has it to the letter, or the first of those who have it in other letters.
    pub fn by_email(&self, email: &str) -> Option<&Arc<Member>> {
        self.with_email(email).or_else(|| self.like(email).next())
    }

    /// The members who have this address in whatever case, by rising identifier.
    fn like(&self, email: &str) -> impl Iterator<Item = &Arc<Member>> {
        let key = email_key(email);
        let number = number(&key);
        self.by_address
            .range((number, Id::MIN)..=(number, Id::MAX))
            .filter_map(|(_, id)| self.get(*id))
            .filter(move |member| email_key(&member.email) == key)
    }

    /// All members, by rising identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.indexed().map(|indexed| &indexed.member)
    }

    /// The members whose identifiers are greater than this one, by rising identifier; all without one.
    pub fn after(&self, id: Option<Id>) -> impl Iterator<Item = &Arc<Member>> {
        let start = id.map_or(Bound::Unbounded, Bound::Excluded);
        self.by_id
            .range((start, Bound::Unbounded))
            .map(|(_, indexed)| &indexed.member)
    }

    /// All members, each beside what a search looks through. This is also how they lie in memory, one after the other, since
    /// they are read and made in this order: going through all of them in another takes several times as long.
    pub fn indexed(&self) -> impl Iterator<Item = &Indexed> {
        self.by_id.values()
    }

    /// All members in the order in which staff see them.
    pub fn listed(&self) -> impl Iterator<Item = &Arc<Member>> {
        self.listed.values()
    }

    /// The members of whose tiers one has ended by `now`.
    pub fn ended(&self, now: Timestamp) -> impl Iterator<Item = &Arc<Member>> {
        self.ending
            .range(..=(now.as_second(), Id::MAX))
            .filter_map(|(_, id)| self.get(*id))
    }

    /// How many have this label.
    pub fn uses_of_label(&self, label: Id) -> usize {
        self.uses_of_labels.to(label)
    }

    /// How many get this newsletter.
    pub fn uses_of_newsletter(&self, newsletter: Id) -> usize {
        self.uses_of_newsletters.to(newsletter)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Adds a member, or puts it in the place of the one with its identifier.
    pub fn put(&mut self, mut member: Member) {
        self.remove(member.id);
        // Lists that were read from JSON have room for up to twice as many.
        member.labels.shrink_to_fit();
        member.newsletters.shrink_to_fit();
        member.tiers.shrink_to_fit();
        if let Some(end) = first_end(&member) {
            self.ending.insert((end, member.id));
        }
        self.uses_of_labels.add(&member.labels);
        self.uses_of_newsletters.add(&member.newsletters);
        let member = Arc::new(member);
        let number = number(&email_key(&member.email));
        self.by_address.insert((number, member.id));
        self.listed.insert(Place::of(&member), Arc::clone(&member));
        self.by_id.insert(member.id, Indexed::new(member));
    }

    /// Takes a member out.
    pub fn remove(&mut self, id: Id) -> Option<Arc<Member>> {
        let old = self.by_id.remove(&id)?.member;
        self.by_address
            .remove(&(number(&email_key(&old.email)), id));
        self.listed.remove(&Place::of(&old));
        if let Some(end) = first_end(&old) {
            self.ending.remove(&(end, id));
        }
        self.uses_of_labels.take(&old.labels);
        self.uses_of_newsletters.take(&old.newsletters);
        Some(old)
    }
}

/// When the first of the member's tiers ends, in seconds.
fn first_end(member: &Member) -> Option<i64> {
    let ends = member.tiers.iter().filter_map(|grant| grant.expires_at);
    ends.min().map(|end| end.as_second())
}

/// A number that stands for a text; two texts with one number are told apart by looking.
fn number(key: &str) -> u64 {
    XxHash3_128::oneshot(key.as_bytes()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u32, email: &str) -> Member {
        let name = number.to_string();
        let created_at = Timestamp::from_second(number.into()).unwrap();
        Member::new(Id::derive("member", &name), email, created_at)
    }

    #[test]
    fn an_address_is_found_in_its_own_letters_first() {
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
    fn what_is_put_again_leaves_nothing_of_what_it_was() {
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
