//! Webhooks and their subscriptions (specification 4.4; further rules as recorded from Ghost 6.65).

use std::sync::Arc;

use super::collection::{self, Collection};
use crate::{
    catalog::Catalog,
    collation,
    domain::{
        OptionalText,
        action::ActionEvent,
        actor::Actor,
        integration::Integration,
        webhook::{WEBHOOKS_EDIT, Webhook},
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{EditableRecord, Site, Transaction},
};

/// A new webhook.
#[derive(Clone, Debug, Default)]
pub struct NewWebhook {
    /// The event, such as `post.published`.
    pub event: Box<str>,
    /// The URL that receives it.
    pub target_url: Box<str>,
    /// The name.
    pub name: OptionalText,
    /// The secret that signs deliveries.
    pub secret: OptionalText,
    /// The API version that the receiver expects.
    pub api_version: Box<str>,
    /// The identifier of the integration that the webhook belongs to. Ignored if an integration
    /// acts, which always owns its webhooks: clients send various values here, such as Zapier the
    /// identifier of its key.
    pub integration: OptionalText,
}

/// New values for a webhook; `None` leaves a value unchanged.
#[derive(Debug, Default)]
pub struct WebhookChanges {
    /// The event.
    pub event: Option<Box<str>>,
    /// The URL.
    pub target_url: Option<Box<str>>,
    /// The name.
    pub name: Option<OptionalText>,
    /// The secret that signs deliveries.
    pub secret: Option<OptionalText>,
    /// The API version that the receiver expects.
    pub api_version: Option<Box<str>>,
}

/// A webhook that an integration is to have.
#[derive(Debug)]
pub enum WantedWebhook {
    /// A new one.
    New(NewWebhook),
    /// An existing webhook of the integration, with these changes.
    Known(Id, WebhookChanges),
}

/// Subscribes to an event.
///
/// # Errors
///
/// `Validation` for an invalid event or URL, if the actor is not an integration and names none or
/// an unknown one, and if any integration already has a webhook for the same event and URL,
/// ignoring case.
pub fn add(site: &Site, actor: &Actor, new: NewWebhook) -> Result<Arc<Webhook>> {
    site.write(|transaction| {
        let owner = owner(transaction, actor, new.integration.as_deref())?;
        add_to(transaction, actor, owner, new.clone())
    })
}

/// Subscribes an integration to an event within a larger transaction.
///
/// # Errors
///
/// As [`add`], except for errors about the integration.
pub(super) fn add_to(
    transaction: &mut Transaction,
    actor: &Actor,
    owner: Id,
    new: NewWebhook,
) -> Result<Arc<Webhook>> {
    let now = transaction.now();
    let webhook = Webhook {
        id: Id::generate(now).map_err(Error::internal)?,
        integration: owner,
        event: new.event,
        target_url: new.target_url,
        name: new.name,
        secret: new.secret,
        api_version: new.api_version,
        last_triggered_at: None,
        last_triggered_status: None,
        last_triggered_error: None,
        created_at: now,
        updated_at: now,
    };
    refuse_repetition(transaction, &webhook)?;
    collection::save(transaction, actor, ActionEvent::Added, webhook)
}

/// Updates a webhook. Another webhook may have the same event and URL (Ghost 6.65, recorded).
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` if the actor is an integration and the webhook
/// belongs to another one, `Validation` for an invalid event or URL.
pub fn edit(
    site: &Site,
    actor: &Actor,
    id: Option<Id>,
    changes: WebhookChanges,
) -> Result<Arc<Webhook>> {
    site.write(|transaction| {
        let existing: Arc<Webhook> = collection::found(transaction, actor, id)?;
        change(transaction, actor, existing, &changes)
    })
}

fn change(
    transaction: &mut Transaction,
    actor: &Actor,
    existing: Arc<Webhook>,
    changes: &WebhookChanges,
) -> Result<Arc<Webhook>> {
    let mut new = Webhook::clone(&existing);
    new.event = changes.event.clone().unwrap_or(new.event);
    new.target_url = changes.target_url.clone().unwrap_or(new.target_url);
    new.name = changes.name.clone().unwrap_or(new.name);
    new.secret = changes.secret.clone().unwrap_or(new.secret);
    new.api_version = changes.api_version.clone().unwrap_or(new.api_version);
    if new == *existing {
        return Ok(existing);
    }
    new.updated_at = transaction.now_after(new.updated_at);
    collection::save(transaction, actor, ActionEvent::Edited, new)
}

/// Replaces the webhooks of an integration. Webhooks that are not wanted are deleted first, so that
/// a new one may have the event and URL of a deleted one.
///
/// # Errors
///
/// `Validation` for a known webhook that the integration does not have; otherwise as [`add`] and
/// [`edit`].
pub(super) fn replace(
    transaction: &mut Transaction,
    actor: &Actor,
    owner: Id,
    wanted: &[WantedWebhook],
) -> Result<()> {
    let own = transaction.catalog().webhooks.of_integration(owner);
    // Cloned, because the webhooks change below.
    let own: Vec<Arc<Webhook>> = own.cloned().collect();
    let stays = |webhook: &Webhook| {
        let is_it = |wanted: &WantedWebhook| matches!(wanted, WantedWebhook::Known(id, _) if *id == webhook.id);
        wanted.iter().any(is_it)
    };
    for webhook in own.iter().filter(|webhook| !stays(webhook)) {
        Webhook::remove(webhook.id, transaction)?;
        collection::record_action(transaction, actor, ActionEvent::Deleted, &**webhook)?;
    }
    for webhook in wanted {
        match webhook {
            WantedWebhook::New(new) => {
                add_to(transaction, actor, owner, new.clone())?;
            }
            WantedWebhook::Known(id, changes) => {
                // Read again for each change, since a webhook may be named twice.
                let known = transaction.catalog().webhooks.get(*id);
                let existing = known.filter(|webhook| webhook.integration == owner);
                let existing = existing.cloned().ok_or_else(|| {
                    let message = format!("The integration has no webhook {id}.");
                    Error::new(Kind::Validation, message).property("webhooks")
                })?;
                change(transaction, actor, existing, changes)?;
            }
        }
    }
    Ok(())
}

impl Collection for Webhook {
    fn admit(&self, actor: &Actor) -> Result<()> {
        match actor {
            Actor::Integration { id: own, .. } if *own != self.integration => Err(WEBHOOKS_EDIT
                .refusal()
                .context("The webhook belongs to another integration.")),
            _ => Ok(()),
        }
    }
}

/// Returns the webhook with this identifier, if `actor` may change it.
pub(super) fn owned<'c>(
    catalog: &'c Catalog,
    actor: &Actor,
    id: Option<Id>,
) -> Result<&'c Arc<Webhook>> {
    let webhook = id
        .and_then(|id| catalog.webhooks.get(id))
        .ok_or_else(|| Error::not_found("webhook"))?;
    webhook.admit(actor)?;
    Ok(webhook)
}

/// Returns the integration that a new webhook belongs to.
fn owner(transaction: &Transaction, actor: &Actor, named: Option<&str>) -> Result<Id> {
    if let Actor::Integration { id: own, .. } = actor {
        return Ok(*own);
    }
    let Some(named) = named else {
        return Err(Error::new(
            Kind::Validation,
            "A webhook needs \"integration_id\": the integration that it belongs to.",
        )
        .property("integration_id"));
    };
    // The integration that was created with the site is visible to the operator only.
    let is_shown =
        |integration: &Integration| !integration.came_with_site || matches!(actor, Actor::Operator);
    let mut integrations = transaction.catalog().integrations();
    integrations
        .find(|existing| is_shown(existing) && existing.id.to_string() == named)
        .map(|existing| existing.id)
        .ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("There is no integration with the \"integration_id\" {named:?}."),
            )
        })
}

fn refuse_repetition(transaction: &Transaction, new: &Webhook) -> Result<()> {
    let mut subscribers = transaction.catalog().webhooks.subscribers(&new.event);
    // URLs are compared with the collation of Ghost's database (Ghost 6.65 on MySQL, recorded).
    match subscribers.find(|known| collation::is_equal(&known.target_url, &new.target_url)) {
        None => Ok(()),
        Some(existing) => Err(Error::already_exists(format!(
            "A webhook for {} and {}",
            existing.target_url, existing.event
        ))
        .context(format!("The webhook {} has this URL.", existing.id))),
    }
}
