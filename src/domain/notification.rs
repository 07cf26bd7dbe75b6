//! Notifications: what is told to the staff until each has put it away.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::id::Id;

/// Longest name by which a notification is known, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest message, in characters.
pub const MESSAGE_CHARACTERS_MAX: usize = 10_000;

/// Most notifications that are kept: the oldest go.
pub const NOTIFICATIONS_MAX: usize = 100;

/// A notification (Ghost 6.65, observed).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// What it is known by: any text that its sender chose, else an identifier.
    pub name: Box<str>,
    /// What is said.
    pub message: Box<str>,
    /// How it is meant: `info`, `alert`, or another word of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: OptionalText,
    /// Whether it is one of many. Of those that are not, the last one alone is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<bool>,
    /// Whether it comes above others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<bool>,
    /// Whether it can be put away.
    pub dismissible: bool,
    /// Where it is shown.
    pub location: Box<str>,
    /// How it is shown.
    pub status: Box<str>,
    /// The users who have put it away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dismissed_by: Vec<Id>,
    /// Its place: the later, the greater.
    pub number: u64,
    /// When it came.
    pub created_at: Timestamp,
}
