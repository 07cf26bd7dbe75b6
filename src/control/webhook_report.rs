//! Commands about webhooks, and webhooks and deliveries in replies.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    catalog::Catalog,
    clock::whole_seconds,
    domain::{
        webhook::Webhook,
        webhook_delivery::{
            self, Attempt, FinishedDelivery, LoggedRequest, LoggedResponse, WebhookDelivery,
        },
    },
    id::Id,
};

/// A command about webhooks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookCommand {
    /// Add a webhook.
    Add {
        /// The event that it subscribes to.
        event: String,
        /// The URL that its events are sent to.
        target_url: String,
        /// The name or identifier of the integration that it belongs to.
        integration: String,
        /// Its name.
        name: Option<String>,
        /// The secret that signs its deliveries.
        secret: Option<Secret>,
    },
    /// List all webhooks.
    List,
    /// Delete a webhook.
    Remove {
        /// Its identifier.
        id: String,
    },
    /// List the last deliveries and the next one.
    Log {
        /// The identifier of the webhook; `None` for all.
        id: Option<String>,
    },
    /// Repeat a delivery.
    Retry {
        /// The name of the delivery.
        delivery: String,
    },
}

/// A secret that is sent to the process that stores it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    /// Writes no content, so that secrets do not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A webhook, as shown to the operator: without its secret.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookReport {
    /// The webhook's identifier.
    pub id: String,
    /// The event that it subscribes to.
    pub event: String,
    /// The URL that its events are sent to.
    pub target_url: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// True if deliveries are signed.
    pub is_signed: bool,
    /// The name of the integration that it belongs to.
    pub integration: String,
    /// Time of the last attempted delivery.
    pub last_triggered_at: Option<Timestamp>,
    /// The response status of that delivery; `None` without a response.
    pub last_triggered_status: Option<String>,
    /// The error of that delivery.
    pub last_triggered_error: Option<String>,
    /// Number of waiting deliveries, counted up to a thousand.
    pub waiting: usize,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A delivery, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeliveryReport {
    /// The name of the delivery.
    pub id: String,
    /// The identifier of the webhook.
    pub webhook: String,
    /// The state: waiting, delivered or failed permanently.
    pub state: DeliveryState,
    /// The event.
    pub event: String,
    /// Time of the event.
    pub queued_at: Timestamp,
    /// Time of the delivery or the permanent failure.
    pub finished_at: Option<Timestamp>,
    /// Time of the next attempt.
    pub due_at: Option<Timestamp>,
    /// Number of attempts.
    pub attempt_count: u32,
    /// The last attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// The last request, without its body.
    pub request: Option<LoggedRequest>,
    /// The body of every request, if it is stored.
    pub body: Option<String>,
    /// The last response.
    #[serde(rename = "answer")]
    pub response: Option<LoggedResponse>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// The delivery is still to be sent.
    Waiting,
    /// The receiver has accepted the delivery.
    Delivered,
    /// The delivery failed permanently.
    #[serde(rename = "given_up")]
    Failed,
}

impl DeliveryReport {
    pub(super) fn of_waiting(delivery: WebhookDelivery) -> Self {
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
            response: None,
        }
    }

    pub(super) fn of_finished(webhook: Id, delivery: FinishedDelivery) -> Self {
        Self {
            id: webhook_delivery::name(webhook, delivery.number),
            webhook: webhook.to_string(),
            state: if delivery.is_delivered {
                DeliveryState::Delivered
            } else {
                DeliveryState::Failed
            },
            event: delivery.event.into(),
            queued_at: delivery.queued_at,
            finished_at: Some(delivery.finished_at),
            due_at: None,
            attempt_count: delivery.attempt_count,
            attempts: delivery.attempts,
            request: delivery.request,
            body: delivery.body.map(Into::into),
            response: delivery.response,
        }
    }
}

impl WebhookReport {
    pub(super) fn of(webhook: &Webhook, catalog: &Catalog, waiting: usize) -> Self {
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
