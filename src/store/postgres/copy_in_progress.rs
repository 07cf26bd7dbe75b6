//! The row about a copy that is filling the database: its source and its progress.

use std::fmt;

use tokio_postgres::Row;

use super::super::{RecordsDigest, StoreError};
use super::connection::{Connection, RequestError};

const COPY_IN_PROGRESS: &str =
    "SELECT source, revision, records, sha256, copied, table_name, key FROM galley_copy";

/// A copy in progress.
pub(super) struct CopyInProgress {
    /// The display name of the source.
    pub(super) source: Box<str>,
    pub(super) revision: u64,
    pub(super) digest: RecordsDigest,
    /// The number of records copied so far.
    pub(super) copied: u64,
    /// Table and key of the last copied record.
    pub(super) position: Option<(Box<str>, Vec<u8>)>,
}

impl CopyInProgress {
    /// Returns the copy in progress, if there is one.
    pub(super) fn find(connection: &Connection) -> Result<Option<Self>, RequestError> {
        let row = connection.run(connection.client.query_opt(COPY_IN_PROGRESS, &[]))?;
        row.map(|row| Self::read(&row)).transpose()
    }

    fn read(row: &Row) -> Result<Self, RequestError> {
        let number = |column| -> Result<u64, RequestError> {
            Ok(row.try_get::<_, i64>(column)?.cast_unsigned())
        };
        let sha256: &[u8] = row.try_get(3)?;
        let table: Option<&str> = row.try_get(5)?;
        let key: Option<Vec<u8>> = row.try_get(6)?;
        Ok(Self {
            source: row.try_get(0)?,
            revision: number(1)?,
            digest: RecordsDigest {
                records: number(2)?,
                // A hash of another length, written by another program, matches no source.
                sha256: sha256.try_into().unwrap_or_default(),
            },
            copied: number(4)?,
            // Both are null before the first batch.
            position: table.map(Into::into).zip(key),
        })
    }

    /// Returns whether both copies have the same records, regardless of their source.
    pub(super) fn has_same_records(&self, other: &Self) -> bool {
        (self.revision, self.digest) == (other.revision, other.digest)
    }

    /// Returns the description of the source for messages.
    pub(super) fn described_source(&self) -> String {
        let [first, second, third, fourth, ..] = self.digest.sha256;
        format!(
            "revision {} of {} with {} records (SHA-256 {first:02x}{second:02x}{third:02x}{fourth:02x}…)",
            self.revision, self.source, self.digest.records,
        )
    }
}

impl fmt::Display for CopyInProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.described_source();
        write!(formatter, "{} records of {source}", self.copied)
    }
}

/// Returns an error if another store is being copied into this one.
///
/// # Errors
///
/// `Incomplete`, with the progress of the copy.
pub(super) fn refuse_incomplete(
    connection: &Connection,
    database: &str,
) -> Result<(), RequestError> {
    match CopyInProgress::find(connection)? {
        None => Ok(()),
        Some(found) => Err(RequestError::Store(StoreError::Incomplete {
            store: database.into(),
            detail: found.to_string().into(),
        })),
    }
}
