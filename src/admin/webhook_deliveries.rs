//! Deliveries of webhooks, and their redelivery (not in Ghost).

use super::webhooks::owned;
use crate::{
    domain::{
        actor::Actor,
        webhook_delivery::{self, FinishedDelivery, WebhookDelivery},
    },
    error::{Error, Result},
    id::Id,
    site::{Site, SiteSnapshot, WAITING_COUNTED_MAX},
};

/// The deliveries of one webhook.
#[derive(Debug)]
pub struct Deliveries {
    /// The webhook.
    pub webhook: Id,
    /// The requested page of finished deliveries, latest first.
    pub finished: Vec<FinishedDelivery>,
    /// The number of logged deliveries.
    pub finished_count: usize,
    /// The next delivery, with its attempts so far.
    pub next: Option<WebhookDelivery>,
    /// The number of waiting deliveries, including the next one, up to [`WAITING_COUNTED_MAX`].
    pub waiting_count: usize,
}

impl Deliveries {
    /// Returns whether there may be more waiting deliveries than
    /// [`waiting_count`](Self::waiting_count).
    pub fn may_be_more(&self) -> bool {
        self.waiting_count == WAITING_COUNTED_MAX
    }
}

/// Returns the deliveries of a webhook. Of the finished ones, skips the first `skip` and returns at most
/// `limit`.
///
/// # Errors
///
/// `NotFound` if there is no such webhook, `NoPermission` if the actor is an integration and the
/// webhook belongs to another one.
pub fn browse(
    snapshot: &SiteSnapshot,
    actor: &Actor,
    webhook: Option<Id>,
    skip: usize,
    limit: usize,
) -> Result<Deliveries> {
    let webhook = owned(&snapshot.catalog, actor, webhook)?.id;
    let (finished, finished_count) = snapshot.finished_deliveries(webhook, skip, limit)?;
    Ok(Deliveries {
        webhook,
        finished,
        finished_count,
        next: snapshot.first_waiting_delivery(webhook)?,
        waiting_count: snapshot.waiting_count(webhook)?,
    })
}

/// Sends a delivery again under its number. A finished delivery becomes the next one of its
/// webhook; a waiting delivery is attempted immediately.
///
/// # Errors
///
/// `NotFound` if there is no such webhook or delivery, `NoPermission` if the actor is an
/// integration and the webhook belongs to another one, `Validation` if the body was too long to be
/// stored.
pub fn retry(
    site: &Site,
    actor: &Actor,
    webhook: Option<Id>,
    number: Option<u64>,
) -> Result<WebhookDelivery> {
    site.write(|transaction| {
        // The webhook is checked before the number, so that other integrations cannot probe
        // deliveries.
        let webhook = owned(transaction.catalog(), actor, webhook)?.id;
        let number = number.ok_or_else(not_found)?;
        transaction.retry_webhook_delivery(webhook, number)
    })
}

/// Sends the delivery with this name again.
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
