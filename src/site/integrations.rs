//! Integrations, their keys and their webhooks.

use std::sync::Arc;

use super::{EditableRecord, SiteView, Transaction};
use crate::{
    domain::{
        integration::{Integration, IntegrationScope},
        webhook::Webhook,
    },
    error::{Error, Result},
    id::Id,
    render::slug,
    store::Table,
};

impl EditableRecord for Integration {
    const TABLE: Table = Table::Integrations;

    fn find(site: &dyn SiteView, id: Id) -> Result<Option<Arc<Self>>> {
        let mut integrations = site.catalog().integrations();
        Ok(integrations.find(|known| known.id == id).cloned())
    }

    fn save(self, transaction: &mut Transaction) -> Result<Arc<Self>> {
        transaction.save_integration(self).map(Arc::new)
    }

    fn remove(id: Id, transaction: &mut Transaction) -> Result<()> {
        transaction.delete_integration(id)
    }
}

impl EditableRecord for Webhook {
    const TABLE: Table = Table::Webhooks;

    fn find(site: &dyn SiteView, id: Id) -> Result<Option<Arc<Self>>> {
        Ok(site.catalog().webhooks.get(id).cloned())
    }

    fn save(self, transaction: &mut Transaction) -> Result<Arc<Self>> {
        transaction.save_webhook(self.clone())?;
        Ok(Arc::new(self))
    }

    fn remove(id: Id, transaction: &mut Transaction) -> Result<()> {
        transaction.delete_webhook(id)
    }
}

impl Transaction {
    /// Adds an integration with new keys for the operator, who identifies integrations by name.
    ///
    /// # Errors
    ///
    /// `Validation` if the name is empty, too long or in use.
    pub fn add_integration(
        &mut self,
        name: &str,
        scope: Option<IntegrationScope>,
    ) -> Result<Integration> {
        let name = name.trim();
        if self
            .catalog()
            .integrations()
            .any(|existing| &*existing.name == name)
        {
            return Err(
                Error::already_exists(format!("An integration named \"{name}\""))
                    .help("Choose another name, or revoke that one first.")
                    .property("name"),
            );
        }
        let integration = Integration::generate(name, self.now()).map_err(Error::internal)?;
        self.save_integration(Integration {
            scope,
            ..integration
        })
    }

    /// Adds the integration that a new site starts with, so that its API can be used immediately.
    ///
    /// # Errors
    ///
    /// As [`add_integration`](Self::add_integration).
    pub fn add_first_integration(&mut self, name: &str) -> Result<Integration> {
        let integration = Integration::generate(name, self.now()).map_err(Error::internal)?;
        self.save_integration(Integration {
            came_with_site: true,
            ..integration
        })
    }

    /// Adds an integration or replaces the one with its identifier. A new one gets a free slug.
    ///
    /// # Errors
    ///
    /// `Validation` if the name or the description is invalid.
    pub fn save_integration(&mut self, mut integration: Integration) -> Result<Integration> {
        integration.check()?;
        if Integration::find(self, integration.id)?.is_none() {
            let is_taken = |slug: &str| {
                let mut integrations = self.catalog().integrations();
                integrations.any(|existing| &*existing.slug == slug)
            };
            integration.slug = slug::candidates(integration.slug.into())
                .find(|slug| !is_taken(slug))
                .unwrap_or_default()
                .into();
        }
        self.put(Table::Integrations, integration.id.as_bytes(), &integration)?;
        self.catalog_mut().put_integration(integration.clone());
        Ok(integration)
    }

    /// Deletes an integration with its webhooks. Its keys become invalid.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_integration(&mut self, id: Id) -> Result<()> {
        let webhooks = self.catalog().webhooks.of_integration(id);
        let webhooks: Vec<Id> = webhooks.map(|webhook| webhook.id).collect();
        for webhook in webhooks {
            self.delete_webhook(webhook)?;
        }
        self.delete(Table::Integrations, id.as_bytes());
        self.catalog_mut().remove_integration(id);
        Ok(())
    }

    /// Deletes the integration with this name or identifier and returns it.
    ///
    /// # Errors
    ///
    /// As [`Catalog::integration_named`](crate::catalog::Catalog::integration_named).
    pub fn revoke_integration(&mut self, name_or_id: &str) -> Result<Integration> {
        let integration = Arc::clone(self.catalog().integration_named(name_or_id)?);
        self.delete_integration(integration.id)?;
        Ok(Integration::clone(&integration))
    }
}

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
        self.delete(Table::Webhooks, id.as_bytes());
        match self.catalog_mut().webhooks.remove(id) {
            // Only a webhook that existed can have a queue, and the mark must not be left for one
            // that never did.
            Some(_) => self.abandon_deliveries(id),
            None => Ok(()),
        }
    }
}
