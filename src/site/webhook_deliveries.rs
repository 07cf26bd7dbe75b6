//! What webhooks are to be told, committed with what happened.

use super::{Topic, Transaction};
use crate::{
    domain::webhook_delivery::WebhookDelivery,
    error::Result,
    id::Id,
    store::{Snapshot, Table},
};

/// Where the store keeps the number that the last delivery got.
const LAST_NUMBER: &[u8] = b"last_webhook_delivery";

/// The number that the last delivery got.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn last_number(snapshot: &dyn Snapshot) -> Result<u64> {
    match snapshot.get(Table::Meta, LAST_NUMBER)? {
        Some(record) => super::records::decode(Table::Meta, &record.bytes),
        None => Ok(0),
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
        };
        self.put(Table::WebhookDeliveries, &key(webhook, number), &delivery)?;
        self.hidden_from_readers(|change| change.put(Table::Meta, LAST_NUMBER, &number))?;
        self.catalog_mut().last_webhook_delivery = number;
        self.wake(Topic::Webhooks);
        Ok(())
    }
}

/// The key of a delivery: those of one webhook stand together, in order.
fn key(webhook: Id, number: u64) -> Vec<u8> {
    [webhook.as_bytes(), &number.to_be_bytes()[..]].concat()
}
