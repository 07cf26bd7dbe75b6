//! Webhooks: who is told what.

use super::Transaction;
use crate::{domain::webhook::Webhook, error::Result, id::Id, store::Table};

impl Transaction {
    /// Adds a webhook, or puts it in the place of the one with its identifier.
    ///
    /// # Errors
    ///
    /// `Validation` when it says what no webhook can.
    pub fn save_webhook(&mut self, webhook: Webhook) -> Result<()> {
        webhook.check()?;
        self.put(Table::Webhooks, webhook.id.as_bytes(), &webhook)?;
        self.catalog_mut().webhooks.put(webhook);
        Ok(())
    }

    /// Deletes a webhook, if there is one; nothing is delivered there any more. What waits for it, and its log, go in steps
    /// afterwards.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn delete_webhook(&mut self, id: Id) -> Result<()> {
        self.delete(Table::Webhooks, id.as_bytes())?;
        match self.catalog_mut().webhooks.remove(id) {
            Some(_) => self.abandon_deliveries(id),
            None => Ok(()),
        }
    }
}
