//! Events that are stored once for all webhooks that receive them.
//!
//! An event that is sent to several webhooks, or several times to one, is stored once, under its
//! name and a number. The queue of each webhook contains a run for it: the first and the last
//! number of the events to send. So a transaction with many events writes one row for each event
//! and one for each webhook. A run is shortened as its events are delivered. An event whose number
//! is lower than the first number of all runs of its name is deleted.

use std::{
    collections::BTreeSet,
    ops::{
        Bound::{self, Excluded, Included},
        ControlFlow,
    },
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{SiteSnapshot, Transaction, delivery_keys::run_key, records};
use crate::{
    domain::webhook_delivery::{Progress, WebhookDelivery},
    error::{Error, Result},
    id::Id,
    store::{Keys, Table, Visit},
};

/// First byte of the key of an event.
const EVENT: u8 = b'e';

/// First byte of the key that marks that a webhook has a run.
const RUN: u8 = b'r';

/// A stored event.
#[derive(Serialize, Deserialize)]
struct StoredEvent {
    queued_at: Timestamp,
    /// The body of the requests; `None` if it equals that of an earlier event with this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Box<str>>,
    /// The number of that earlier event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_as: Option<u64>,
}

/// The events of one name that are still to be sent to a webhook: the numbers from `first` to
/// `last`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EventRun {
    pub webhook: Id,
    pub event: Box<str>,
    pub first: u64,
    pub last: u64,
}

/// A source of rows: a snapshot of the store, or a transaction on top of it.
pub(super) trait Rows {
    /// Visits the rows of a table with key, revision and bytes.
    fn visit_rows(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<()>;
}

impl Rows for SiteSnapshot {
    fn visit_rows(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<()> {
        Ok(self.snapshot.scan(table, keys, visit)?)
    }
}

impl Rows for Transaction {
    /// Passes revision 0, because an uncommitted change has no revision.
    fn visit_rows(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<()> {
        self.scan(table, keys, |key, bytes| visit(key, 0, bytes))
    }
}

impl EventRun {
    /// Visits the events with number and bytes.
    pub fn visit(
        &self,
        rows: &dyn Rows,
        visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let bounds = (Included(self.first), Included(self.last));
        visit_events(rows, &self.event, bounds, visit)
    }

    /// Returns the delivery of the event that is stored as `bytes`.
    pub fn delivery(&self, rows: &dyn Rows, number: u64, bytes: &[u8]) -> Result<WebhookDelivery> {
        let stored: StoredEvent = records::decode(Table::WebhookEvents, bytes)?;
        let body = match (stored.body, stored.same_as) {
            (Some(body), _) => body,
            (None, same_as) => body_of(rows, &self.event, same_as.unwrap_or(number))?,
        };
        Ok(WebhookDelivery {
            webhook: self.webhook,
            number,
            event: self.event.clone(),
            body,
            queued_at: stored.queued_at,
            progress: Progress::default(),
        })
    }

    fn mark_key(&self) -> Vec<u8> {
        [
            &key(RUN, &self.event, self.first)[..],
            self.webhook.as_bytes(),
        ]
        .concat()
    }
}

/// The body of an event is missing in the store.
#[derive(Debug, thiserror::Error)]
#[error("the body of event {number} ({event}) is missing in the store")]
struct MissingBody {
    event: Box<str>,
    number: u64,
}

fn body_of(rows: &dyn Rows, event: &str, number: u64) -> Result<Box<str>> {
    let mut found = None;
    let exact = (Included(number), Included(number));
    let _ = visit_events(rows, event, exact, &mut |_, bytes| {
        found = Some(records::decode::<StoredEvent>(Table::WebhookEvents, bytes));
        ControlFlow::Break(())
    })?;
    let body = found.transpose()?.and_then(|stored| stored.body);
    body.ok_or_else(|| {
        let event = event.into();
        Error::internal(MissingBody { event, number })
    })
}

fn visit_events(
    rows: &dyn Rows,
    event: &str,
    (from, to): (Bound<u64>, Bound<u64>),
    visit: &mut dyn FnMut(u64, &[u8]) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let event_key = |number| key(EVENT, event, number);
    let keys = Keys::range((from.map(event_key), to.map(event_key)));
    let mut flow = ControlFlow::Continue(());
    rows.visit_rows(Table::WebhookEvents, &keys, &mut |key, _, bytes| {
        if let Some(number) = number_in(key, event) {
            flow = visit(number, bytes);
        }
        flow
    })?;
    Ok(flow)
}

/// Returns the key of an event, or the prefix of the key of a run's mark.
fn key(kind: u8, event: &str, number: u64) -> Vec<u8> {
    [&[kind], event.as_bytes(), &[0], &number.to_be_bytes()[..]].concat()
}

fn number_in(key: &[u8], event: &str) -> Option<u64> {
    let number = key.get(event.len() + 2..)?.first_chunk()?;
    Some(u64::from_be_bytes(*number))
}

impl Transaction {
    /// Stores an event to be sent `times` times, and returns its first and last number. Nothing is
    /// sent until a webhook has a run that contains them.
    pub(super) fn store_event(
        &mut self,
        event: &str,
        body: Box<str>,
        times: usize,
    ) -> Result<(u64, u64)> {
        let first = self.next_delivery_number()?;
        let mut last = first;
        let mut body = Some(body);
        for index in 0..times {
            if index > 0 {
                last = self.next_delivery_number()?;
            }
            let stored = StoredEvent {
                queued_at: self.now(),
                // Only the first row contains the body; the others refer to it.
                body: body.take(),
                same_as: (index > 0).then_some(first),
            };
            self.put(Table::WebhookEvents, &key(EVENT, event, last), &stored)?;
        }
        Ok((first, last))
    }

    /// Puts a run into the queue of its webhook.
    pub(super) fn put_run(&mut self, run: &EventRun) -> Result<()> {
        let key_bytes = run_key(run.webhook, run.first);
        self.put(Table::WebhookDeliveries, &key_bytes, run)?;
        self.put_bytes(Table::WebhookEvents, &run.mark_key(), Vec::new())
    }

    fn delete_run(&mut self, run: &EventRun) {
        let key_bytes = run_key(run.webhook, run.first);
        self.delete(Table::WebhookDeliveries, &key_bytes);
        self.delete(Table::WebhookEvents, &run.mark_key());
    }

    /// Removes these numbers from a run, and adds the numbers that were in it to `found`.
    pub(super) fn shorten_run(
        &mut self,
        run: &EventRun,
        numbers: &BTreeSet<u64>,
        found: &mut BTreeSet<u64>,
    ) -> Result<()> {
        let mut remaining = Vec::new();
        let mut first = run.first;
        let mut piece = |change: &Self, from: u64, to: u64| -> Result<()> {
            let piece = EventRun {
                first: from,
                last: to,
                ..run.clone()
            };
            // Numbers are shared by all events and webhooks, so a piece of a run can contain none
            // of its events.
            let has_events = from <= to
                && piece
                    .visit(change, &mut |_, _| ControlFlow::Break(()))?
                    .is_break();
            remaining.extend(has_events.then_some(piece));
            Ok(())
        };
        for number in numbers.range(run.first..=run.last).copied() {
            let exact = (Included(number), Included(number));
            if visit_events(self, &run.event, exact, &mut |_, _| ControlFlow::Break(()))?.is_break()
            {
                found.insert(number);
            }
            if first < number {
                piece(self, first, number - 1)?;
            }
            first = number + 1;
        }
        piece(self, first, run.last)?;
        // Deleted before the remaining parts are stored, because the first of them may have the
        // same key.
        self.delete_run(run);
        remaining.iter().try_for_each(|piece| self.put_run(piece))
    }

    /// Deletes at most `count_max` events of a deleted webhook that are in this run and no other.
    /// Returns their number. The run itself remains as long as there may be more.
    pub(super) fn abandon_run(&mut self, run: &EventRun, count_max: usize) -> Result<usize> {
        self.delete(Table::WebhookEvents, &run.mark_key());
        self.forget_events(&run.event, count_max)
    }

    /// Deletes at most `count_max` events of this name that precede all runs. Returns their number.
    pub(super) fn forget_events(&mut self, event: &str, count_max: usize) -> Result<usize> {
        let mut first = None;
        let notes = Keys::range(key(RUN, event, 0)..key(RUN, event, u64::MAX));
        self.scan(Table::WebhookEvents, &notes, |key, _| {
            first = number_in(key, event);
            ControlFlow::Break(())
        })?;
        let needed = match first {
            Some(first) => self.body_needed_by(event, first)?,
            None => None,
        };
        // Without a run, no webhook needs any event of this name.
        let end = first.map_or(Included(u64::MAX), Excluded);
        let mut expired = Vec::new();
        let _ = visit_events(self, event, (Included(0), end), &mut |number, _| {
            if expired.len() == count_max {
                return ControlFlow::Break(());
            }
            // For a repeated event, only the first row contains the body.
            if needed != Some(number) {
                expired.push(key(EVENT, event, number));
            }
            ControlFlow::Continue(())
        })?;
        for key in &expired {
            self.delete(Table::WebhookEvents, key);
        }
        Ok(expired.len())
    }

    /// Returns the number of the earlier event that contains the body of the first event from
    /// `from` on.
    fn body_needed_by(&self, event: &str, from: u64) -> Result<Option<u64>> {
        let mut stored = None;
        let on = (Included(from), Included(u64::MAX));
        let _ = visit_events(self, event, on, &mut |_, bytes| {
            stored = Some(records::decode::<StoredEvent>(Table::WebhookEvents, bytes));
            ControlFlow::Break(())
        })?;
        Ok(stored.transpose()?.and_then(|stored| stored.same_as))
    }
}
