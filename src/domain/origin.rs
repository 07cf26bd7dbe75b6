//! The origin of a record.

use serde::{Deserialize, Serialize};

/// The origin of a record, which determines how it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<Box<str>>", into = "Option<Box<str>>")]
pub enum RecordOrigin {
    /// The record was created in the store, and is changed there.
    #[default]
    Store,
    /// The record was created from a content file, and changes with it. Staff can change it only if
    /// edits are written back to files.
    File {
        /// The path in the content folder.
        path: Box<str>,
    },
}

impl RecordOrigin {
    /// Returns the path of the content file, if the record comes from one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Store => None,
            Self::File { path } => Some(path),
        }
    }

    /// Returns whether the record comes from a content file.
    pub fn is_file(&self) -> bool {
        self.path().is_some()
    }

    /// Returns whether the record was created in the store.
    pub fn is_store(&self) -> bool {
        !self.is_file()
    }
}

impl From<Option<Box<str>>> for RecordOrigin {
    fn from(path: Option<Box<str>>) -> Self {
        path.map_or(Self::Store, |path| Self::File { path })
    }
}

impl From<RecordOrigin> for Option<Box<str>> {
    fn from(origin: RecordOrigin) -> Self {
        match origin {
            RecordOrigin::Store => None,
            RecordOrigin::File { path } => Some(path),
        }
    }
}

impl From<&str> for RecordOrigin {
    fn from(path: &str) -> Self {
        Self::File { path: path.into() }
    }
}
