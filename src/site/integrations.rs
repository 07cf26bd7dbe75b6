//! Integrations and their keys.

use std::sync::Arc;

use super::Transaction;
use crate::{
    domain::integration::{Integration, IntegrationScope},
    error::{Error, Result},
    id::Id,
    render::slug,
    store::Table,
};

impl Transaction {
    /// Makes an integration with new keys for the operator, who tells integrations apart by their names.
    ///
    /// # Errors
    ///
    /// `Validation` when the name is empty, too long, or another one's.
    pub fn add_integration(
        &mut self,
        name: &str,
        scope: Option<IntegrationScope>,
    ) -> Result<Integration> {
        let name = name.trim();
        if self
            .catalog()
            .integrations()
            .any(|known| &*known.name == name)
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

    /// Makes the integration that a new site comes with, so that somebody can ask it.
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

    /// Adds an integration, or puts it in the place of the one with its identifier. A new one gets a slug that is free.
    ///
    /// # Errors
    ///
    /// `Validation` when the name or the description is not one that an integration can have.
    pub fn save_integration(&mut self, mut integration: Integration) -> Result<Integration> {
        integration.check()?;
        if self.integration(integration.id).is_none() {
            let is_taken = |slug: &str| {
                let mut integrations = self.catalog().integrations();
                integrations.any(|known| &*known.slug == slug)
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

    /// The integration with this identifier.
    pub fn integration(&self, id: Id) -> Option<&Arc<Integration>> {
        self.catalog().integrations().find(|known| known.id == id)
    }

    /// Deletes an integration; its keys open nothing any more, and its webhooks go with it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn delete_integration(&mut self, id: Id) -> Result<()> {
        let webhooks = self.catalog().webhooks.of_integration(id);
        let webhooks: Vec<Id> = webhooks.map(|webhook| webhook.id).collect();
        for webhook in webhooks {
            self.delete_webhook(webhook)?;
        }
        self.delete(Table::Integrations, id.as_bytes())?;
        self.catalog_mut().remove_integration(id);
        Ok(())
    }

    /// Deletes the integration with this name or identifier.
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
