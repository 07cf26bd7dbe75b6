//! Commands about webhooks, for `galley webhook`.

use super::Reply;
use crate::{
    admin::{
        collection, webhook_deliveries,
        webhooks::{self, NewWebhook},
    },
    api::headers::API_VERSION_NUMBER,
    control::webhook_report::{DeliveryReport, WebhookCommand, WebhookReport},
    domain::actor::Actor,
    error::Result,
    id::Id,
    site::{LOGGED_DELIVERIES_MAX, Site, SiteSnapshot},
};

/// Number of finished deliveries that are listed for each webhook when the log of all webhooks is
/// requested.
const LOGGED_OF_EACH: usize = 10;

/// Executes a command about webhooks.
///
/// # Errors
///
/// The errors of the operation.
pub(super) fn carry_out(site: &Site, command: &WebhookCommand) -> Result<Reply> {
    let snapshot = site.current();
    let webhook = match command {
        WebhookCommand::Add {
            event,
            target_url,
            integration,
            name,
            secret,
        } => {
            let integration = snapshot.catalog.integration_named(integration)?;
            let new = NewWebhook {
                event: event.as_str().into(),
                target_url: target_url.as_str().into(),
                name: name.as_deref().map(Into::into),
                secret: secret.as_ref().map(|secret| secret.0.as_str().into()),
                api_version: format!("v{API_VERSION_NUMBER}").into(),
                integration: Some(integration.id.to_string().into()),
            };
            webhooks::add(site, &Actor::Operator, new)?
        }
        WebhookCommand::List => return Ok(Reply::Webhooks(list(&snapshot)?)),
        WebhookCommand::Log { id } => {
            return Ok(Reply::Deliveries(log(&snapshot, id.as_deref())?));
        }
        WebhookCommand::Retry { delivery } => {
            let again = webhook_deliveries::retry_named(site, &Actor::Operator, delivery)?;
            return Ok(Reply::Deliveries(vec![DeliveryReport::of_waiting(again)]));
        }
        WebhookCommand::Remove { id } => {
            collection::delete(site, &Actor::Operator, id.parse().ok())?
        }
    };
    // In the snapshot from before the command: a new webhook has no deliveries, and those of a
    // deleted one are shown once more.
    let waiting = snapshot.waiting_count(webhook.id)?;
    let report = WebhookReport::of(&webhook, &snapshot.catalog, waiting);
    Ok(Reply::Webhook(report))
}

/// Returns all webhooks.
pub(super) fn list(snapshot: &SiteSnapshot) -> Result<Vec<WebhookReport>> {
    let all = snapshot.catalog.webhooks.iter();
    let all = all.map(|webhook| {
        let waiting = snapshot.waiting_count(webhook.id)?;
        Ok(WebhookReport::of(webhook, &snapshot.catalog, waiting))
    });
    all.collect()
}

/// Returns the next delivery and the finished ones, newest first, of one webhook or of all.
fn log(snapshot: &SiteSnapshot, id: Option<&str>) -> Result<Vec<DeliveryReport>> {
    let (webhooks, count): (Vec<Option<Id>>, usize) = match id {
        Some(id) => (vec![id.parse().ok()], LOGGED_DELIVERIES_MAX),
        None => {
            let all = snapshot.catalog.webhooks.iter();
            (
                all.map(|webhook| Some(webhook.id)).collect(),
                LOGGED_OF_EACH,
            )
        }
    };
    let mut reports = Vec::new();
    for webhook in webhooks {
        let known = webhook_deliveries::browse(snapshot, &Actor::Operator, webhook, 0, count)?;
        reports.extend(known.next.map(DeliveryReport::of_waiting));
        let finished = known.finished.into_iter();
        reports
            .extend(finished.map(|delivery| DeliveryReport::of_finished(known.webhook, delivery)));
    }
    Ok(reports)
}
