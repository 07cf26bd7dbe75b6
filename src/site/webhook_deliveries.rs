//! The queues of webhook deliveries, committed with the changes that cause them.
//!
//! The deliveries of a webhook are stored together, in order, and read in small ranges. Only
//! deliveries that are in progress are in memory. A row is either a delivery or a run of events,
//! which are stored once for all webhooks (`webhook_events.rs`).
//!
//! When a webhook is deleted, an end mark is appended to its queue. The rows before the mark are then
//! deleted in steps, and the mark last. So a process that stops in between continues after a restart.

use std::{
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
};

use super::{
    CommitTopic, SiteSnapshot, Transaction,
    delivery_keys::{key, parse_key, run_key},
    records,
    webhook_events::{EventRun, Rows},
};
use crate::{
    domain::webhook_delivery::{Progress, WebhookDelivery},
    error::Result,
    id::Id,
    store::{Keys, Snapshot, Table},
};

/// Key of the number of the last delivery.
const LAST_NUMBER: &[u8] = b"last_webhook_delivery";

/// Number of the mark at the end of the queue of a deleted webhook.
const END_MARK: u64 = u64::MAX;

/// Number of records that are deleted in one step.
const CLEARED_AT_ONCE: usize = 2000;

/// Maximum number of events that are deleted after other events with the same name were delivered.
const DELETED_EVENTS_AT_ONCE: usize = 2000;

/// Maximum number of waiting deliveries that are counted. Counting reads each delivery.
pub const WAITING_COUNTED_MAX: usize = 1000;

/// The first delivery in the queue of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueHead {
    /// The webhook.
    pub webhook: Id,
    /// The number of the delivery.
    pub number: u64,
    /// The revision of the commit that last wrote the delivery.
    pub revision: u64,
}

/// Returns the number of the last delivery.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn last_number(snapshot: &dyn Snapshot) -> Result<u64> {
    match snapshot.get(Table::Meta, LAST_NUMBER)? {
        Some(record) => records::decode(Table::Meta, &record.bytes),
        None => Ok(0),
    }
}

/// Returns whether this is the key of the number of the last delivery, which no response depends on.
pub(super) fn is_last_number(table: Table, key: &[u8]) -> bool {
    table == Table::Meta && key == LAST_NUMBER
}

impl SiteSnapshot {
    /// Returns the first waiting delivery of a webhook whose identifier is greater than `after`, or
    /// of any webhook if that is `None`. Webhooks are visited in the order of their identifiers.
    /// Deliveries for which `is_over` returns true are skipped.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn next_waiting(
        &self,
        after: Option<Id>,
        is_over: impl Fn(Id, u64) -> bool,
    ) -> Result<Option<QueueHead>> {
        let keys = match after {
            // After the end mark, which has the greatest number: the next row belongs to the next
            // webhook.
            Some(webhook) => Keys::range((
                std::ops::Bound::Excluded(key(webhook, END_MARK)),
                std::ops::Bound::Unbounded,
            )),
            None => Keys::all(),
        };
        let mut found = None;
        visit_waiting(self, &keys, &mut |waiting| {
            let head = waiting.head;
            if is_over(head.webhook, head.number) {
                return Ok(ControlFlow::Continue(()));
            }
            found = Some(head);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Returns the first waiting deliveries of a webhook except those in `over`: at most `count_max`,
    /// and no further ones once their bodies total `bytes_max`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn waiting_deliveries(
        &self,
        webhook: Id,
        over: &HashSet<u64>,
        count_max: usize,
        bytes_max: usize,
    ) -> Result<Vec<WebhookDelivery>> {
        let mut deliveries: Vec<WebhookDelivery> = Vec::new();
        let mut bytes = 0;
        let keys = Keys::prefix(webhook.as_bytes());
        visit_waiting(self, &keys, &mut |waiting| {
            let number = waiting.head.number;
            if number == END_MARK || over.contains(&number) {
                return Ok(ControlFlow::Continue(()));
            }
            // Checked before a delivery is read, so that at least one is returned, however long its
            // body is.
            if deliveries.len() == count_max || bytes >= bytes_max {
                return Ok(ControlFlow::Break(()));
            }
            let delivery = waiting.delivery(self)?;
            bytes += delivery.body.len();
            deliveries.push(delivery);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(deliveries)
    }

    /// Returns the first waiting delivery of a webhook.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn first_waiting_delivery(&self, webhook: Id) -> Result<Option<WebhookDelivery>> {
        let first = self.waiting_deliveries(webhook, &HashSet::new(), 1, 1)?;
        Ok(first.into_iter().next())
    }

    /// Returns the delivery with this number, if it is waiting.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn waiting_delivery(&self, webhook: Id, number: u64) -> Result<Option<WebhookDelivery>> {
        waiting_delivery(self, webhook, number)
    }

    /// Returns the number of waiting deliveries of a webhook, counted up to [`WAITING_COUNTED_MAX`].
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn waiting_count(&self, webhook: Id) -> Result<usize> {
        let keys = Keys::prefix(webhook.as_bytes());
        let mut count = 0;
        visit_waiting(self, &keys, &mut |_| {
            count += 1;
            Ok(if count < WAITING_COUNTED_MAX {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        })?;
        Ok(count)
    }
}

impl Transaction {
    /// Appends a delivery to the queue of a webhook. It is sent at least once, after this
    /// transaction is committed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn queue_webhook_delivery(
        &mut self,
        webhook: Id,
        event: &str,
        body: Box<str>,
    ) -> Result<()> {
        let number = self.next_delivery_number()?;
        let delivery = WebhookDelivery {
            webhook,
            number,
            event: event.into(),
            body,
            queued_at: self.now(),
            progress: Progress::default(),
        };
        self.put_waiting(&delivery)
    }

    /// Appends the stored events with these numbers to the queue of a webhook.
    pub(super) fn queue_webhook_run(
        &mut self,
        webhook: Id,
        event: &str,
        (first, last): (u64, u64),
    ) -> Result<()> {
        self.put_run(&EventRun {
            webhook,
            event: event.into(),
            first,
            last,
        })
    }

    /// Returns the number of the next delivery, and wakes the sender after the commit.
    pub(super) fn next_delivery_number(&mut self) -> Result<u64> {
        let number = self.catalog().last_webhook_delivery + 1;
        // The table belongs to readers, but no cached response depends on this number.
        self.hidden_from_readers(|change| change.put(Table::Meta, LAST_NUMBER, &number))?;
        self.catalog_mut().last_webhook_delivery = number;
        self.notify_listener(CommitTopic::Webhooks);
        Ok(number)
    }

    /// Returns the delivery with this number, if it is waiting.
    pub(super) fn waiting_delivery(
        &self,
        webhook: Id,
        number: u64,
    ) -> Result<Option<WebhookDelivery>> {
        waiting_delivery(self, webhook, number)
    }

    /// Writes a waiting delivery under its key.
    pub(super) fn put_waiting(&mut self, delivery: &WebhookDelivery) -> Result<()> {
        let key = key(delivery.webhook, delivery.number);
        self.put(Table::WebhookDeliveries, &key, delivery)
    }

    /// Removes the deliveries with these numbers from the queue, and returns the numbers that were in
    /// it.
    pub(super) fn take_waiting(
        &mut self,
        webhook: Id,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<BTreeSet<u64>> {
        let mut found = BTreeSet::new();
        let mut others = BTreeSet::new();
        for number in numbers {
            let key = key(webhook, number);
            if self.bytes(Table::WebhookDeliveries, &key)?.is_some() {
                self.delete(Table::WebhookDeliveries, &key);
                found.insert(number);
            } else {
                others.insert(number);
            }
        }
        // The others are events in runs, which have no row under their own number.
        let Some(last) = others.last() else {
            return Ok(found);
        };
        let mut events = BTreeSet::new();
        for run in runs_up_to(self, webhook, *last)? {
            if others.range(run.first..=run.last).next().is_some() {
                self.shorten_run(&run, &others, &mut found)?;
                events.insert(run.event);
            }
        }
        for event in events {
            // The remaining events are deleted with later deliveries.
            self.forget_events(&event, DELETED_EVENTS_AT_ONCE)?;
        }
        Ok(found)
    }

    /// Visits the waiting deliveries of a webhook, in order.
    pub(super) fn visit_waiting(
        &self,
        webhook: Id,
        mut visitor: impl FnMut(WebhookDelivery) -> ControlFlow<()>,
    ) -> Result<()> {
        let keys = Keys::prefix(webhook.as_bytes());
        visit_waiting(self, &keys, &mut |waiting| {
            Ok(visitor(waiting.delivery(self)?))
        })
    }

    /// Marks the queue of a deleted webhook. Its rows are deleted in steps by
    /// [`clear_deliveries`](Self::clear_deliveries).
    pub(super) fn abandon_deliveries(&mut self, webhook: Id) -> Result<()> {
        let mark = key(webhook, END_MARK);
        self.put_bytes(Table::WebhookDeliveries, &mark, Vec::new())?;
        self.notify_listener(CommitTopic::Webhooks);
        Ok(())
    }

    /// Deletes a part of the remaining records of a deleted webhook: its log, then its queue. Returns
    /// whether there are more. Does nothing for a webhook that exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn clear_deliveries(&mut self, webhook: Id) -> Result<bool> {
        if self.catalog().webhooks.get(webhook).is_some() {
            return Ok(false);
        }
        let prefix = Keys::prefix(webhook.as_bytes());
        let mut remaining = CLEARED_AT_ONCE;
        // The queue is deleted last: after a restart, its end mark makes an interrupted deletion
        // continue.
        for table in [Table::WebhookLog, Table::WebhookDeliveries] {
            let mut keys = Vec::new();
            self.scan(table, &prefix, |key, _| {
                if keys.len() == remaining {
                    return ControlFlow::Break(());
                }
                keys.push(key.to_vec());
                ControlFlow::Continue(())
            })?;
            for key in keys {
                remaining = remaining.saturating_sub(1);
                if let Some(run) = self.run_at(table, &key)? {
                    let deleted = self.abandon_run(&run, remaining)?;
                    remaining -= deleted;
                    if remaining == 0 {
                        return Ok(true);
                    }
                }
                self.delete(table, &key);
            }
        }
        Ok(remaining == 0)
    }

    /// Returns the run that is stored under this key, if it is the key of a run.
    fn run_at(&self, table: Table, key: &[u8]) -> Result<Option<EventRun>> {
        let is_run = |key| parse_key(key).is_some_and(|(_, _, is_run)| is_run);
        if table == Table::WebhookDeliveries && is_run(key) {
            self.read(table, key)
        } else {
            Ok(None)
        }
    }
}

/// A waiting delivery.
struct WaitingDelivery<'r> {
    head: QueueHead,
    bytes: &'r [u8],
    /// The run that contains it.
    run: Option<&'r EventRun>,
}

impl WaitingDelivery<'_> {
    fn delivery(&self, rows: &dyn Rows) -> Result<WebhookDelivery> {
        match self.run {
            Some(run) => run.delivery(rows, self.head.number, self.bytes),
            None => records::decode(Table::WebhookDeliveries, self.bytes),
        }
    }
}

/// Visits the waiting deliveries in the rows with these keys, in order. For a run, visits each event.
fn visit_waiting(
    rows: &dyn Rows,
    keys: &Keys,
    visit: &mut dyn FnMut(&WaitingDelivery<'_>) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut outcome = Ok(ControlFlow::Continue(()));
    let mut step = |key: &[u8], revision: u64, bytes: &[u8]| {
        // A key of a newer version.
        let Some((webhook, number, is_run)) = parse_key(key) else {
            return Ok(ControlFlow::Continue(()));
        };
        let head = |number| QueueHead {
            webhook,
            number,
            revision,
        };
        if !is_run {
            return visit(&WaitingDelivery {
                head: head(number),
                bytes,
                run: None,
            });
        }
        let run: EventRun = records::decode(Table::WebhookDeliveries, bytes)?;
        let mut outcome = Ok(ControlFlow::Continue(()));
        let _ = run.visit(rows, &mut |number, bytes| {
            outcome = visit(&WaitingDelivery {
                head: head(number),
                bytes,
                run: Some(&run),
            });
            flow_of(&outcome)
        })?;
        outcome
    };
    rows.visit_rows(
        Table::WebhookDeliveries,
        keys,
        &mut |key, revision, bytes| {
            outcome = step(key, revision, bytes);
            flow_of(&outcome)
        },
    )?;
    outcome.map(|_| ())
}

/// Returns `Continue` until there is an error or `visit` breaks.
fn flow_of(outcome: &Result<ControlFlow<()>>) -> ControlFlow<()> {
    outcome
        .as_ref()
        .map_or(ControlFlow::Break(()), |flow| *flow)
}

fn waiting_delivery(rows: &dyn Rows, webhook: Id, number: u64) -> Result<Option<WebhookDelivery>> {
    let mut found = None;
    let exact = Keys::range(key(webhook, number)..=key(webhook, number));
    visit_waiting(rows, &exact, &mut |waiting| {
        found = Some(waiting.delivery(rows)?);
        Ok(ControlFlow::Break(()))
    })?;
    if found.is_some() {
        return Ok(found);
    }
    for run in runs_up_to(rows, webhook, number)? {
        let exact = EventRun {
            first: number,
            last: number,
            ..run.clone()
        };
        if run.last < number {
            continue;
        }
        let mut outcome = Ok(());
        let _ = exact.visit(rows, &mut |number, bytes| {
            match run.delivery(rows, number, bytes) {
                Ok(delivery) => found = Some(delivery),
                Err(error) => outcome = Err(error),
            }
            ControlFlow::Break(())
        })?;
        outcome?;
    }
    Ok(found)
}

/// Returns the runs of a webhook that begin at or before this number.
fn runs_up_to(rows: &dyn Rows, webhook: Id, number: u64) -> Result<Vec<EventRun>> {
    let mut runs = Vec::new();
    let keys = Keys::range(key(webhook, 0)..=run_key(webhook, number));
    let mut outcome = Ok(());
    rows.visit_rows(Table::WebhookDeliveries, &keys, &mut |key, _, bytes| {
        if !parse_key(key).is_some_and(|(_, _, is_run)| is_run) {
            return ControlFlow::Continue(());
        }
        match records::decode(Table::WebhookDeliveries, bytes) {
            Ok(run) => {
                runs.push(run);
                ControlFlow::Continue(())
            }
            Err(error) => {
                outcome = Err(error);
                ControlFlow::Break(())
            }
        }
    })?;
    outcome.map(|()| runs)
}
