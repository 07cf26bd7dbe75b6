//! What webhooks were told and are still to be told, and telling it again (Galley's own; Ghost has none).

use super::webhooks::owned;
use crate::{
    domain::{
        actor::Actor,
        webhook_delivery::{self, FinishedDelivery, WebhookDelivery},
    },
    error::{Error, Result},
    id::Id,
    site::{Edition, Site, WAITING_COUNTED_MAX},
};

/// What is known of the deliveries of a webhook.
#[derive(Debug)]
pub struct Deliveries {
    /// The webhook.
    pub webhook: Id,
    /// Those that are over and asked for, the last first.
    pub finished: Vec<FinishedDelivery>,
    /// How many that are over are kept.
    pub finished_count: usize,
    /// What is told next, and with what was tried so far.
    pub next: Option<WebhookDelivery>,
    /// How many wait, that one among them: counted up to [`WAITING_COUNTED_MAX`].
    pub waiting_count: usize,
}

impl Deliveries {
    /// Whether more wait than were counted.
    pub fn may_be_more(&self) -> bool {
        self.waiting_count == WAITING_COUNTED_MAX
    }
}

/// The deliveries of a webhook: `limit` of those that are over, without the first so many.
///
/// # Errors
///
/// `NotFound` when there is no such webhook, `NoPermission` for an integration when it is another one's.
pub fn browse(
    edition: &Edition,
    actor: &Actor,
    webhook: Option<Id>,
    without_first: usize,
    limit: usize,
) -> Result<Deliveries> {
    let webhook = owned(&edition.catalog, actor, webhook)?.id;
    let (finished, finished_count) = edition.finished_deliveries(webhook, without_first, limit)?;
    Ok(Deliveries {
        webhook,
        finished,
        finished_count,
        next: edition.first_waiting_delivery(webhook)?,
        waiting_count: edition.waiting_count(webhook)?,
    })
}

/// Has a delivery made again, under its name: one that is over as the next of its webhook, one that waits at once.
///
/// # Errors
///
/// `NotFound` when there is no such webhook or delivery, `NoPermission` for an integration when it is another one's,
/// `Validation` when the body was too long to be kept.
pub fn retry(
    site: &Site,
    actor: &Actor,
    webhook: Option<Id>,
    number: Option<u64>,
) -> Result<WebhookDelivery> {
    site.write(|transaction| {
        let webhook = owned(transaction.catalog(), actor, webhook)?.id;
        let number = number.ok_or_else(not_found)?;
        transaction.retry_webhook_delivery(webhook, number)
    })
}

/// Has the delivery made again that is called this.
///
/// # Errors
///
/// As [`retry`].
pub fn retry_named(site: &Site, actor: &Actor, name: &str) -> Result<WebhookDelivery> {
    let (webhook, number) = webhook_delivery::parse_name(name).ok_or_else(|| {
        Error::not_found(format!("Delivery \"{name}\""))
            .context("A delivery is named by its webhook, a hyphen and a number.")
    })?;
    retry(site, actor, Some(webhook), Some(number))
}

fn not_found() -> Error {
    Error::not_found("delivery")
}
