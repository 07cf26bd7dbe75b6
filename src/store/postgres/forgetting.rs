//! Removes deleted records that no replica needs any more, and expired counts of rate limits.

use crate::store::{StoreError, postgres::connection::Database};

/// The deletions that are forgotten: a replica that has not seen the deletion within a day is
/// filled again.
const FORGET: &str = "DELETE FROM galley_commits
         WHERE committed_at < now() - interval '1 day'
         AND revision < (SELECT revision FROM galley_store);
     DELETE FROM galley_records WHERE (table_name, key) IN (
         SELECT table_name, key FROM galley_records
         WHERE value IS NULL AND revision < (SELECT min(revision) FROM galley_commits)
         LIMIT 10000)";

/// The statement that deletes the counts whose lifetime is over.
const FORGET_COUNTS: &str = "DELETE FROM galley_limits WHERE expires_at <= now()";

/// Forgets deleted records, old commits, and counts whose lifetime is over.
pub(super) fn forget(database: &Database) -> Result<(), StoreError> {
    let statements = format!("{FORGET}; {}", FORGET_COUNTS);
    database
        .with_connection(|connection| connection.run(connection.client.batch_execute(&statements)))
}
