//! Webhooks: where other programs want to be told that something happened (specification 2.8).

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest name of an event, in characters (Ghost 6.65, recorded).
pub const EVENT_CHARACTERS_MAX: usize = 50;

/// Longest address, in characters (Ghost 6.65, recorded).
pub const TARGET_CHARACTERS_MAX: usize = 2000;

/// Longest name and longest secret, in characters (Ghost 6.65, recorded).
pub const TEXT_CHARACTERS_MAX: usize = 191;

/// Longest version of the API, in characters (Ghost 6.65).
pub const API_VERSION_CHARACTERS_MAX: usize = 50;

/// The state of every webhook (specification 3.1).
pub const STATUS: &str = "available";

/// A subscription to one event.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Webhook {
    /// The record's identifier.
    pub id: Id,
    /// What it is told of, such as `post.published`. Nobody checks that there is such an event: clients subscribe to what
    /// other versions have (Ghost 6.65, recorded).
    pub event: Box<str>,
    /// Where it is told, as its maker wrote it.
    pub target_url: Box<str>,
    /// What its maker calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// What deliveries are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: OptionalText,
    /// The version of the API whose records it wants, such as `v6.65`.
    pub api_version: Box<str>,
    /// The integration that it belongs to, and goes with.
    pub integration: Id,
    /// When something was last delivered, or tried to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_at: Option<Timestamp>,
    /// The status that was answered then, as text; `None` when nobody answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_status: OptionalText,
    /// What went wrong then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_triggered_error: OptionalText,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl fmt::Debug for Webhook {
    /// Shows no secret: secrets do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("id", &self.id)
            .field("event", &self.event)
            .field("target_url", &self.target_url)
            .finish_non_exhaustive()
    }
}

impl Webhook {
    /// Checks what can be seen from the webhook alone.
    ///
    /// # Errors
    ///
    /// `Validation` for an event that is empty, too long or not in small letters, for an address that is empty, too long or
    /// has blanks, and for a name, a secret or a version that is too long.
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
        // What is empty is told by no name (Ghost 6.65, observed).
        if self.event.is_empty() || self.target_url.is_empty() {
            return Err(Error::new(
                Kind::Validation,
                "A webhook needs an event and a target URL.",
            ));
        }
        if self.event.chars().any(char::is_uppercase) {
            return Err(invalid(
                "event",
                "The event of a webhook is a name in small letters, such as post.published."
                    .to_owned(),
            ));
        }
        let is_no_address = |character: char| character.is_whitespace() || character.is_control();
        if self.target_url.chars().any(is_no_address) {
            return Err(invalid(
                "target_url",
                format!("\"{}\" is not an address.", self.target_url),
            ));
        }
        Ok(())
    }
}

fn invalid(property: &str, message: String) -> Error {
    Error::new(Kind::Validation, message).property(property)
}
