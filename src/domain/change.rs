//! The change feed: the last change of each record that readers see.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::Id;

/// Maximum number of former slugs stored for a record.
pub const FORMER_SLUGS_MAX: usize = 16;

/// A kind of record that the Content API serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// Posts.
    Posts,
    /// Pages.
    Pages,
    /// Tags of posts that readers see.
    Tags,
    /// Users with published posts.
    Authors,
    /// Active tiers.
    Tiers,
    /// Active newsletters.
    Newsletters,
    /// Recommended sites.
    Recommendations,
    /// The settings of the site: one record, which always exists.
    Settings,
}

impl Resource {
    /// All resources, in the order in which they are listed.
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

    /// Returns the name on the wire, which is also the name of the list in the Content API.
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

    /// Returns the resource called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|resource| resource.name() == name)
    }
}

/// A record as the change feed identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangedRecord {
    /// Its resource.
    pub resource: Resource,
    /// Its identifier; [`Id::MIN`] for the settings.
    pub id: Id,
}

impl ChangedRecord {
    /// The settings of the site.
    pub const SETTINGS: Self = Self {
        resource: Resource::Settings,
        id: Id::MIN,
    };
}

/// The last change of one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The number of the change, which increases with each change of the site and is never reused.
    pub number: u64,
    /// The resource of the record.
    pub resource: Resource,
    /// The record's identifier.
    pub id: Id,
    /// The time of the change.
    pub at: Timestamp,
    /// True if readers no longer see the record.
    #[serde(default)]
    pub removed: bool,
    /// The number of the change that made the record visible to readers; 0 if it is no longer
    /// known.
    #[serde(default)]
    pub appeared: u64,
    /// The slug of the record, if it has one.
    #[serde(default)]
    pub slug: Option<Box<str>>,
    /// True if the record has a page on the site.
    #[serde(default)]
    pub has_page: bool,
    /// Former slugs, oldest first; at most [`FORMER_SLUGS_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_slugs: Vec<FormerSlug>,
}

impl Change {
    /// Returns the record that changed.
    pub fn subject(&self) -> ChangedRecord {
        ChangedRecord {
            resource: self.resource,
            id: self.id,
        }
    }
}

/// A former slug of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FormerSlug {
    /// The slug.
    pub slug: Box<str>,
    /// The number of the change by which the record lost it.
    pub until: u64,
}
