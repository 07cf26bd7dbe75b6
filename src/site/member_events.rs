//! What happened to members, kept beside them.
//!
//! An event stands in the store twice: by time, the newest first, and by its member, so that the events of one are found,
//! and go with it, without a look at the others. What is only counted stands apart, in the order in which it happened.

use std::ops::ControlFlow;

use jiff::Timestamp;

use super::{Edition, Transaction};
use crate::{
    domain::{
        member::Member,
        member_event::{EventSource, Happening, MemberEvent},
    },
    error::{Error, Result},
    id::Id,
    store::{Keys, Table},
};

/// What a key of the table begins with.
#[derive(Clone, Copy)]
enum Part {
    /// An event, by time: later ones first.
    Listed = 0,
    /// Where a member's events stand in the other two.
    OfMember = 1,
    /// A change of status, by time: earlier ones first.
    Counted = 2,
}

/// The key of an event.
fn key(event: &MemberEvent) -> Vec<u8> {
    match event.happening.name() {
        Some(_) => listed_key(event.id),
        None => [&[Part::Counted as u8][..], event.id.as_bytes()].concat(),
    }
}

fn listed_key(id: Id) -> Vec<u8> {
    let inverted = id.as_bytes().iter().map(|byte| !byte);
    [Part::Listed as u8].into_iter().chain(inverted).collect()
}

/// What the keys begin with under which a member's events are found.
fn prefix_of_member(member: Id) -> Vec<u8> {
    [&[Part::OfMember as u8][..], member.as_bytes()].concat()
}

impl Edition {
    /// Visits what happened to members from new to old, until `visitor` breaks off. Changes of status are not among it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn visit_member_events(
        &self,
        visitor: impl FnMut(MemberEvent) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_within(
            Table::MemberEvents,
            &Keys::prefix(&[Part::Listed as u8]),
            visitor,
        )
    }

    /// Visits the changes of members' status from old to new, until `visitor` breaks off.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn visit_status_changes(
        &self,
        visitor: impl FnMut(MemberEvent) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_within(
            Table::MemberEvents,
            &Keys::prefix(&[Part::Counted as u8]),
            visitor,
        )
    }

    /// What happened to one member, from new to old. Changes of status are not among it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn events_of_member(&self, member: Id) -> Result<Vec<MemberEvent>> {
        let mut keys: Vec<Vec<u8>> = Vec::new();
        let own = Keys::prefix(&prefix_of_member(member));
        let place = prefix_of_member(member).len();
        self.snapshot
            .scan(Table::MemberEvents, &own, &mut |key, _, _| {
                if key.get(place) == Some(&(Part::Listed as u8)) {
                    keys.push(key[place..].to_vec());
                }
                ControlFlow::Continue(())
            })?;
        let found = keys.iter().map(|key| self.read(Table::MemberEvents, key));
        found.filter_map(Result::transpose).collect()
    }
}

impl Transaction {
    /// Notes that this happened to a member, now.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or the system has no randomness to give.
    pub fn record_member_event(
        &mut self,
        member: Id,
        source: EventSource,
        happening: Happening,
    ) -> Result<()> {
        self.record_happening(member, source, happening, self.now())
    }

    /// Notes what happened when a member who was `before` became `after`: signed up, another address, another status, and
    /// newsletters that came and went. Who signed up earlier than now, as lists of members say, did so then.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or the system has no randomness to give.
    pub fn record_member_change(
        &mut self,
        before: Option<&Member>,
        after: &Member,
        source: EventSource,
    ) -> Result<()> {
        let at = match before {
            None => after.created_at.min(self.now()),
            Some(_) => self.now(),
        };
        for happening in Happening::between(before, after) {
            self.record_happening(after.id, source, happening, at)?;
        }
        Ok(())
    }

    /// Notes that somebody became a member, when the record says, and nothing else: what lists of members bring in.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or the system has no randomness to give.
    pub fn record_sign_up(&mut self, member: &Member, source: EventSource) -> Result<()> {
        let at = member.created_at.min(self.now());
        self.record_happening(member.id, source, Happening::SignedUp, at)
    }

    fn record_happening(
        &mut self,
        member: Id,
        source: EventSource,
        happening: Happening,
        at: Timestamp,
    ) -> Result<()> {
        let event = MemberEvent {
            id: Id::generate_at(at).map_err(Error::internal)?,
            member,
            source,
            happening,
            created_at: at,
        };
        self.keep_member_event(&event)
    }

    fn keep_member_event(&mut self, event: &MemberEvent) -> Result<()> {
        let key = key(event);
        let of_member = [prefix_of_member(event.member), key.clone()].concat();
        self.put(Table::MemberEvents, &key, event)?;
        self.put(Table::MemberEvents, &of_member, &())
    }

    /// Forgets all that happened to a member, who is deleted.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub(super) fn forget_member_events(&mut self, member: Id) -> Result<()> {
        let prefix = prefix_of_member(member);
        let mut found: Vec<Vec<u8>> = Vec::new();
        self.scan(Table::MemberEvents, &Keys::prefix(&prefix), |key, _| {
            found.push(key.to_vec());
            ControlFlow::Continue(())
        })?;
        for of_member in found {
            self.delete(Table::MemberEvents, &of_member[prefix.len()..])?;
            self.delete(Table::MemberEvents, &of_member)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::SignedDuration;

    use super::*;
    use crate::{
        clock::SystemClock, domain::member::Status, site::Site, store::memory::MemoryStore,
    };

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

    fn listed(site: &Site) -> Vec<(Id, Happening)> {
        let mut events = Vec::new();
        let visited = site.current().visit_member_events(|event| {
            events.push((event.member, event.happening));
            ControlFlow::Continue(())
        });
        visited.unwrap();
        events
    }

    #[test]
    fn what_happened_last_comes_first_and_who_signed_up_long_ago_did_so_then() {
        let site = site();
        let now = site.now();
        let new = sign_up(&site, "new@example.com", now);
        let old = sign_up(
            &site,
            "old@example.com",
            now - SignedDuration::from_hours(99),
        );
        site.write(|change| {
            change.record_member_event(old.id, EventSource::Member, Happening::SignedIn)
        })
        .unwrap();

        assert_eq!(
            listed(&site),
            [
                (old.id, Happening::SignedIn),
                (new.id, Happening::SignedUp),
                (old.id, Happening::SignedUp),
            ]
        );
        let of_old = site.current().events_of_member(old.id).unwrap();
        assert_eq!(of_old.len(), 2);
        assert_eq!(of_old[1].created_at, old.created_at);
    }

    #[test]
    fn what_happened_to_a_member_goes_with_the_member() {
        let site = site();
        let stays = sign_up(&site, "stays@example.com", site.now());
        let goes = sign_up(&site, "goes@example.com", site.now());
        let paying = Member {
            status: Status::Paid,
            ..goes.clone()
        };
        site.write(|change| {
            change.record_member_change(Some(&goes), &paying, EventSource::Admin)?;
            change.delete_member(goes.id)
        })
        .unwrap();

        assert_eq!(listed(&site), [(stays.id, Happening::SignedUp)]);
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
