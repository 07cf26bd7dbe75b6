//! Notifications, shown to staff until each user has dismissed them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, permission::permissions};
use crate::{id::Id, render::html_escape::push_text};

permissions! {
    NOTIFICATIONS_BROWSE: "notifications", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    NOTIFICATIONS_ADD: "notifications", "add" => Yes, Yes, No, No, No, No, No;
    NOTIFICATIONS_DISMISS: "notifications", "dismiss" => Yes, Yes, Yes, Yes, No, No, No;
}

/// Longest name of a notification, in characters.
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest message, in characters.
pub const MESSAGE_CHARACTERS_MAX: usize = 10_000;

/// Maximum number of stored notifications; the oldest are removed.
pub const NOTIFICATIONS_MAX: usize = 100;

impl Notification {
    /// Returns an alert of the server itself, which coexists with others and can be dismissed.
    pub fn alert(name: &str, text: &str, now: Timestamp) -> Self {
        let mut message = String::new();
        // Escaped, because the admin app shows messages as HTML.
        push_text(&mut message, text);
        Self {
            name: name.into(),
            message: message.into(),
            kind: Some("alert".into()),
            custom: Some(true),
            top: Some(true),
            dismissible: true,
            location: "bottom".into(),
            status: "alert".into(),
            dismissed_by: Vec::new(),
            number: 0,
            created_at: now,
        }
    }
}

/// A notification (Ghost 6.65, observed).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// Its name: any text that the sender chose, or else an identifier.
    pub name: Box<str>,
    /// The message.
    pub message: Box<str>,
    /// Its type: `info`, `alert`, or another word of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: OptionalText,
    /// True if the notification coexists with others. Of the notifications that do not, only the
    /// last one is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<bool>,
    /// True if the notification is shown above others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<bool>,
    /// True if the notification can be dismissed.
    pub dismissible: bool,
    /// The position on the page.
    pub location: Box<str>,
    /// The style in which it is shown.
    pub status: Box<str>,
    /// The users who have dismissed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dismissed_by: Vec<Id>,
    /// Its number, which increases with time.
    pub number: u64,
    /// Time of creation.
    pub created_at: Timestamp,
}
