//! Integrations and their API keys.

use std::sync::Arc;

use super::{
    collection::{self, Collection},
    webhooks::{self, NewWebhook, WantedWebhook},
};
use crate::{
    domain::{
        OptionalText,
        action::ActionEvent,
        actor::Actor,
        integration::{Integration, IntegrationScope},
        record::{Record, Subject},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{EditableRecord, Site},
};

/// New values for an integration; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct IntegrationChanges {
    /// The name.
    pub name: Option<Box<str>>,
    /// The description.
    pub description: Option<OptionalText>,
    /// URL of an image, as the client sent it.
    pub icon_image: Option<OptionalText>,
    /// The scope of its Admin API key; `Some(None)` for the operator's default.
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
) -> Result<Arc<Integration>> {
    let Some(name) = changes.name.clone() else {
        return Err(Error::new(
            Kind::BadRequest,
            "An integration needs a name, and the request has none.",
        ));
    };
    site.write(|transaction| {
        let mut integration =
            Integration::generate(&name, transaction.now()).map_err(Error::internal)?;
        // A clone, because a transaction may run several times.
        changes.clone().apply(&mut integration);
        let integration = collection::save(transaction, actor, ActionEvent::Added, integration)?;
        for webhook in &webhooks {
            webhooks::add_to(transaction, actor, integration.id, webhook.clone())?;
        }
        Ok(integration)
    })
}

/// Updates an integration, and replaces its webhooks if `webhooks` is given.
///
/// # Errors
///
/// `NotFound` if it does not exist, `Validation` for a name that is empty or too long, and for an
/// invalid webhook.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: IntegrationChanges,
    webhooks: Option<Vec<WantedWebhook>>,
) -> Result<Arc<Integration>> {
    site.write(|transaction| {
        let before: Arc<Integration> = collection::found(transaction, actor, id)?;
        // Before the comparison below: webhooks are not part of the record, and may change without
        // it.
        if let Some(webhooks) = &webhooks {
            webhooks::replace(transaction, actor, before.id, webhooks)?;
        }
        let mut integration = Integration::clone(&before);
        changes.clone().apply(&mut integration);
        if integration == *before {
            return Ok(before);
        }
        integration.updated_at = transaction.now_after(integration.updated_at);
        collection::save(transaction, actor, ActionEvent::Edited, integration)
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
) -> Result<Arc<Integration>> {
    site.write(|transaction| {
        let found: Arc<Integration> = collection::found(transaction, actor, id)?;
        let mut integration = Integration::clone(&found);
        let keys = [&mut integration.content_key, &mut integration.admin_key];
        let refreshed = keys.into_iter().find(|own| Some(own.id) == key);
        let Some(refreshed) = refreshed else {
            return Err(Error::not_found("Key of the integration"));
        };
        *refreshed = refreshed.refreshed().map_err(Error::internal)?;
        integration.updated_at = transaction.now_after(integration.updated_at);
        let integration = integration.save(transaction)?;
        transaction.record_action(
            actor,
            ActionEvent::Refreshed,
            Subject {
                resource_type: "api_key",
                ..integration.subject()
            },
        )?;
        Ok(integration)
    })
}

/// Deleting an integration also deletes its webhooks and invalidates its keys.
impl Collection for Integration {
    /// Hides the integration that was created with the site, which belongs to the operator.
    fn admit(&self, _actor: &Actor) -> Result<()> {
        if self.came_with_site {
            return Err(Error::not_found(Self::KIND));
        }
        Ok(())
    }
}
