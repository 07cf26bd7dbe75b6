//! Recommendations: other sites that this one points its readers to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OptionalText;
use crate::id::Id;

/// A recommendation (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The record's identifier.
    pub id: Id,
    /// What the other site is called.
    pub title: Box<str>,
    /// Why it is recommended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// What the other site says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: OptionalText,
    /// Address of a picture, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub featured_image: OptionalText,
    /// Address of a small picture, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub favicon: OptionalText,
    /// Where the other site is; no two recommendations lead to one address.
    pub url: Box<str>,
    /// Whether its newsletter can be subscribed to from here.
    #[serde(default)]
    pub one_click_subscribe: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
