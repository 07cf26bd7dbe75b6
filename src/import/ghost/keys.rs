//! What rows of an export are known by, and the identifiers that their records have here.

use crate::id::Id;

/// What a row is known by in its file. Ghost uses identifiers like Galley's; files that other programs made, and old ones,
/// use numbers or words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// An identifier, which the record keeps.
    Id(Id),
    /// Something else.
    Other(Box<str>),
}

impl Key {
    /// The key that is written like this.
    pub fn of(text: &str) -> Self {
        match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) => Self::Other(text.into()),
        }
    }

    /// The key as it is written.
    pub fn text(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Other(text) => text.to_string(),
        }
    }
}

/// The identifier of the record that a row of the kind `kind` becomes. One that is derived takes in `name` (a slug or an
/// e-mail address), so that number 7 of one file is not number 7 of another, and a second run finds the same record.
pub fn record_id(kind: &str, key: Option<&Key>, name: &str) -> Id {
    match key {
        Some(Key::Id(id)) => *id,
        Some(Key::Other(text)) => Id::derive("imported", &format!("{kind}/{text}/{name}")),
        None => Id::derive("imported", &format!("{kind}//{name}")),
    }
}
