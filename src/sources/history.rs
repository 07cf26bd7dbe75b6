//! What the history of a repository tells of content files: who wrote each first, and when it was last changed.
//!
//! It stands in for what the front matter of posts and pages does not say, where the operator wants that.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

/// What the history tells of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHistory {
    /// When it was first there.
    pub created_at: Timestamp,
    /// When its content was last changed.
    pub updated_at: Timestamp,
    /// The name of who wrote it first.
    pub author: String,
    /// The e-mail address of who wrote it first.
    pub author_email: String,
}

/// The history of all files of a folder, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(pub BTreeMap<String, FileHistory>);

impl History {
    /// Returns what the history says of the file at `path`.
    pub fn of(&self, path: &str) -> Option<&FileHistory> {
        self.0.get(path)
    }

    /// What decides how the file at `path` is read: other texts for other histories.
    pub fn fingerprint(&self, path: &str) -> String {
        self.of(path).map_or_else(String::new, |history| {
            let FileHistory {
                created_at,
                updated_at,
                author,
                author_email,
            } = history;
            format!("{created_at}\n{updated_at}\n{author}\n{author_email}")
        })
    }
}
