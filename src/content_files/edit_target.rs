//! The target of edits of content files.

use serde::{Deserialize, Serialize};

/// The target of edits of content files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteBack {
    /// Edits are not written: posts of content files change only with their files.
    #[default]
    Off,
    /// Into the folder.
    Folder,
    /// Into the folder, and into commits of the repository that contains it.
    Commit,
    /// Into commits, which are pushed to the branch.
    Push,
}

/// The names of all targets.
pub const WRITE_BACKS: [&str; 4] = ["off", "folder", "commit", "push"];

impl WriteBack {
    /// Returns the name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Folder => "folder",
            Self::Commit => "commit",
            Self::Push => "push",
        }
    }

    /// Returns the target called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Off, Self::Folder, Self::Commit, Self::Push];
        all.into_iter().find(|target| target.name() == name)
    }

    /// Returns whether edits change files at all.
    pub fn writes_files(self) -> bool {
        self != Self::Off
    }
}
