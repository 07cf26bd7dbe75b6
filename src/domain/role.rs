//! Roles: what a member of the staff may do.

use serde::{Deserialize, Serialize};

use crate::id::Id;

/// A role of the staff, under Ghost's name (specification 5.2; names as recorded from Ghost 6.65).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Everything; a site has one at most.
    Owner,
    /// Everything but what is the owner's alone.
    Administrator,
    /// All posts, all members and those who write.
    #[serde(rename = "Super Editor")]
    SuperEditor,
    /// All posts, and those who write.
    Editor,
    /// The own posts. Authors that content files describe are this.
    #[default]
    Author,
    /// Drafts of own posts.
    Contributor,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Administrator,
        Self::SuperEditor,
        Self::Editor,
        Self::Author,
        Self::Contributor,
    ];

    /// The word for it on the wire and in exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Administrator => "Administrator",
            Self::SuperEditor => "Super Editor",
            Self::Editor => "Editor",
            Self::Author => "Author",
            Self::Contributor => "Contributor",
        }
    }

    /// The identifier of the role, the same on every site.
    pub fn id(self) -> Id {
        Id::derive("role", self.name())
    }

    /// What it is, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Owner => "Owner of the site",
            Self::Administrator => "Everything but what is the owner's alone",
            Self::SuperEditor => "All posts, all members and those who write",
            Self::Editor => "All posts, and those who write",
            Self::Author => "The own posts",
            Self::Contributor => "Drafts of own posts",
        }
    }

    /// The role called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// For records: most users are authors, and records without a role are of authors.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
