//! Webhooks: who is told what (specification 4.4; further rules as recorded from Ghost 6.65).

use std::sync::Arc;

use crate::{
    catalog::Catalog,
    domain::{
        OptionalText,
        action::{ActionEvent, Subject},
        actor::Actor,
        integration::Integration,
        permission::WEBHOOKS_EDIT,
        webhook::Webhook,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, Transaction},
};

/// A webhook that is to be.
#[derive(Debug, Default)]
pub struct NewWebhook {
    /// What it is told of, such as `post.published`.
    pub event: Box<str>,
    /// Where it is told.
    pub target_url: Box<str>,
    /// What its maker calls it.
    pub name: OptionalText,
    /// What deliveries are signed with.
    pub secret: OptionalText,
    /// The version of the API whose records it wants.
    pub api_version: Box<str>,
    /// The identifier of the integration that it belongs to. An integration that acts is always the owner itself: clients
    /// send all kinds of things here, Zapier the identifier of its key.
    pub integration: OptionalText,
}

/// What is to be changed of a webhook; `None` leaves it as it is.
#[derive(Debug, Default)]
pub struct Changes {
    /// What it is told of.
    pub event: Option<Box<str>>,
    /// Where it is told.
    pub target_url: Option<Box<str>>,
    /// What its maker calls it.
    pub name: Option<OptionalText>,
    /// What deliveries are signed with.
    pub secret: Option<OptionalText>,
    /// The version of the API whose records it wants.
    pub api_version: Option<Box<str>>,
}

/// Subscribes to an event.
///
/// # Errors
///
/// `Validation` for an event or an address that cannot be one, when a user names no integration or one that there is not,
/// and for an address that is told of the same event already, in whatever letters and by whichever integration.
pub fn add(site: &Site, actor: &Actor, new: NewWebhook) -> Result<Arc<Webhook>> {
    site.write(|transaction| {
        let owner = owner(transaction, actor, new.integration.as_deref())?;
        add_to(transaction, actor, owner, new)
    })
}

/// Subscribes an integration to an event as a part of a greater change.
///
/// # Errors
///
/// As [`add`], but that the integration is known.
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
    save(transaction, actor, ActionEvent::Added, webhook)
}

/// Changes a subscription. Another one may have the same event and address (Ghost 6.65, recorded).
///
/// # Errors
///
/// `NotFound` when there is none, `NoPermission` for an integration when it is another one's, `Validation` for an event or an
/// address that cannot be one.
pub fn edit(site: &Site, actor: &Actor, id: Option<Id>, changes: Changes) -> Result<Arc<Webhook>> {
    site.write(|transaction| {
        let known = found(transaction, actor, id)?;
        let mut new = Webhook::clone(&known);
        new.event = changes.event.unwrap_or(new.event);
        new.target_url = changes.target_url.unwrap_or(new.target_url);
        new.name = changes.name.unwrap_or(new.name);
        new.secret = changes.secret.unwrap_or(new.secret);
        new.api_version = changes.api_version.unwrap_or(new.api_version);
        if new == *known {
            return Ok(known);
        }
        new.updated_at = transaction.now_after(new.updated_at);
        save(transaction, actor, ActionEvent::Edited, new)
    })
}

/// Ends a subscription.
///
/// # Errors
///
/// `NotFound` when there is none, `NoPermission` for an integration when it is another one's.
pub fn delete(site: &Site, actor: &Actor, id: Option<Id>) -> Result<Arc<Webhook>> {
    site.write(|transaction| {
        let known = found(transaction, actor, id)?;
        transaction.delete_webhook(known.id)?;
        transaction.record_action(actor, ActionEvent::Deleted, subject(&known))?;
        Ok(known)
    })
}

fn found(transaction: &Transaction, actor: &Actor, id: Option<Id>) -> Result<Arc<Webhook>> {
    owned(transaction.catalog(), actor, id).map(Arc::clone)
}

/// The webhook with this identifier, if `actor` may do something about it.
pub(super) fn owned<'c>(
    catalog: &'c Catalog,
    actor: &Actor,
    id: Option<Id>,
) -> Result<&'c Arc<Webhook>> {
    let webhook = id
        .and_then(|id| catalog.webhooks.get(id))
        .ok_or_else(|| Error::not_found("webhook"))?;
    match actor {
        Actor::Integration { id: own, .. } if *own != webhook.integration => Err(WEBHOOKS_EDIT
            .refusal()
            .context("The webhook belongs to another integration.")),
        _ => Ok(webhook),
    }
}

/// The integration that a new webhook belongs to.
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
    // The one that came with the site is the operator's.
    let is_shown =
        |integration: &Integration| !integration.came_with_site || matches!(actor, Actor::Operator);
    let mut integrations = transaction.catalog().integrations();
    integrations
        .find(|known| is_shown(known) && known.id.to_string() == named)
        .map(|known| known.id)
        .ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("There is no integration \"{named}\"."),
            )
        })
}

fn refuse_repetition(transaction: &Transaction, new: &Webhook) -> Result<()> {
    let wanted = new.target_url.to_lowercase();
    let mut subscribers = transaction.catalog().webhooks.subscribers(&new.event);
    match subscribers.find(|known| known.target_url.to_lowercase() == wanted) {
        None => Ok(()),
        Some(known) => Err(Error::already_exists(format!(
            "A webhook for {} and {}",
            known.target_url, known.event
        ))
        .context(format!("It is the address of the webhook {}.", known.id))),
    }
}

fn save(
    transaction: &mut Transaction,
    actor: &Actor,
    event: ActionEvent,
    new: Webhook,
) -> Result<Arc<Webhook>> {
    let saved = Arc::new(new);
    transaction.save_webhook(Webhook::clone(&saved))?;
    transaction.record_action(actor, event, subject(&saved))?;
    Ok(saved)
}

fn subject(webhook: &Webhook) -> Subject<'_> {
    Subject {
        id: webhook.id,
        resource_type: "webhook",
        name: Some(webhook.name.as_deref().unwrap_or(&webhook.event)),
        kind: None,
    }
}
