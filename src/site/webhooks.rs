//! Webhooks and their subscriptions.

use super::Transaction;
use crate::{domain::webhook::Webhook, error::Result, id::Id, store::Table};

impl Transaction {
    /// Adds a webhook or replaces the one with its identifier.
    ///
    /// # Errors
    ///
    /// `Validation` if a field is invalid.
    pub fn save_webhook(&mut self, webhook: Webhook) -> Result<()> {
        webhook.check()?;
        self.put(Table::Webhooks, webhook.id.as_bytes(), &webhook)?;
        self.catalog_mut().webhooks.put(webhook);
        Ok(())
    }

    /// Deletes a webhook, if it exists, and ends its deliveries. Its queue and its log are deleted
    /// in steps afterwards.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_webhook(&mut self, id: Id) -> Result<()> {
        self.delete(Table::Webhooks, id.as_bytes())?;
        match self.catalog_mut().webhooks.remove(id) {
            Some(_) => self.abandon_deliveries(id),
            None => Ok(()),
        }
    }
}
