//! Tags: public ones, and internal ones whose name starts with `#`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    OptionalText, origin::RecordOrigin, permission::permissions, record::record,
    social_meta::SocialMeta,
};
use crate::id::Id;

/// A tag (specification 2.5).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tag {
    /// The record's identifier.
    pub id: Id,
    /// The last segment of its URL, unique among tags.
    pub slug: Box<str>,
    /// The name that readers see.
    pub name: Box<str>,
    /// True if the tag is internal: it organises posts and has no URL.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: OptionalText,
    /// URL of its feature image, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image: OptionalText,
    /// Titles, descriptions and images for search engines and social networks.
    #[serde(flatten)]
    pub social: SocialMeta,
    /// HTML for the page's head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_head: OptionalText,
    /// HTML for the page's foot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codeinjection_foot: OptionalText,
    /// The canonical URL, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_url: OptionalText,
    /// A colour for themes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accent_color: OptionalText,
    /// The content file that the tag comes from, if any.
    #[serde(
        rename = "source",
        default,
        skip_serializing_if = "RecordOrigin::is_store"
    )]
    pub origin: RecordOrigin,
    /// True if the tag exists only because content files name it. It is removed when no file names
    /// it any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implied: bool,
}

record!(Tag, "tag", |tag| &tag.name, |tag| &tag.slug);

permissions! {
    TAGS_BROWSE: "tags", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    TAGS_READ: "tags", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    TAGS_ADD: "tags", "add" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TAGS_EDIT: "tags", "edit" => Yes, Yes, Yes, Yes, No, No, Yes;
    TAGS_DELETE: "tags", "delete" => Yes, Yes, Yes, Yes, No, No, Yes;
}

impl Tag {
    /// Returns a tag with a name and a slug only.
    pub fn new(id: Id, slug: &str, name: &str, now: Timestamp) -> Self {
        Self {
            id,
            slug: slug.into(),
            name: name.into(),
            internal: is_internal(name),
            created_at: now,
            updated_at: now,
            description: None,
            feature_image: None,
            social: SocialMeta::default(),
            codeinjection_head: None,
            codeinjection_foot: None,
            canonical_url: None,
            accent_color: None,
            origin: RecordOrigin::Store,
            implied: false,
        }
    }

    /// Returns the name of its visibility (specification 3.1).
    pub fn visibility(&self) -> &'static str {
        if self.internal { "internal" } else { "public" }
    }
}

/// Returns whether a tag of this name is internal: `#draft-ideas` is, `C#` is not.
pub fn is_internal(name: &str) -> bool {
    name.starts_with('#')
}
