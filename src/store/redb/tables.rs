//! Tables of the file, and conversion of redb's errors.

use std::{io, path::Path};

use ::redb::{Error, StorageError, TableDefinition};

use crate::store::{
    StoreError, Table,
    format::{self, MARK_TABLE},
    is_out_of_space,
};

pub(super) const MARK: TableDefinition<'static, &str, u64> = TableDefinition::new(MARK_TABLE);

pub(super) type Records = TableDefinition<'static, &'static [u8], &'static [u8]>;

pub(super) fn definition(table: Table) -> Records {
    TableDefinition::new(table.name())
}

pub(super) fn decode(record: &[u8]) -> Result<(u64, &[u8]), StorageError> {
    format::decode_record(record)
        .ok_or_else(|| StorageError::Corrupted("a record is too short".to_owned()))
}

/// Converts a redb error into one with advice for the operator of the store at `path`.
pub(super) fn explain(path: &Path, error: Error) -> StoreError {
    let store = name(path);
    match error {
        Error::Io(source) => match source.kind() {
            kind if is_out_of_space(kind) => StoreError::Full { store },
            io::ErrorKind::UnexpectedEof => StoreError::Damaged {
                store,
                detail: "it ends too early".to_owned(),
            },
            _ => StoreError::Io { store, source },
        },
        Error::Corrupted(detail) => StoreError::Damaged { store, detail },
        // Galley has never written an older file format of redb.
        Error::UpgradeRequired(_) => StoreError::NotAStore { store },
        Error::DatabaseAlreadyOpen => StoreError::InUse { store },
        // Snapshots that were taken before the file was reopened belong to the closed database.
        Error::DatabaseClosed => StoreError::Io {
            store,
            source: io::Error::other("it was opened again after a failure; take a new snapshot"),
        },
        other => StoreError::Io {
            store,
            source: io::Error::other(other.to_string()),
        },
    }
}

/// Returns the name of the store at `path` in messages.
pub(super) fn name(path: &Path) -> Box<str> {
    path.display().to_string().into()
}
