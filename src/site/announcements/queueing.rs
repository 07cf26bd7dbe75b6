//! Queues the events of a transaction for the webhooks that subscribe to them.

use super::{Announcer, difference::RecordDifference, site_change::changes_site};
use crate::{
    domain::{
        event::{Event, PostEvent, RecordEvent},
        post::PostKind,
    },
    error::Result,
    id::Id,
    site::{Transaction, before_and_after::SiteBefore},
    store::{Events, Table},
};

/// Queues the events of this transaction for the webhooks that subscribe to them.
///
/// # Errors
///
/// If the store cannot be read.
pub(in crate::site) fn announce(transaction: &mut Transaction) -> Result<()> {
    let has_no_webhooks = transaction.catalog().webhooks.iter().next().is_none();
    let changes_nothing = transaction.is_empty()
        && transaction.announcements.emptied.is_empty()
        && !transaction.announcements.even_if_unchanged;
    if has_no_webhooks || changes_nothing {
        return Ok(());
    }
    // Cloned, because the announcer is called while the transaction is changed.
    let Some(announcer) = transaction.announcements.announcer.clone() else {
        return Ok(());
    };
    // Computed before anything is queued, because queued events do not count as a change of the
    // site.
    let events = transaction.changed_events();
    let is_site_changed =
        transaction.is_subscribed(Event::SiteChanged) && changes_site(transaction, &events)?;
    if transaction.announcements.of_records {
        for events in events {
            match events {
                Events::None | Events::SiteChanged | Events::OfLabels | Events::OfAuthors => {}
                Events::OfTags => announce_tags(transaction, announcer.as_ref())?,
                Events::OfPosts => announce_posts(transaction, announcer.as_ref())?,
                Events::OfMembers => announce_members(transaction, announcer.as_ref())?,
            }
        }
    }
    if is_site_changed {
        queue_events(transaction, &[Event::SiteChanged], |_| Ok(String::new()))?;
    }
    queue_runs(transaction)
}

fn announce_tags(transaction: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    if !is_any_subscribed(transaction, RecordEvent::ALL.map(Event::Tag)) {
        return Ok(());
    }
    for id in transaction.announced_ids(Table::Tags) {
        let difference = RecordDifference::of_tag(transaction, id);
        let events = difference.record_event().map(Event::Tag);
        queue_events(transaction, events.as_slice(), |transaction| {
            let before = SiteBefore(transaction);
            Ok(announcer.tag(&difference.announced(&before, transaction)))
        })?;
    }
    Ok(())
}

fn announce_posts(transaction: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    let of_kind = |kind| PostEvent::ALL.map(|event| Event::Post(kind, event));
    if !is_any_subscribed(transaction, of_kind(PostKind::Post))
        && !is_any_subscribed(transaction, of_kind(PostKind::Page))
    {
        return Ok(());
    }
    for id in transaction.touched_posts() {
        for difference in RecordDifference::of_post(transaction, id)? {
            let events = difference.post_events(transaction);
            queue_events(transaction, &events, |transaction| {
                let before = SiteBefore(transaction);
                announcer.post(&difference.announced(&before, transaction))
            })?;
        }
    }
    Ok(())
}

fn announce_members(transaction: &mut Transaction, announcer: &dyn Announcer) -> Result<()> {
    if !is_any_subscribed(transaction, RecordEvent::ALL.map(Event::Member)) {
        return Ok(());
    }
    for id in transaction.announced_ids(Table::Members) {
        let difference = RecordDifference::of_member(transaction, id);
        let events = difference.record_event().map(Event::Member);
        queue_events(transaction, events.as_slice(), |transaction| {
            let before = SiteBefore(transaction);
            Ok(announcer.member(&difference.announced(&before, transaction)))
        })?;
    }
    Ok(())
}

fn is_any_subscribed(transaction: &Transaction, events: impl IntoIterator<Item = Event>) -> bool {
    events
        .into_iter()
        .any(|event| transaction.is_subscribed(event))
}

/// Queues these events for their subscribers. The bodies differ only in the name of the event; `write` is
/// called only if there are subscribers. A body that is sent more than once is stored once.
fn queue_events(
    transaction: &mut Transaction,
    events: &[Event],
    write: impl FnOnce(&Transaction) -> Result<String>,
) -> Result<()> {
    let mut subscribed: Vec<(Event, usize)> = Vec::new();
    for event in events
        .iter()
        .filter(|event| transaction.is_subscribed(**event))
    {
        // A transaction can cause one event several times, such as `post.tag.attached` for each
        // tag.
        match subscribed.iter_mut().find(|(known, _)| known == event) {
            Some((_, times)) => *times += 1,
            None => subscribed.push((*event, 1)),
        }
    }
    if subscribed.is_empty() {
        return Ok(());
    }
    let mut rest = write(transaction)?;
    let last = subscribed.len() - 1;
    for (index, (event, times)) in subscribed.into_iter().enumerate() {
        let name = event.name();
        // The body of a post can be large, so it is not copied for the last event, which is usually the
        // only one.
        let rest = if index == last {
            std::mem::take(&mut rest)
        } else {
            rest.clone()
        };
        let body = body_of(name, rest);
        let webhooks: Vec<Id> = transaction.subscribers(event).collect();
        if let ([webhook], 1) = (&*webhooks, times) {
            transaction.queue_webhook_delivery(*webhook, name, body)?;
        } else {
            let (first, last) = transaction.store_event(name, body, times)?;
            let runs = &mut transaction.announcements.runs;
            runs.entry(name).or_insert((first, last)).1 = last;
        }
    }
    Ok(())
}

/// Returns the body that is sent for an event: the event's name followed by `rest`.
fn body_of(name: &str, mut rest: String) -> Box<str> {
    // `site.changed` has a name but no record (Ghost 6.65, recorded).
    let comma = if rest.is_empty() { "" } else { "," };
    rest.insert_str(0, &format!(r#"{{"event":"{name}"{comma}"#));
    rest.push('}');
    rest.into()
}

/// Queues the runs of events that this transaction stored.
fn queue_runs(transaction: &mut Transaction) -> Result<()> {
    // Queued last, once all numbers of the transaction are known: one row for each webhook instead of one
    // for each event.
    for (event, numbers) in std::mem::take(&mut transaction.announcements.runs) {
        let webhooks = transaction.catalog().webhooks.subscribers(event);
        let webhooks: Vec<Id> = webhooks.map(|webhook| webhook.id).collect();
        for webhook in webhooks {
            transaction.queue_webhook_run(webhook, event, numbers)?;
        }
    }
    Ok(())
}
