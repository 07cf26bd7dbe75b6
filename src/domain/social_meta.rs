//! Metadata for search engines and social networks, which posts, pages and tags share.

use serde::{Deserialize, Serialize};

use super::OptionalText;

/// Metadata for search engines and social networks. Its fields are stored as fields of the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SocialMeta {
    /// Title for search engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta_title: OptionalText,
    /// Description for search engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta_description: OptionalText,
    /// Image for Open Graph, in stored form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_image: OptionalText,
    /// Title for Open Graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_title: OptionalText,
    /// Description for Open Graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub og_description: OptionalText,
    /// Image for X cards, in stored form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_image: OptionalText,
    /// Title for X cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_title: OptionalText,
    /// Description for X cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter_description: OptionalText,
}
