//! A read transaction of redb as a snapshot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::redb::{
    AccessGuard, Database, Error, Range, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    StorageError, TableError,
};

use super::super::{Keys, Record, Snapshot, StoreError, Table, Visit};
use super::REVISION_KEY;
use crate::store::redb::{
    panics::guarded,
    tables::{MARK, decode, definition, explain},
};

type Slice = &'static [u8];
type RecordEntry = (AccessGuard<'static, Slice>, AccessGuard<'static, Slice>);

/// The store after one commit.
pub(super) struct RedbSnapshot {
    transaction: ReadTransaction,
    revision: u64,
    path: Arc<Path>,
    /// Shared with the store; set when redb stops using the file.
    failed: Arc<AtomicBool>,
}

impl RedbSnapshot {
    pub(super) fn new(
        database: &Database,
        path: &Arc<Path>,
        failed: &Arc<AtomicBool>,
    ) -> Result<Self, StoreError> {
        let begun = guarded(|| begin(database));
        let (transaction, revision) = begun.map_err(|error| record_failure(path, failed, error))?;
        Ok(Self {
            transaction,
            revision,
            path: Arc::clone(path),
            failed: Arc::clone(failed),
        })
    }

    /// Returns the records of `table`, or `None` if the table was never written to.
    fn records(&self, table: Table) -> Result<Option<ReadOnlyTable<Slice, Slice>>, Error> {
        match self.transaction.open_table(definition(table)) {
            Ok(records) => Ok(Some(records)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn find(&self, table: Table, key: &[u8]) -> Result<Option<Record>, Error> {
        let Some(records) = self.records(table)? else {
            return Ok(None);
        };
        let Some(found) = records.get(key)? else {
            return Ok(None);
        };
        let (revision, value) = decode(found.value())?;
        Ok(Some(Record {
            revision,
            bytes: value.to_vec(),
        }))
    }

    fn entries(
        &self,
        table: Table,
        keys: &Keys,
    ) -> Result<Option<Range<'static, Slice, Slice>>, Error> {
        match (keys.bounds(), self.records(table)?) {
            (Some(bounds), Some(records)) => Ok(Some(records.range::<&[u8]>(bounds)?)),
            _ => Ok(None),
        }
    }

    fn record_failure(&self, error: Error) -> StoreError {
        record_failure(&self.path, &self.failed, error)
    }
}

impl Snapshot for RedbSnapshot {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError> {
        guarded(|| self.find(table, key)).map_err(|error| self.record_failure(error))
    }

    // Opens the table once and does not copy the values.
    fn visit_each(
        &self,
        table: Table,
        keys: &[Vec<u8>],
        visit: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        let records =
            guarded(|| self.records(table)).map_err(|error| self.record_failure(error))?;
        let Some(records) = records else {
            return Ok(());
        };
        for (index, key) in keys.iter().enumerate() {
            let record = guarded(|| read_record(&records, key));
            if let Some(record) = record.map_err(|error| self.record_failure(error.into()))? {
                let (_, value) =
                    decode(record.value()).map_err(|error| self.record_failure(error.into()))?;
                visit(index, value);
            }
        }
        Ok(())
    }

    fn scan(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        let entries =
            guarded(|| self.entries(table, keys)).map_err(|error| self.record_failure(error))?;
        let Some(mut entries) = entries else {
            return Ok(());
        };
        // The visitor runs outside the guard, because its panics are not redb's.
        while let Some((key, record)) =
            guarded(|| next(&mut entries)).map_err(|error| self.record_failure(error.into()))?
        {
            let (revision, value) =
                decode(record.value()).map_err(|error| self.record_failure(error.into()))?;
            if visit(key.value(), revision, value).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn begin(database: &Database) -> Result<(ReadTransaction, u64), Error> {
    let transaction = database.begin_read()?;
    let revision = transaction.open_table(MARK)?.get(REVISION_KEY)?;
    let revision = revision.map_or(0, |number| number.value());
    Ok((transaction, revision))
}

/// Returns the record under `key`, after reading it once under the guard, which catches panics.
fn read_record(
    records: &ReadOnlyTable<Slice, Slice>,
    key: &[u8],
) -> Result<Option<AccessGuard<'static, Slice>>, StorageError> {
    let record = records.get(key)?;
    if let Some(record) = &record {
        let _ = record.value();
    }
    Ok(record)
}

/// Returns the next entry, after reading its key and record once under the guard, which catches
/// panics.
fn next(entries: &mut Range<'static, Slice, Slice>) -> Result<Option<RecordEntry>, StorageError> {
    let entry = entries.next().transpose()?;
    if let Some((key, record)) = &entry {
        let _ = (key.value(), record.value());
    }
    Ok(entry)
}

/// Converts `error`, and records whether redb refuses all further calls until the file is reopened.
fn record_failure(path: &Path, failed: &AtomicBool, error: Error) -> StoreError {
    // redb continues to work after damage to one page: the rest of the file can still be read.
    if matches!(error, Error::Io(_) | Error::PreviousIo) {
        // Pairs with the `Acquire` load before the next access to the file.
        failed.store(true, Ordering::Release);
    }
    explain(path, error)
}
