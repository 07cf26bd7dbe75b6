//! The history of content files in a repository: first author and dates of each.
//!
//! The history supplies missing dates and authors of posts and pages, if the operator enables it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

/// The history of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHistory {
    /// The time of its first commit.
    pub created_at: Timestamp,
    /// The time of the last change of its content.
    pub updated_at: Timestamp,
    /// The name of its first author.
    pub author: String,
    /// The e-mail address of its first author.
    pub author_email: String,
}

/// The history of all files of a folder, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(pub BTreeMap<String, FileHistory>);

impl History {
    /// Returns the history of the file at `path`.
    pub fn of(&self, path: &str) -> Option<&FileHistory> {
        self.0.get(path)
    }

    /// Returns a text that changes with the history of the file at `path`; empty without a history.
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
