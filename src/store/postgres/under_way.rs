//! The row that says which copy fills the database, and where it is.

use std::fmt;

use tokio_postgres::Row;

use super::super::{RecordsDigest, StoreError};
use super::connection::{Connection, RequestError};

const UNDER_WAY: &str =
    "SELECT source, revision, records, sha256, copied, table_name, key FROM galley_copy";

/// A copy that is under way.
pub(super) struct UnderWay {
    /// The name of the source, for people.
    pub(super) source: Box<str>,
    pub(super) revision: u64,
    pub(super) digest: RecordsDigest,
    /// The number of records here.
    pub(super) copied: u64,
    /// Table and key of the last one.
    pub(super) position: Option<(Box<str>, Vec<u8>)>,
}

impl UnderWay {
    /// Returns the one that the database has, if there is one.
    pub(super) fn find(connection: &Connection) -> Result<Option<Self>, RequestError> {
        let row = connection.run(connection.client.query_opt(UNDER_WAY, &[]))?;
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
                // That of a program with another hash is that of no source.
                sha256: sha256.try_into().unwrap_or_default(),
            },
            copied: number(4)?,
            position: table.map(Into::into).zip(key),
        })
    }

    /// Returns whether the records are the same, wherever they are.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        (self.revision, self.digest) == (other.revision, other.digest)
    }

    /// Names the source of the copy, for people.
    pub(super) fn named(&self) -> String {
        let [first, second, third, fourth, ..] = self.digest.sha256;
        format!(
            "revision {} of {} with {} records (SHA-256 {first:02x}{second:02x}{third:02x}{fourth:02x}…)",
            self.revision, self.source, self.digest.records,
        )
    }
}

impl fmt::Display for UnderWay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} records of {}", self.copied, self.named())
    }
}

/// Refuses a store that another one is being copied into.
///
/// # Errors
///
/// `Incomplete`.
pub(super) fn refuse_incomplete(
    connection: &Connection,
    database: &str,
) -> Result<(), RequestError> {
    match UnderWay::find(connection)? {
        None => Ok(()),
        Some(found) => Err(RequestError::Store(StoreError::Incomplete {
            store: database.into(),
            detail: found.to_string().into(),
        })),
    }
}
