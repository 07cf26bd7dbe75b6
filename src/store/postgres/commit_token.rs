//! Tokens of commits.

use std::io;

use crate::store::StoreError;

/// Returns a random number for a commit, which is never 0.
pub(super) fn new_token() -> Result<u64, StoreError> {
    let token = getrandom::u64().map_err(random_number_error)?;
    // A token of 0 marks a replica that may lack records (`replicated_commit`).
    Ok(token.max(1))
}

/// Returns the error for a system that provides no random numbers.
pub(super) fn random_number_error(error: getrandom::Error) -> StoreError {
    StoreError::Io {
        store: "random numbers".into(),
        source: io::Error::other(error),
    }
}
