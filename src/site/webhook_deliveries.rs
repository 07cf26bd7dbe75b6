//! What webhooks are to be told, committed with what happened.
//!
//! A webhook's deliveries stand together, in order, and are read by small ranges; nothing of them is in memory but what is
//! under way. When a webhook is deleted, a last mark is put at the end of its queue: what stands there belongs to nobody any
//! more, and goes in steps, the mark last. So a process that ends in between goes on with that when it starts again.

use std::{collections::HashSet, ops::ControlFlow};

use super::{Edition, Topic, Transaction, records};
use crate::{
    domain::webhook_delivery::{Progress, WebhookDelivery},
    error::Result,
    id::Id,
    store::{Keys, Snapshot, Table},
};

/// Where the store keeps the number that the last delivery got.
const LAST_NUMBER: &[u8] = b"last_webhook_delivery";

/// The length of an identifier in a key, in bytes.
const ID_BYTES: usize = 12;

/// The number of the mark at the end of the queue of a webhook that was deleted.
const END_MARK: u64 = u64::MAX;

/// How many records a step of a clearance takes away.
const CLEARED_AT_ONCE: usize = 2000;

/// How far deliveries that wait are counted: each is looked at.
pub const WAITING_COUNTED_MAX: usize = 1000;

/// The first of what waits for a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Who waits.
    pub webhook: Id,
    /// The number of the delivery.
    pub number: u64,
    /// The commit that wrote it last.
    pub revision: u64,
}

/// The number that the last delivery got.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn last_number(snapshot: &dyn Snapshot) -> Result<u64> {
    match snapshot.get(Table::Meta, LAST_NUMBER)? {
        Some(record) => records::decode(Table::Meta, &record.bytes),
        None => Ok(0),
    }
}

impl Edition {
    /// The first delivery that waits for a webhook after this one, or for any, in the order of their identifiers. What
    /// `is_over` says is passed over.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn next_waiting(
        &self,
        after: Option<Id>,
        is_over: impl Fn(Id, u64) -> bool,
    ) -> Result<Option<Head>> {
        let keys = match after {
            Some(webhook) => Keys::range((
                std::ops::Bound::Excluded(key(webhook, END_MARK)),
                std::ops::Bound::Unbounded,
            )),
            None => Keys::all(),
        };
        let mut found = None;
        self.snapshot.scan(
            Table::WebhookDeliveries,
            &keys,
            &mut |key, revision, _| match parse_key(key) {
                Some((webhook, number)) if !is_over(webhook, number) => {
                    found = Some(Head {
                        webhook,
                        number,
                        revision,
                    });
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            },
        )?;
        Ok(found)
    }

    /// The first deliveries that wait for a webhook, without those in `over`: at most so many, and no more once their bodies
    /// have `bytes_max` together.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn waiting_deliveries(
        &self,
        webhook: Id,
        over: &HashSet<u64>,
        count_max: usize,
        bytes_max: usize,
    ) -> Result<Vec<WebhookDelivery>> {
        let mut deliveries: Vec<WebhookDelivery> = Vec::new();
        let mut bytes = 0;
        let mut outcome = Ok(());
        let mut visit = |key: &[u8], _: u64, record: &[u8]| {
            let is_over = |(_, number)| number == END_MARK || over.contains(&number);
            if parse_key(key).is_none_or(is_over) {
                return ControlFlow::Continue(());
            }
            if deliveries.len() == count_max || bytes >= bytes_max {
                return ControlFlow::Break(());
            }
            match records::decode::<WebhookDelivery>(Table::WebhookDeliveries, record) {
                Ok(delivery) => {
                    bytes += delivery.body.len();
                    deliveries.push(delivery);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    outcome = Err(error);
                    ControlFlow::Break(())
                }
            }
        };
        let keys = Keys::prefix(webhook.as_bytes());
        self.snapshot
            .scan(Table::WebhookDeliveries, &keys, &mut visit)?;
        outcome.map(|()| deliveries)
    }

    /// The first delivery that waits for a webhook.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn first_waiting_delivery(&self, webhook: Id) -> Result<Option<WebhookDelivery>> {
        let first = self.waiting_deliveries(webhook, &HashSet::new(), 1, 1)?;
        Ok(first.into_iter().next())
    }

    /// The delivery with this number, if it waits.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn waiting_delivery(&self, webhook: Id, number: u64) -> Result<Option<WebhookDelivery>> {
        self.read(Table::WebhookDeliveries, &key(webhook, number))
    }

    /// How many deliveries wait for a webhook, counted up to [`WAITING_COUNTED_MAX`].
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn waiting_count(&self, webhook: Id) -> Result<usize> {
        let keys = Keys::prefix(webhook.as_bytes());
        self.count_within(Table::WebhookDeliveries, &keys, WAITING_COUNTED_MAX)
    }
}

impl Transaction {
    /// Puts something at the end of what a webhook is to be told. It goes out once this change is committed, at least once.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn queue_webhook_delivery(&mut self, webhook: Id, event: &str, body: &str) -> Result<()> {
        let number = self.catalog().last_webhook_delivery + 1;
        let delivery = WebhookDelivery {
            webhook,
            number,
            event: event.into(),
            body: body.into(),
            queued_at: self.now(),
            progress: Progress::default(),
        };
        self.put_waiting(&delivery)?;
        self.hidden_from_readers(|change| change.put(Table::Meta, LAST_NUMBER, &number))?;
        self.catalog_mut().last_webhook_delivery = number;
        self.wake(Topic::Webhooks);
        Ok(())
    }

    /// The delivery with this number, if it waits.
    pub(super) fn waiting_delivery(
        &self,
        webhook: Id,
        number: u64,
    ) -> Result<Option<WebhookDelivery>> {
        self.read(Table::WebhookDeliveries, &key(webhook, number))
    }

    /// Writes a delivery that waits, in its place.
    pub(super) fn put_waiting(&mut self, delivery: &WebhookDelivery) -> Result<()> {
        let key = key(delivery.webhook, delivery.number);
        self.put(Table::WebhookDeliveries, &key, delivery)
    }

    /// Takes a delivery out of the queue, if it is there.
    pub(super) fn delete_waiting(&mut self, webhook: Id, number: u64) -> Result<()> {
        self.delete(Table::WebhookDeliveries, &key(webhook, number))
    }

    /// Visits what waits for a webhook, in order.
    pub(super) fn visit_waiting(
        &self,
        webhook: Id,
        visitor: impl FnMut(WebhookDelivery) -> ControlFlow<()>,
    ) -> Result<()> {
        let keys = Keys::prefix(webhook.as_bytes());
        self.visit_within(Table::WebhookDeliveries, &keys, visitor)
    }

    /// Marks what waits for a webhook as nobody's. It goes in steps, by
    /// [`clear_deliveries`](Self::clear_deliveries).
    pub(super) fn abandon_deliveries(&mut self, webhook: Id) -> Result<()> {
        let mark = key(webhook, END_MARK);
        self.put_bytes(Table::WebhookDeliveries, &mark, Vec::new())?;
        self.wake(Topic::Webhooks);
        Ok(())
    }

    /// Takes away a part of what is left of a webhook that was deleted: its log, and then what waited for it. Says whether
    /// there is more. Nothing of a webhook that there is.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn clear_deliveries(&mut self, webhook: Id) -> Result<bool> {
        if self.catalog().webhooks.get(webhook).is_some() {
            return Ok(false);
        }
        let prefix = Keys::prefix(webhook.as_bytes());
        let mut left = CLEARED_AT_ONCE;
        for table in [Table::WebhookLog, Table::WebhookDeliveries] {
            let mut keys = Vec::new();
            self.scan(table, &prefix, |key, _| {
                if keys.len() == left {
                    return ControlFlow::Break(());
                }
                keys.push(key.to_vec());
                ControlFlow::Continue(())
            })?;
            left -= keys.len();
            keys.iter().try_for_each(|key| self.delete(table, key))?;
        }
        Ok(left == 0)
    }
}

/// The key of a delivery: those of one webhook stand together, in order.
pub(super) fn key(webhook: Id, number: u64) -> Vec<u8> {
    [webhook.as_bytes(), &number.to_be_bytes()[..]].concat()
}

fn parse_key(key: &[u8]) -> Option<(Id, u64)> {
    let (webhook, number) = key.split_first_chunk::<ID_BYTES>()?;
    let number = number.try_into().ok()?;
    Some((Id::from_bytes(*webhook), u64::from_be_bytes(number)))
}
