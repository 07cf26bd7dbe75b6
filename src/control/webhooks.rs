//! Webhooks, as `galley webhook` asks for them.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Reply;
use crate::{
    admin::webhooks::{self, NewWebhook},
    api::headers::API_VERSION_NUMBER,
    catalog::Catalog,
    domain::{actor::Actor, webhook::Webhook},
    error::Result,
    site::Site,
};

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
    /// When it was made.
    pub created_at: Timestamp,
}

impl WebhookReport {
    fn of(webhook: &Webhook, catalog: &Catalog) -> Self {
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
            let all = all.map(|webhook| WebhookReport::of(webhook, &owners.catalog));
            return Ok(Reply::Webhooks(all.collect()));
        }
        WebhookCommand::Remove { id } => webhooks::delete(site, &Actor::Operator, id.parse().ok())?,
    };
    Ok(Reply::Webhook(WebhookReport::of(&webhook, &owners.catalog)))
}
