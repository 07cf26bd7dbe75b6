//! Webhooks, as `galley webhook` asks for them.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Reply;
use crate::{
    admin::{
        webhook_deliveries,
        webhooks::{self, NewWebhook},
    },
    api::headers::API_VERSION_NUMBER,
    catalog::Catalog,
    clock::whole_seconds,
    domain::{
        actor::Actor,
        webhook::Webhook,
        webhook_delivery::{
            self, Attempt, FinishedDelivery, KeptAnswer, KeptRequest, WebhookDelivery,
        },
    },
    error::Result,
    id::Id,
    site::{Edition, KEPT_MAX, Site},
};

/// How many deliveries that are over are told of each webhook, when all are asked for.
const LOGGED_OF_EACH: usize = 10;

/// What is asked for about webhooks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookCommand {
    /// Make one.
    Add {
        /// What it is told of.
        event: String,
        /// Where it is told.
        target_url: String,
        /// The name or identifier of the integration that it belongs to.
        integration: String,
        /// What it is called.
        name: Option<String>,
        /// What deliveries are signed with.
        secret: Option<Secret>,
    },
    /// Tell all.
    List,
    /// Delete one.
    Remove {
        /// Its identifier.
        id: String,
    },
    /// Tell what was delivered last, and what is next.
    Log {
        /// The identifier of the webhook; without one, of all.
        id: Option<String>,
    },
    /// Have something delivered again.
    Retry {
        /// What the delivery is called.
        delivery: String,
    },
}

/// A secret on its way to where it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    /// Shows nothing: secrets do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A webhook as the operator sees it: without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookReport {
    /// The webhook's identifier.
    pub id: String,
    /// What it is told of.
    pub event: String,
    /// Where it is told.
    pub target_url: String,
    /// What it is called, if it is called anything.
    pub name: Option<String>,
    /// Whether deliveries are signed.
    pub is_signed: bool,
    /// The name of the integration that it belongs to.
    pub integration: String,
    /// When something was last delivered, or tried to be.
    pub last_triggered_at: Option<Timestamp>,
    /// The status that was answered then; `None` when nobody answered.
    pub last_triggered_status: Option<String>,
    /// What went wrong then.
    pub last_triggered_error: Option<String>,
    /// How many deliveries wait, counted up to a thousand.
    pub waiting: usize,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A delivery as the operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeliveryReport {
    /// What it is called.
    pub id: String,
    /// The identifier of the webhook.
    pub webhook: String,
    /// Whether it waits, is delivered, or is given up.
    pub state: DeliveryState,
    /// What happened.
    pub event: String,
    /// When that was.
    pub queued_at: Timestamp,
    /// When it was delivered or given up.
    pub finished_at: Option<Timestamp>,
    /// When it is tried again.
    pub due_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempt_count: u32,
    /// The last attempts, from old to new.
    pub attempts: Vec<Attempt>,
    /// The last request, but for its body.
    pub request: Option<KeptRequest>,
    /// The body of every request, if it is kept.
    pub body: Option<String>,
    /// What was answered the last time.
    pub answer: Option<KeptAnswer>,
}

/// How far a delivery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It is still to be made.
    Waiting,
    /// The receiver has it.
    Delivered,
    /// It is not tried any more.
    GivenUp,
}

impl DeliveryReport {
    fn of_waiting(delivery: WebhookDelivery) -> Self {
        Self {
            id: delivery.name(),
            webhook: delivery.webhook.to_string(),
            state: DeliveryState::Waiting,
            event: delivery.event.into(),
            queued_at: delivery.queued_at,
            finished_at: None,
            due_at: delivery.progress.due_at.map(whole_seconds),
            attempt_count: delivery.progress.attempt_count,
            attempts: delivery.progress.attempts,
            request: None,
            body: Some(delivery.body.into()),
            answer: None,
        }
    }

    fn of_finished(webhook: Id, delivery: FinishedDelivery) -> Self {
        Self {
            id: webhook_delivery::name(webhook, delivery.number),
            webhook: webhook.to_string(),
            state: if delivery.is_delivered {
                DeliveryState::Delivered
            } else {
                DeliveryState::GivenUp
            },
            event: delivery.event.into(),
            queued_at: delivery.queued_at,
            finished_at: Some(delivery.finished_at),
            due_at: None,
            attempt_count: delivery.attempt_count,
            attempts: delivery.attempts,
            request: delivery.request,
            body: delivery.body.map(Into::into),
            answer: delivery.answer,
        }
    }
}

impl WebhookReport {
    fn of(webhook: &Webhook, catalog: &Catalog, waiting: usize) -> Self {
        let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
        let mut integrations = catalog.integrations();
        let owner = integrations.find(|known| known.id == webhook.integration);
        Self {
            id: webhook.id.to_string(),
            event: webhook.event.to_string(),
            target_url: webhook.target_url.to_string(),
            name: text(&webhook.name),
            is_signed: webhook.secret.is_some(),
            integration: owner.map_or_else(String::new, |owner| owner.name.to_string()),
            last_triggered_at: webhook.last_triggered_at,
            last_triggered_status: text(&webhook.last_triggered_status),
            last_triggered_error: text(&webhook.last_triggered_error),
            waiting,
            created_at: webhook.created_at,
        }
    }
}

/// Carries out a command about webhooks.
///
/// # Errors
///
/// What the operation returns.
pub(super) fn carry_out(site: &Site, command: &WebhookCommand) -> Result<Reply> {
    let owners = site.current();
    let webhook = match command {
        WebhookCommand::Add {
            event,
            target_url,
            integration,
            name,
            secret,
        } => {
            let integration = owners.catalog.integration_named(integration)?;
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
        WebhookCommand::List => {
            let all = owners.catalog.webhooks.iter();
            let all = all.map(|webhook| {
                let waiting = owners.waiting_count(webhook.id)?;
                Ok(WebhookReport::of(webhook, &owners.catalog, waiting))
            });
            return Ok(Reply::Webhooks(all.collect::<Result<_>>()?));
        }
        WebhookCommand::Log { id } => {
            return Ok(Reply::Deliveries(log(&owners, id.as_deref())?));
        }
        WebhookCommand::Retry { delivery } => {
            let again = webhook_deliveries::retry_named(site, &Actor::Operator, delivery)?;
            return Ok(Reply::Deliveries(vec![DeliveryReport::of_waiting(again)]));
        }
        WebhookCommand::Remove { id } => webhooks::delete(site, &Actor::Operator, id.parse().ok())?,
    };
    let waiting = owners.waiting_count(webhook.id)?;
    let report = WebhookReport::of(&webhook, &owners.catalog, waiting);
    Ok(Reply::Webhook(report))
}

/// What one webhook was told, or each, the last first, after what it is told next.
fn log(edition: &Edition, id: Option<&str>) -> Result<Vec<DeliveryReport>> {
    let (webhooks, count): (Vec<Option<Id>>, usize) = match id {
        Some(id) => (vec![id.parse().ok()], KEPT_MAX),
        None => {
            let all = edition.catalog.webhooks.iter();
            (
                all.map(|webhook| Some(webhook.id)).collect(),
                LOGGED_OF_EACH,
            )
        }
    };
    let mut reports = Vec::new();
    for webhook in webhooks {
        let known = webhook_deliveries::browse(edition, &Actor::Operator, webhook, 0, count)?;
        reports.extend(known.next.map(DeliveryReport::of_waiting));
        let finished = known.finished.into_iter();
        reports.extend(finished.map(|one| DeliveryReport::of_finished(known.webhook, one)));
    }
    Ok(reports)
}
