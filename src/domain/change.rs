//! What readers see otherwise than before: the last change of each record, as the change feed tells it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::Id;

/// How many slugs that a record had before are remembered.
pub const FORMER_SLUGS_MAX: usize = 16;

/// A kind of record that the Content API serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Posts.
    Posts,
    /// Pages.
    Pages,
    /// Tags that readers see posts of.
    Tags,
    /// Users who have published.
    Authors,
    /// Tiers that are open.
    Tiers,
    /// Newsletters that are sent.
    Newsletters,
    /// Other sites that are recommended.
    Recommendations,
    /// What is said about the whole site: one record, which is always there.
    Settings,
}

impl Resource {
    /// Every kind, in the order in which all that there is is listed.
    pub const ALL: [Self; 8] = [
        Self::Posts,
        Self::Pages,
        Self::Tags,
        Self::Authors,
        Self::Tiers,
        Self::Newsletters,
        Self::Recommendations,
        Self::Settings,
    ];

    /// The name on the wire: that of the list in the Content API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Pages => "pages",
            Self::Tags => "tags",
            Self::Authors => "authors",
            Self::Tiers => "tiers",
            Self::Newsletters => "newsletters",
            Self::Recommendations => "recommendations",
            Self::Settings => "settings",
        }
    }

    /// The kind called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|resource| resource.name() == name)
    }
}

/// A record as far as the change feed names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Its kind.
    pub resource: Resource,
    /// Its identifier; [`Id::MIN`] for the settings, which have none.
    pub id: Id,
}

impl Subject {
    /// The settings of the site.
    pub const SETTINGS: Self = Self {
        resource: Resource::Settings,
        id: Id::MIN,
    };
}

/// The last change of one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its place among all changes of the site: later ones have higher numbers, and none is given twice.
    pub number: u64,
    /// The kind of the record.
    pub resource: Resource,
    /// The record's identifier.
    pub id: Id,
    /// When it happened.
    pub at: Timestamp,
    /// Whether readers see the record no more.
    #[serde(default)]
    pub removed: bool,
    /// The number of the change by which readers came to see the record; 0 when that is not known any more.
    #[serde(default)]
    pub appeared: u64,
    /// The slug of the record, when it has one.
    #[serde(default)]
    pub slug: Option<Box<str>>,
    /// Whether it has a page of its own on the site.
    #[serde(default)]
    pub has_page: bool,
    /// Slugs that it had, in the order in which it had them; at most [`FORMER_SLUGS_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_slugs: Vec<FormerSlug>,
}

impl Change {
    /// The record that changed.
    pub fn subject(&self) -> Subject {
        Subject {
            resource: self.resource,
            id: self.id,
        }
    }
}

/// A slug that a record had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormerSlug {
    /// The slug.
    pub slug: Box<str>,
    /// The number of the change by which the record lost it.
    pub until: u64,
}
