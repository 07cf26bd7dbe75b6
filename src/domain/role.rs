//! Roles of staff users.

use serde::{Deserialize, Serialize};

use crate::id::Id;

/// A role of a staff user, with Ghost's name (specification 5.2; names as recorded from Ghost
/// 6.65).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// All rights; a site has at most one owner.
    Owner,
    /// All rights except those reserved for the owner.
    Administrator,
    /// All posts, all members, and users who only write.
    #[serde(rename = "Super Editor")]
    SuperEditor,
    /// All posts, and users who only write.
    Editor,
    /// The user's own posts. Authors from content files have this role.
    #[default]
    Author,
    /// Drafts of the user's own posts.
    Contributor,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Administrator,
        Self::SuperEditor,
        Self::Editor,
        Self::Author,
        Self::Contributor,
    ];

    /// Returns the name on the wire and in exports.
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

    /// Returns the identifier of the role, the same on every site.
    pub fn id(self) -> Id {
        Id::derive("role", self.name())
    }

    /// Returns a short description. It is part of responses and stays the same across versions.
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

    /// Returns the role called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns whether the role is omitted from stored records. Most users are authors, and a
    /// record without a role is an author.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
