//! The webhook events of a transaction, derived from all its changes and committed with it.
//!
//! A transaction is examined once it is complete, by comparing each record before and after. So it
//! does not matter which caller made the change, and a record that was touched twice is announced
//! once. Tags come first, then posts and pages, then members, each in ascending order of
//! identifiers; the site as a whole is last, and once.
//!
//! Two things differ from Ghost 6.65, which announces nothing for bulk changes, for posts that
//! change their author because a user is deleted, and for imports: here they are announced like any
//! other change. What Ghost does not announce is not announced here either: that posts and members
//! lose a tag or a label because it was deleted.
//!
//! An event is written only if a webhook subscribes to it, one record at a time, and once for all
//! subscribers.

mod difference;
mod site_change;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use difference::RecordDifference;
pub use difference::{AnnouncedChange, ChangedFields, State};

use super::Transaction;
use crate::{
    catalog::fields::{Field, Schema},
    domain::{
        event::{Event, PostEvent, RecordEvent},
        member::Member,
        post::{Post, PostKind},
        tag::Tag,
    },
    error::Result,
    id::Id,
    store::{Events, Table},
};

/// Writes the bodies of webhook events.
pub trait Announcer: Send + Sync {
    /// Returns the change of a post or a page as members of a JSON object, without its brackets:
    /// the name of the kind with the current and the previous state. They follow the name of the
    /// event.
    ///
    /// # Errors
    ///
    /// If the body cannot be read.
    fn post(&self, announced: &AnnouncedChange<Post>) -> Result<String>;

    /// Returns the same for a tag.
    fn tag(&self, announced: &AnnouncedChange<Tag>) -> String;

    /// Returns the same for a member.
    fn member(&self, announced: &AnnouncedChange<Member>) -> String;
}

/// The announcement of a transaction.
pub(super) struct Announcements {
    announcer: Option<Arc<dyn Announcer>>,
    /// True if each record is announced, and not only that the site changed.
    of_records: bool,
    /// True if the site as a whole changed in a way that no record shows.
    of_site: bool,
    /// True if the site counts as changed even if nothing differs.
    of_nothing: bool,
    /// Fields without a value that were written as empty strings.
    emptied: Vec<EmptiedFields>,
    /// The numbers of the stored events, the first and the last of each name.
    runs: BTreeMap<&'static str, (u64, u64)>,
}

impl Announcements {
    /// Returns the announcements of a transaction, written by `announcer` if there is one.
    pub(super) fn by(announcer: Option<Arc<dyn Announcer>>) -> Self {
        Self {
            announcer,
            of_records: true,
            of_site: false,
            of_nothing: false,
            emptied: Vec::new(),
            runs: BTreeMap::new(),
        }
    }
}

/// Fields of one record that were written as empty strings.
struct EmptiedFields {
    table: Table,
    record: Id,
    fields: Vec<&'static str>,
}

impl Transaction {
    /// Announces only that the site changed, not the records that this transaction touches.
    pub fn announce_site_only(&mut self) {
        self.announcements.of_records = false;
    }

    /// Announces that the site changed although no record may show it, as for theme files.
    pub fn announce_site(&mut self) {
        self.announcements.of_site = true;
    }

    /// Announces that the site changed even if nothing differs (Ghost 6.65, observed of settings).
    pub fn announce_site_in_any_case(&mut self) {
        self.announcements.of_site = true;
        self.announcements.of_nothing = true;
    }

    /// Counts these fields, which have no value and were written as empty strings, as a change of
    /// the record (Ghost 6.65, recorded).
    pub fn announce_emptied(&mut self, table: Table, record: Id, fields: Vec<&'static str>) {
        let emptied = EmptiedFields {
            table,
            record,
            fields,
        };
        self.announcements.emptied.push(emptied);
    }

    /// Returns the kinds of events that may follow from the tables that this transaction changed.
    fn changed_events(&self) -> BTreeSet<Events> {
        let is_changed = |table: &Table| {
            let mut emptied = self.announcements.emptied.iter();
            self.touches(*table) || emptied.any(|emptied| emptied.table == *table)
        };
        let changed = Table::ALL.into_iter().filter(is_changed);
        changed.map(Table::events).collect()
    }

    /// Returns the identifiers of the records of a table that events may be about, ascending.
    fn announced_ids(&self, table: Table) -> BTreeSet<Id> {
        let emptied = self.announcements.emptied.iter();
        let emptied = emptied.filter(|emptied| emptied.table == table);
        let mut ids = self.touched_ids(table);
        ids.extend(emptied.map(|emptied| emptied.record));
        ids
    }

    /// Returns the rows of the fields of a record that were written as empty strings.
    fn emptied_rows<R>(&self, record: Id, schema: &Schema<R>) -> Vec<&'static Field<R>> {
        let emptied = self.announcements.emptied.iter();
        emptied
            .filter(|emptied| emptied.record == record)
            .flat_map(|emptied| emptied.fields.iter().filter_map(|name| schema.row(name)))
            .collect()
    }

    /// Returns whether a webhook subscribes to this event.
    fn is_subscribed(&self, event: Event) -> bool {
        self.subscribers(event).next().is_some()
    }

    fn subscribers(&self, event: Event) -> impl Iterator<Item = Id> {
        let webhooks = self.catalog().webhooks.subscribers(event.name());
        webhooks.map(|webhook| webhook.id)
    }

    /// Returns the identifiers of the posts and pages whose record or body was touched, ascending.
    fn touched_posts(&self) -> BTreeSet<Id> {
        let mut posts = self.announced_ids(Table::Posts);
        posts.append(&mut self.touched_ids(Table::Bodies));
        posts
    }
}

/// Queues the events of this transaction for the webhooks that subscribe to them.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn announce(change: &mut Transaction) -> Result<()> {
    let has_no_webhooks = change.catalog().webhooks.iter().next().is_none();
    let is_nothing = change.is_empty()
        && change.announcements.emptied.is_empty()
        && !change.announcements.of_nothing;
    if has_no_webhooks || is_nothing {
        return Ok(());
    }
    let Some(announcer) = change.announcements.announcer.clone() else {
        return Ok(());
    };
    // Computed before anything is queued, because queued events do not count as a change of the
    // site.
    let events = change.changed_events();
    let changes_site =
        change.is_subscribed(Event::SiteChanged) && site_change::is_one(change, &events)?;
    let of_records = change.announcements.of_records;
    for events in events.into_iter().filter(|_| of_records) {
        match events {
            Events::None | Events::SiteChanged | Events::OfLabels | Events::OfAuthors => {}
            Events::OfTags => announce_tags(change, announcer.as_ref())?,
            Events::OfPosts => announce_posts(change, announcer.as_ref())?,
            Events::OfMembers => announce_members(change, announcer.as_ref())?,
        }
    }
    if changes_site {
        queue(change, &[Event::SiteChanged], |_| Ok(String::new()))?;
    }
    queue_runs(change)
}

fn announce_tags(change: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    if !is_any_subscribed(change, RecordEvent::ALL.map(Event::Tag)) {
        return Ok(());
    }
    for id in change.announced_ids(Table::Tags) {
        let difference = RecordDifference::of_tag(change, id);
        let events = difference.record_event().map(Event::Tag);
        queue(change, events.as_slice(), |change| {
            Ok(difference.with_change(change, |announced| announcer.tag(announced)))
        })?;
    }
    Ok(())
}

fn announce_posts(change: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    let of_kind = |kind| PostEvent::ALL.map(|event| Event::Post(kind, event));
    if !is_any_subscribed(change, of_kind(PostKind::Post))
        && !is_any_subscribed(change, of_kind(PostKind::Page))
    {
        return Ok(());
    }
    for id in change.touched_posts() {
        for difference in RecordDifference::of_post(change, id)? {
            let events = difference.post_events(change);
            queue(change, &events, |change| {
                difference.with_change(change, |announced| announcer.post(announced))
            })?;
        }
    }
    Ok(())
}

fn announce_members(change: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    if !is_any_subscribed(change, RecordEvent::ALL.map(Event::Member)) {
        return Ok(());
    }
    for id in change.announced_ids(Table::Members) {
        let difference = RecordDifference::of_member(change, id);
        let events = difference.record_event().map(Event::Member);
        queue(change, events.as_slice(), |change| {
            Ok(difference.with_change(change, |announced| announcer.member(announced)))
        })?;
    }
    Ok(())
}

fn is_any_subscribed(change: &Transaction, events: impl IntoIterator<Item = Event>) -> bool {
    events.into_iter().any(|event| change.is_subscribed(event))
}

/// Queues these events for their subscribers. All of them get the same body besides the name of the
/// event; `write` is called only if there are subscribers. A body that is sent more than once is
/// stored once.
fn queue(
    change: &mut Transaction,
    events: &[Event],
    write: impl FnOnce(&Transaction) -> Result<String>,
) -> Result<()> {
    let mut heard: Vec<(Event, usize)> = Vec::new();
    for event in events.iter().filter(|event| change.is_subscribed(**event)) {
        match heard.iter_mut().find(|(known, _)| known == event) {
            Some((_, times)) => *times += 1,
            None => heard.push((*event, 1)),
        }
    }
    if heard.is_empty() {
        return Ok(());
    }
    let mut rest = write(change)?;
    let last = heard.len() - 1;
    for (index, (event, times)) in heard.into_iter().enumerate() {
        let name = event.name();
        // The body of a long post is long, and not copied for the last event, which is mostly the only one.
        let rest = if index == last {
            std::mem::take(&mut rest)
        } else {
            rest.clone()
        };
        let body = body_of(name, rest);
        let webhooks: Vec<Id> = change.subscribers(event).collect();
        if let ([webhook], 1) = (&*webhooks, times) {
            change.queue_webhook_delivery(*webhook, name, body)?;
        } else {
            let (first, last) = change.store_event(name, body, times)?;
            let runs = &mut change.announcements.runs;
            runs.entry(name).or_insert((first, last)).1 = last;
        }
    }
    Ok(())
}

/// Returns the body that is sent for an event: its name, and `rest` behind it.
fn body_of(name: &str, mut rest: String) -> Box<str> {
    let comma = if rest.is_empty() { "" } else { "," };
    rest.insert_str(0, &format!(r#"{{"event":"{name}"{comma}"#));
    rest.push('}');
    rest.into()
}

/// Queues the runs of events that this transaction stored.
fn queue_runs(change: &mut Transaction) -> Result<()> {
    for (event, numbers) in std::mem::take(&mut change.announcements.runs) {
        let webhooks = change.catalog().webhooks.subscribers(event);
        let webhooks: Vec<Id> = webhooks.map(|webhook| webhook.id).collect();
        for webhook in webhooks {
            change.queue_webhook_run(webhook, event, numbers)?;
        }
    }
    Ok(())
}
