//! What webhooks are told of a change, worked out from all that it did and committed with it.
//!
//! A change is looked at when it is complete: what each record was before it, and what it is now. So it does not matter who
//! made it, and a record that was touched twice is told of once. First come tags, then posts and pages, then members, each
//! by rising identifier; the site as a whole comes last, and once.
//!
//! Two things differ from Ghost 6.65, which tells nothing of changes of many records at once, of posts that change hands
//! when a user goes, and of what is imported: here they are told like any other. What it keeps quiet about is kept quiet
//! here as well: that posts and members lose a tag or a label because that is gone.
//!
//! Nothing is written down unless somebody subscribed to it, one record at a time, and once for all who did.

mod difference;
mod site_change;
mod state;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use difference::Difference;
pub use difference::{Changed, Told};
pub use state::State;

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
    store::Table,
};

/// Writes what webhooks are told.
pub trait Announcer: Send + Sync {
    /// What is told of a post or a page: the name of the kind and what it is and was, as they stand in an object of JSON
    /// behind the name of the event, without its brackets.
    ///
    /// # Errors
    ///
    /// When the body cannot be read.
    fn post(&self, told: &Told<Post>) -> Result<String>;

    /// The same of a tag.
    fn tag(&self, told: &Told<Tag>) -> String;

    /// The same of a member.
    fn member(&self, told: &Told<Member>) -> String;
}

/// How a change is announced.
pub(super) struct Announcements {
    announcer: Option<Arc<dyn Announcer>>,
    /// Whether each record is told of, and not only that the site changed.
    of_records: bool,
    /// Whether the site as a whole changed in a way that no record shows.
    of_site: bool,
    /// Whether the site counts as changed even if nothing at all is other than it was.
    of_nothing: bool,
    /// Fields without a value that were written as empty texts.
    emptied: Vec<Emptied>,
    /// The numbers of the events that were stored, the first and the last of each name.
    runs: BTreeMap<&'static str, (u64, u64)>,
}

impl Announcements {
    /// What `announcer` writes, if there is one.
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

/// Fields of one record.
struct Emptied {
    table: Table,
    record: Id,
    fields: Vec<&'static str>,
}

impl Transaction {
    /// Has nobody told of the records that this change touches, but that the site changed.
    pub fn announce_site_only(&mut self) {
        self.announcements.of_records = false;
    }

    /// Has it told that the site changed, although no record may show it: files of themes are none.
    pub fn announce_site(&mut self) {
        self.announcements.of_site = true;
    }

    /// Has it told that the site changed, even if everything is what it was (Ghost 6.65, observed of settings).
    pub fn announce_site_in_any_case(&mut self) {
        self.announcements.of_site = true;
        self.announcements.of_nothing = true;
    }

    /// Has it count as a change of a record that these fields, which have no value, were written as empty texts (Ghost 6.65,
    /// recorded).
    pub fn announce_emptied(&mut self, table: Table, record: Id, fields: Vec<&'static str>) {
        let emptied = Emptied {
            table,
            record,
            fields,
        };
        self.announcements.emptied.push(emptied);
    }

    /// Returns the identifiers of the records of a table that events may be about, rising.
    fn announced_ids(&self, table: Table) -> BTreeSet<Id> {
        let emptied = self.announcements.emptied.iter();
        let emptied = emptied.filter(|emptied| emptied.table == table);
        let mut ids = self.touched_ids(table);
        ids.extend(emptied.map(|emptied| emptied.record));
        ids
    }

    /// The rows of the fields of a record that were written as empty texts.
    fn emptied_rows<R>(&self, record: Id, schema: &Schema<R>) -> Vec<&'static Field<R>> {
        let emptied = self.announcements.emptied.iter();
        emptied
            .filter(|emptied| emptied.record == record)
            .flat_map(|emptied| emptied.fields.iter().filter_map(|name| schema.row(name)))
            .collect()
    }

    /// Whether anybody is told of this.
    fn is_subscribed(&self, event: Event) -> bool {
        self.subscribers(event).next().is_some()
    }

    fn subscribers(&self, event: Event) -> impl Iterator<Item = Id> {
        let webhooks = self.catalog().webhooks.subscribers(event.name());
        webhooks.map(|webhook| webhook.id)
    }

    /// The identifiers of the posts and pages of which the record or the body was touched, rising.
    fn touched_posts(&self) -> BTreeSet<Id> {
        let mut posts = self.announced_ids(Table::Posts);
        posts.append(&mut self.touched_ids(Table::Bodies));
        posts
    }
}

/// Puts what follows from this change into the queues of those who are to be told of it.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn announce(change: &mut Transaction) -> Result<()> {
    let has_nobody = change.catalog().webhooks.iter().next().is_none();
    let is_nothing = change.is_empty()
        && change.announcements.emptied.is_empty()
        && !change.announcements.of_nothing;
    if has_nobody || is_nothing {
        return Ok(());
    }
    let Some(announcer) = change.announcements.announcer.clone() else {
        return Ok(());
    };
    // Before anything is queued: what is queued is no change of the site.
    let changes_site = change.is_subscribed(Event::SiteChanged) && site_change::is_one(change)?;
    if change.announcements.of_records {
        announce_tags(change, announcer.as_ref())?;
        announce_posts(change, announcer.as_ref())?;
        announce_members(change, announcer.as_ref())?;
    }
    if changes_site {
        tell(change, &[Event::SiteChanged], |_| Ok(String::new()))?;
    }
    queue_runs(change)
}

fn announce_tags(change: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    if !is_any_subscribed(change, RecordEvent::ALL.map(Event::Tag)) {
        return Ok(());
    }
    for id in change.announced_ids(Table::Tags) {
        let difference = Difference::of_tag(change, id);
        let events = difference.record_event().map(Event::Tag);
        tell(change, events.as_slice(), |change| {
            Ok(difference.tell(change, Default::default(), |told| announcer.tag(told)))
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
        for difference in Difference::of_post(change, id)? {
            let events = difference.post_events(change);
            tell(change, &events, |change| {
                let rows = difference.own_rows(change)?;
                difference.tell(change, rows, |told| announcer.post(told))
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
        let difference = Difference::of_member(change, id);
        let events = difference.record_event().map(Event::Member);
        tell(change, events.as_slice(), |change| {
            Ok(difference.tell(change, Default::default(), |told| announcer.member(told)))
        })?;
    }
    Ok(())
}

fn is_any_subscribed(change: &Transaction, events: impl IntoIterator<Item = Event>) -> bool {
    events.into_iter().any(|event| change.is_subscribed(event))
}

/// Queues these events for those who subscribed to them. What they are sent besides the name of the event is the same for
/// all of them; `write` is called only if there are any. What is sent more than once is stored once.
fn tell(
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
    for (place, (event, times)) in heard.into_iter().enumerate() {
        let name = event.name();
        // What is sent of a long post is long, and not copied for the last event, which is mostly the only one.
        let rest = match place == last {
            true => std::mem::take(&mut rest),
            false => rest.clone(),
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

/// Queues the runs of events that this change stored.
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
