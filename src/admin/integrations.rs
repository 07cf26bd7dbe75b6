//! Integrations and their API keys.

use super::webhooks::{self, NewWebhook};
use crate::{
    domain::{
        OptionalText,
        action::{ActionEvent, Subject},
        actor::Actor,
        integration::{Integration, IntegrationScope},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
};

/// New values for an integration; `None` leaves a value unchanged.
#[derive(Debug, Default)]
pub struct IntegrationChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The description.
    pub description: Option<OptionalText>,
    /// URL of an image, as the client sent it.
    pub icon_image: Option<OptionalText>,
    /// The scope of its Admin API key; `None` inside for the operator's default.
    pub scope: Option<Option<IntegrationScope>>,
}

impl IntegrationChanges {
    fn apply(self, integration: &mut Integration) {
        if let Some(name) = self.name {
            integration.name = name;
        }
        if let Some(description) = self.description {
            integration.description = description;
        }
        if let Some(icon_image) = self.icon_image {
            integration.icon_image = icon_image;
        }
        if let Some(scope) = self.scope {
            integration.scope = scope;
        }
    }
}

/// Adds an integration with new keys, and its webhooks. Names may repeat, slugs may not (Ghost
/// 6.65, recorded).
///
/// # Errors
///
/// `BadRequest` without a name, `Validation` for one that is empty or too long, and for an invalid
/// webhook.
pub fn add(
    site: &Site,
    actor: &Actor,
    changes: IntegrationChanges,
    webhooks: Vec<NewWebhook>,
) -> Result<Integration> {
    let Some(name) = changes.name.clone() else {
        return Err(Error::new(
            Kind::BadRequest,
            "An integration needs a name, and the request has none.",
        ));
    };
    site.write(|transaction| {
        let mut integration =
            Integration::generate(&name, transaction.now()).map_err(Error::internal)?;
        changes.apply(&mut integration);
        let integration = transaction.save_integration(integration)?;
        record(transaction, actor, ActionEvent::Added, &integration)?;
        for webhook in webhooks {
            webhooks::add_to(transaction, actor, integration.id, webhook)?;
        }
        Ok(integration)
    })
}

/// Updates an integration.
///
/// # Errors
///
/// `NotFound` if it does not exist, `Validation` for a name that is empty or too long.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: IntegrationChanges,
) -> Result<Integration> {
    site.write(|transaction| {
        let mut integration = found(transaction, id)?;
        let before = integration.clone();
        changes.apply(&mut integration);
        if integration == before {
            return Ok(before);
        }
        integration.updated_at = transaction.now_after(integration.updated_at);
        let integration = transaction.save_integration(integration)?;
        record(transaction, actor, ActionEvent::Edited, &integration)?;
        Ok(integration)
    })
}

/// Gives one of the two keys of an integration a new secret. The old secret becomes invalid.
///
/// # Errors
///
/// `NotFound` if there is no such integration, or it has no such key.
pub fn refresh_key(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    key: Option<Id>,
) -> Result<Integration> {
    site.write(|transaction| {
        let mut integration = found(transaction, id)?;
        let keys = [&mut integration.content_key, &mut integration.admin_key];
        let refreshed = keys.into_iter().find(|own| Some(own.id) == key);
        let Some(refreshed) = refreshed else {
            return Err(Error::not_found("Key of the integration"));
        };
        *refreshed = refreshed.refreshed().map_err(Error::internal)?;
        integration.updated_at = transaction.now_after(integration.updated_at);
        let integration = transaction.save_integration(integration)?;
        transaction.record_action(
            actor,
            ActionEvent::Refreshed,
            Subject {
                resource_type: "api_key",
                ..subject(&integration)
            },
        )?;
        Ok(integration)
    })
}

/// Deletes an integration with its webhooks. Its keys become invalid.
///
/// # Errors
///
/// `NotFound` if it does not exist.
pub fn delete(site: &Site, actor: &Actor, id: Option<Id>) -> Result<()> {
    site.write(|transaction| {
        let integration = found(transaction, id)?;
        transaction.delete_integration(integration.id)?;
        record(transaction, actor, ActionEvent::Deleted, &integration)
    })
}

/// Returns an integration that can be changed here: the site's first one is the operator's.
fn found(transaction: &Transaction, id: Option<Id>) -> Result<Integration> {
    id.and_then(|id| transaction.integration(id))
        .filter(|integration| !integration.came_with_site)
        .map(|integration| Integration::clone(integration))
        .ok_or_else(|| Error::not_found("integration"))
}

fn record(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    integration: &Integration,
) -> Result<()> {
    transaction.record_action(actor, event, subject(integration))
}

fn subject(integration: &Integration) -> Subject<'_> {
    Subject {
        id: integration.id,
        resource_type: "integration",
        name: Some(&integration.name),
        kind: None,
    }
}
