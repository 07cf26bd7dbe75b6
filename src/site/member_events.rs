//! Events of members, stored next to them.
//!
//! An event is stored twice: by time, newest first, and by member, so that the events of one member
//! are found and deleted without reading the others. Changes of status, which are only counted, are
//! stored separately in chronological order.

use std::ops::ControlFlow;

use jiff::Timestamp;

use super::{SiteSnapshot, Transaction};
use crate::{
    domain::{
        member::Member,
        member_event::{EventSource, MemberEvent, MemberEventKind},
    },
    error::{Error, Result},
    id::Id,
    store::{Keys, Table},
};

/// First byte of a key of the table.
#[derive(Clone, Copy)]
enum KeyPart {
    /// An event, by time: later ones first.
    Listed = 0,
    /// Reference from a member to its events in the other two parts.
    OfMember = 1,
    /// A change of status, by time: earlier ones first.
    Counted = 2,
}

/// Returns the key of an event.
fn key(event: &MemberEvent) -> Vec<u8> {
    match event.happening.name() {
        // Only events with a name are listed; changes of status have none.
        Some(_) => listed_key(event.id),
        None => [&[KeyPart::Counted as u8][..], event.id.as_bytes()].concat(),
    }
}

fn listed_key(id: Id) -> Vec<u8> {
    // Identifiers begin with the time. They are inverted so that the newest event sorts first.
    let inverted = id.as_bytes().iter().map(|byte| !byte);
    [KeyPart::Listed as u8]
        .into_iter()
        .chain(inverted)
        .collect()
}

/// Returns the prefix of the keys of a member's events.
fn prefix_of_member(member: Id) -> Vec<u8> {
    [&[KeyPart::OfMember as u8][..], member.as_bytes()].concat()
}

/// Returns the key of the event that a member's reference points to, if the event is listed.
fn listed_key_in(reference: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    let key = reference.strip_prefix(prefix)?;
    (key.first() == Some(&(KeyPart::Listed as u8))).then(|| key.to_vec())
}

impl SiteSnapshot {
    /// Visits the events of members from newest to oldest until `visitor` breaks. Changes of status are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn visit_member_events(
        &self,
        visitor: impl FnMut(MemberEvent) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_within(
            Table::MemberEvents,
            &Keys::prefix(&[KeyPart::Listed as u8]),
            visitor,
        )
    }

    /// Visits the changes of members' status from oldest to newest until `visitor` breaks.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn visit_status_changes(
        &self,
        visitor: impl FnMut(MemberEvent) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_within(
            Table::MemberEvents,
            &Keys::prefix(&[KeyPart::Counted as u8]),
            visitor,
        )
    }

    /// Returns the events of one member from newest to oldest. Changes of status are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn events_of_member(&self, member: Id) -> Result<Vec<MemberEvent>> {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let prefix = prefix_of_member(member);
        let own = Keys::prefix(&prefix);
        self.snapshot
            .scan(Table::MemberEvents, &own, &mut |key, _, _| {
                keys.extend(listed_key_in(key, &prefix));
                ControlFlow::Continue(())
            })?;
        let found = keys.iter().map(|key| self.read(Table::MemberEvents, key));
        found.filter_map(Result::transpose).collect()
    }
}

impl Transaction {
    /// Records the events of a member's change from `before` to `after`: a sign-up, a new email address, a new status,
    /// newsletters added and removed. A sign-up date in the past, which imported member lists can contain, is recorded as such.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the system provides no randomness.
    pub fn record_member_change(
        &mut self,
        before: Option<&Member>,
        after: &Member,
        source: EventSource,
    ) -> Result<()> {
        let at = match before {
            // Imported lists can contain dates in the future.
            None => after.created_at.min(self.now()),
            Some(_) => self.now(),
        };
        for happening in MemberEventKind::between(before, after) {
            self.record_happening(after.id, source, happening, at)?;
        }
        Ok(())
    }

    /// Records only the sign-up of a member, at the date in the record. Used for imports of member lists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the system provides no randomness.
    pub fn record_sign_up(&mut self, member: &Member, source: EventSource) -> Result<()> {
        let at = member.created_at.min(self.now());
        self.record_happening(member.id, source, MemberEventKind::SignedUp, at)
    }

    /// Records that a member signed in.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the system provides no randomness.
    pub fn record_sign_in(&mut self, member: Id) -> Result<()> {
        let kind = MemberEventKind::SignedIn;
        self.record_happening(member, EventSource::Member, kind, self.now())
    }

    fn record_happening(
        &mut self,
        member: Id,
        source: EventSource,
        happening: MemberEventKind,
        at: Timestamp,
    ) -> Result<()> {
        let event = MemberEvent {
            // Generated for the time of the event, which may be past: the identifier determines the position of the event.
            id: Id::generate_at(at).map_err(Error::internal)?,
            member,
            source,
            happening,
            created_at: at,
        };
        self.store_member_event(&event)
    }

    fn store_member_event(&mut self, event: &MemberEvent) -> Result<()> {
        let key = key(event);
        let of_member = [prefix_of_member(event.member), key.clone()].concat();
        self.put(Table::MemberEvents, &key, event)?;
        self.put(Table::MemberEvents, &of_member, &())
    }

    /// Returns the events of one member from newest to oldest. Changes of status are left out.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn events_of_member(&self, member: Id) -> Result<Vec<MemberEvent>> {
        let prefix = prefix_of_member(member);
        let mut keys: Vec<Vec<u8>> = Vec::new();
        self.scan(Table::MemberEvents, &Keys::prefix(&prefix), |key, _| {
            keys.extend(listed_key_in(key, &prefix));
            ControlFlow::Continue(())
        })?;
        let found = keys.iter().map(|key| self.read(Table::MemberEvents, key));
        found.filter_map(Result::transpose).collect()
    }

    /// Moves the events of the member `from`, who is merged into `to`, to that member. Returns the newsletters whose events
    /// were moved. Of the two sign-ups, the earlier one remains.
    ///
    /// Changes of status are not moved, nor are events about a newsletter that `to` already has events about: statistics treat
    /// the events of a member as one history.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn move_member_events(&mut self, from: Id, to: Id) -> Result<Vec<Id>> {
        let own = self.events_of_member(to)?;
        let newsletters = own.iter().filter_map(|event| event.happening.newsletter());
        let known: Vec<Id> = newsletters.collect();
        let is_sign_up = |event: &&MemberEvent| event.happening == MemberEventKind::SignedUp;
        let sign_up = own.iter().find(is_sign_up);
        let mut moved = Vec::new();
        for event in self.events_of_member(from)? {
            match event.happening.newsletter() {
                Some(newsletter) if known.contains(&newsletter) => continue,
                Some(newsletter) => moved.push(newsletter),
                None => {}
            }
            if let Some(sign_up) = sign_up.filter(|_| is_sign_up(&&event)) {
                if sign_up.created_at <= event.created_at {
                    continue;
                }
                // The earlier sign-up is that of the merged member, and a member has only one.
                self.delete_member_event(sign_up);
            }
            self.delete_member_event(&event);
            self.store_member_event(&MemberEvent {
                member: to,
                ..event
            })?;
        }
        Ok(moved)
    }

    fn delete_member_event(&mut self, event: &MemberEvent) {
        let key = key(event);
        let of_member = [prefix_of_member(event.member), key.clone()].concat();
        self.delete(Table::MemberEvents, &key);
        self.delete(Table::MemberEvents, &of_member);
    }

    /// Deletes all events of a deleted member.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub(super) fn forget_member_events(&mut self, member: Id) -> Result<()> {
        let prefix = prefix_of_member(member);
        let mut found: Vec<Vec<u8>> = Vec::new();
        self.scan(Table::MemberEvents, &Keys::prefix(&prefix), |key, _| {
            found.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        for of_member in found {
            self.delete(Table::MemberEvents, &of_member[prefix.len()..]);
            self.delete(Table::MemberEvents, &of_member);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::SignedDuration;

    use super::*;
    use crate::{clock::SystemClock, site::Site, store::memory::MemoryStore};

    fn site() -> Site {
        Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap()
    }

    fn sign_up(site: &Site, email: &str, created_at: Timestamp) -> Member {
        site.write(|change| {
            let id = Id::generate(change.now()).unwrap();
            let member = Member::new(id, email, created_at);
            change.save_member(member.clone())?;
            change.record_member_change(None, &member, EventSource::Import)?;
            Ok(member)
        })
        .unwrap()
    }

    fn listed(site: &Site) -> Vec<(Id, MemberEventKind)> {
        let mut events = Vec::new();
        let visited = site.current().visit_member_events(|event| {
            events.push((event.member, event.happening));
            ControlFlow::Continue(())
        });
        visited.unwrap();
        events
    }

    #[test]
    fn events_are_listed_newest_first_and_past_sign_ups_keep_their_date() {
        let site = site();
        let now = site.now();
        let new = sign_up(&site, "new@example.com", now);
        let old = sign_up(
            &site,
            "old@example.com",
            now - SignedDuration::from_hours(99),
        );
        site.write(|change| {
            let now = change.now();
            change.record_happening(old.id, EventSource::Member, MemberEventKind::SignedIn, now)
        })
        .unwrap();

        assert_eq!(
            listed(&site),
            [
                (old.id, MemberEventKind::SignedIn),
                (new.id, MemberEventKind::SignedUp),
                (old.id, MemberEventKind::SignedUp),
            ]
        );
        let of_old = site.current().events_of_member(old.id).unwrap();
        assert_eq!(of_old.len(), 2);
        assert_eq!(of_old[1].created_at, old.created_at);
    }

    #[test]
    fn events_of_a_member_are_deleted_with_the_member() {
        let site = site();
        let stays = sign_up(&site, "stays@example.com", site.now());
        let goes = sign_up(&site, "goes@example.com", site.now());
        let paying = Member {
            pays: true,
            ..goes.clone()
        };
        site.write(|change| {
            change.record_member_change(Some(&goes), &paying, EventSource::Admin)?;
            change.delete_member(goes.id)
        })
        .unwrap();

        assert_eq!(listed(&site), [(stays.id, MemberEventKind::SignedUp)]);
        let mut status_changes = 0;
        let visited = site.current().visit_status_changes(|_| {
            status_changes += 1;
            ControlFlow::Continue(())
        });
        visited.unwrap();
        assert_eq!(status_changes, 0);
        assert_eq!(site.current().events_of_member(goes.id).unwrap(), []);
    }
}
