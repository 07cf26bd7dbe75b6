//! The error of an edit that is refused.

use std::fmt;

/// An edit that a file cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct EditError {
    /// The key whose value would not be read back; `None` if it is the body or the whole file.
    pub key: Option<String>,
    /// The reason, for the operator: `invalid YAML: …`.
    pub reason: String,
}

impl EditError {
    pub(super) fn of_key(key: &str, reason: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            reason: reason.into(),
        }
    }

    pub(super) fn of_file(reason: impl Into<String>) -> Self {
        Self {
            key: None,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(formatter, "`{key}`: {}", self.reason),
            None => formatter.write_str(&self.reason),
        }
    }
}
