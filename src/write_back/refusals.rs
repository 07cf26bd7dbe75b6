//! The errors of edits that a file cannot store.

use crate::error::{Error, Kind};

/// Returns the error for a value that a file cannot store.
pub(super) fn cannot_store(path: &str, what: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("The file {path} cannot store {what}; nothing was changed."),
    )
    .help("Edit the file instead.")
}

/// Returns the error for an edit of a file that has changed in the folder.
pub(super) fn has_changed(path: &str) -> Error {
    Error::new(
        Kind::UpdateCollision,
        format!("The file {path} has just changed and is being read."),
    )
    .help("Read the post again and repeat the change.")
    .code("UPDATE_COLLISION")
}
