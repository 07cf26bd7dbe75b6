//! Removes deleted records that replicas no longer need, and expired counts of rate limits.

use crate::store::{StoreError, postgres::connection::Database};

/// Deletes old commits and deleted records. A replica that has not followed for a day is filled
/// again.
const FORGET: &str = "DELETE FROM galley_commits
         WHERE committed_at < now() - interval '1 day'
         AND revision < (SELECT revision FROM galley_store);
     DELETE FROM galley_records WHERE (table_name, key) IN (
         SELECT table_name, key FROM galley_records
         WHERE value IS NULL AND revision < (SELECT min(revision) FROM galley_commits)
         LIMIT 10000)";

/// Deletes expired counts.
const FORGET_COUNTS: &str = "DELETE FROM galley_limits WHERE expires_at <= now()";

/// Deletes the marks of deleted records, old commits, and expired counts.
pub(super) fn forget(database: &Database) -> Result<(), StoreError> {
    let statements = format!("{FORGET}; {}", FORGET_COUNTS);
    database
        .with_connection(|connection| connection.run(connection.client.batch_execute(&statements)))
}
