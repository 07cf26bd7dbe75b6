//! Webhooks: subscriptions of other programs to events (specification 2.8).

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, permission::permissions, record::record};
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest name of an event, in characters (Ghost 6.65, recorded).
pub const EVENT_CHARACTERS_MAX: usize = 50;

/// Longest target URL, in characters (Ghost 6.65, recorded).
pub const TARGET_CHARACTERS_MAX: usize = 2000;

/// Longest name and longest secret, in characters (Ghost 6.65, recorded).
pub const TEXT_CHARACTERS_MAX: usize = 191;

/// Longest API version, in characters (Ghost 6.65).
pub const API_VERSION_CHARACTERS_MAX: usize = 50;

/// The state of every webhook (specification 3.1).
pub const STATUS: &str = "available";

/// A subscription to one event.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Webhook {
    /// The record's identifier.
    pub id: Id,
    /// The event, such as `post.published`. Unknown events are accepted: clients subscribe to
    /// events of other versions (Ghost 6.65, recorded).
    pub event: Box<str>,
    /// The target URL, as entered.
    pub target_url: Box<str>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// The secret with which deliveries are signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: OptionalText,
    /// The requested API version, such as `v6.65`.
    pub api_version: Box<str>,
    /// The integration that the webhook belongs to and is deleted with.
    pub integration: Id,
    /// Time of the last attempted delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_at: Option<Timestamp>,
    /// The response status of the last attempt, as text; `None` without a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_status: OptionalText,
    /// The error of the last attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_error: OptionalText,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

record!(Webhook, "webhook", |webhook| webhook
    .name
    .as_deref()
    .unwrap_or(&webhook.event));

permissions! {
    WEBHOOKS_ADD: "webhooks", "add" => Yes, Yes, No, No, No, No, Yes;
    WEBHOOKS_EDIT: "webhooks", "edit" => Yes, Yes, No, No, No, No, Own;
    WEBHOOKS_DELETE: "webhooks", "delete" => Yes, Yes, No, No, No, No, Own;
}

impl fmt::Debug for Webhook {
    /// Omits the secret, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("id", &self.id)
            .field("event", &self.event)
            .field("target_url", &self.target_url)
            .finish_non_exhaustive()
    }
}

impl Webhook {
    /// Checks the fields that can be validated without other records.
    ///
    /// # Errors
    ///
    /// `Validation` if the event is empty, too long or not in lower case; if the target URL is
    /// empty, is too long or contains white space; and if the name, the secret or the version is
    /// too long.
    pub fn check(&self) -> Result<()> {
        let texts = [
            ("event", &*self.event, EVENT_CHARACTERS_MAX),
            ("target_url", &*self.target_url, TARGET_CHARACTERS_MAX),
            (
                "name",
                self.name.as_deref().unwrap_or_default(),
                TEXT_CHARACTERS_MAX,
            ),
            (
                "secret",
                self.secret.as_deref().unwrap_or_default(),
                TEXT_CHARACTERS_MAX,
            ),
            (
                "api_version",
                &*self.api_version,
                API_VERSION_CHARACTERS_MAX,
            ),
        ];
        for (field, text, characters_max) in texts {
            if text.chars().count() > characters_max {
                return Err(invalid(
                    field,
                    format!("\"{field}\" of a webhook has at most {characters_max} characters."),
                ));
            }
        }
        // The error does not name the empty field (Ghost 6.65, observed).
        if self.event.is_empty() || self.target_url.is_empty() {
            return Err(Error::new(
                Kind::Validation,
                "A webhook needs \"event\" and \"target_url\".",
            ));
        }
        if self.event.chars().any(char::is_uppercase) {
            return Err(invalid(
                "event",
                "The event of a webhook must be in lower case, such as post.published.".to_owned(),
            ));
        }
        // Other URLs are accepted here as they are; the delivery decides whether it can reach them.
        let is_invalid = |character: char| character.is_whitespace() || character.is_control();
        if self.target_url.chars().any(is_invalid) {
            return Err(invalid(
                "target_url",
                format!("\"{}\" is not a valid URL.", self.target_url),
            ));
        }
        Ok(())
    }
}

fn invalid(property: &str, message: String) -> Error {
    Error::new(Kind::Validation, message).property(property)
}
