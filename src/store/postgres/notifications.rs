//! Determines whether a database sends notifications of commits.

use crate::store::{StoreError, postgres::connection::Database};

/// Returns whether the database supports notifications: distributed databases may not.
pub(super) fn is_supported(database: &Database) -> Result<bool, StoreError> {
    database.with_connection(|connection| {
        match connection.run(
            connection
                .client
                .batch_execute("LISTEN galley; UNLISTEN galley"),
        ) {
            Ok(()) => Ok(true),
            Err(error) if error.is_of_unknown_feature() => Ok(false),
            Err(error) => Err(error),
        }
    })
}
