//! The last measured size of the tables, which can be read without waiting for the database.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::super::StoreError;
use super::connection::Database;
use crate::store::postgres::locks::lock;

const SIZE: &str = "SELECT (pg_total_relation_size('galley_records')
     + pg_total_relation_size('galley_commits') + pg_total_relation_size('galley_store'))::bigint";

/// Interval of measurements.
const EVERY: Duration = Duration::from_secs(30);

/// The size of the tables at the last measurement.
#[derive(Default)]
pub(super) struct StoreSize(Mutex<Option<Measured>>);

#[derive(Clone, Copy)]
struct Measured {
    bytes: u64,
    at: Instant,
}

impl StoreSize {
    /// Returns the last measured size, in bytes; `None` before the first measurement.
    pub(super) fn bytes(&self) -> Option<u64> {
        lock(&self.0).map(|measured| measured.bytes)
    }

    /// Measures the size again if that is due. After a failure, the last size is retained, and the next call
    /// tries again.
    pub(super) fn update(&self, database: &Database) {
        // Copied, so that the lock is not held during the request and `bytes` never waits for the
        // database.
        let measured = *lock(&self.0);
        if measured.is_some_and(|measured| measured.at.elapsed() < EVERY) {
            return;
        }
        match size_bytes(database) {
            Ok(bytes) => {
                let at = Instant::now();
                *lock(&self.0) = Some(Measured { bytes, at });
            }
            Err(error) => tracing::debug!(%error, "the size of the tables could not be measured"),
        }
    }
}

/// Returns the size of the tables, in bytes.
pub(super) fn size_bytes(database: &Database) -> Result<u64, StoreError> {
    database.with_connection(|connection| {
        let row = connection.run(connection.client.query_one(SIZE, &[]))?;
        Ok(row.try_get::<_, i64>(0)?.cast_unsigned())
    })
}
