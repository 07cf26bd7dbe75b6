//! Identifiers of rows in an export, and the identifiers of their records here.

use crate::id::Id;

/// The identifier of a row in its file. Ghost uses identifiers in Galley's format; old files and files of other
/// programs use numbers or words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKey {
    /// An identifier in Galley's format, which the record keeps.
    Id(Id),
    /// A number or a word.
    Other(Box<str>),
}

impl RowKey {
    /// Parses a key.
    pub fn of(text: &str) -> Self {
        match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) => Self::Other(text.into()),
        }
    }

    /// Returns the key as written in the file.
    pub fn text(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Other(text) => text.to_string(),
        }
    }
}

/// Returns the identifier of the record for a row. An identifier that is derived depends on `kind` and `name` (a slug
/// or an e-mail address). So number 7 of one file differs from number 7 of another, and a second import finds the same
/// record.
pub fn record_id(kind: &str, key: Option<&RowKey>, name: &str) -> Id {
    match key {
        Some(RowKey::Id(id)) => *id,
        Some(RowKey::Other(text)) => Id::derive("imported", &format!("{kind}/{text}/{name}")),
        None => Id::derive("imported", &format!("{kind}//{name}")),
    }
}
