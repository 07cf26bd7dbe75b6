//! Builds a store from records with their revisions, in a new file.

use std::fs::File;
use std::path::Path;

use ::redb::{Builder, Error, WriteTransaction};

use super::super::format::{self, FORMAT_KEY, FORMAT_VERSION, REVISION_KEY};
use super::super::{StoreError, Table};
use super::COPY_CACHE_BYTES;
use crate::store::redb::{
    panics::{close, guarded},
    tables::{MARK, definition, explain},
};

/// Name of the new file in messages; it may have no path.
const REBUILT: &str = "that is restored";

type RedbTable<'t> = ::redb::Table<'t, &'static [u8], &'static [u8]>;

/// Writes the records that `write` puts, in any order, into the empty `file`, as a store of this
/// revision.
///
/// The file is complete when this returns, but not yet flushed.
///
/// # Errors
///
/// The error of `write`; `Full` or `Io` if the file cannot be written. The file is unusable then.
pub fn write_records<E: From<StoreError>>(
    file: &File,
    revision: u64,
    write: impl FnOnce(&mut RecordWriter<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let begun = guarded(|| -> Result<_, Error> {
        let database = Builder::new()
            .set_cache_size(COPY_CACHE_BYTES)
            .create_file(file.try_clone()?)?;
        let transaction = database.begin_write()?;
        let mut mark = transaction.open_table(MARK)?;
        mark.insert(FORMAT_KEY, FORMAT_VERSION)?;
        mark.insert(REVISION_KEY, revision)?;
        drop(mark);
        Ok((database, transaction))
    });
    let (database, transaction) = begun.map_err(failed)?;
    let mut writer = RecordWriter {
        transaction: &transaction,
        records: None,
        record: Vec::new(),
    };
    let written = write(&mut writer);
    drop(writer);
    let done = match written {
        Ok(()) => guarded(|| transaction.commit().map_err(Error::from))
            .map_err(|error| E::from(failed(error))),
        aborted => {
            drop(transaction);
            aborted
        }
    };
    // Before the caller uses the file: closing writes to it a last time.
    close(database);
    done
}

/// Puts and deletes records of a store that is being built.
pub struct RecordWriter<'t> {
    transaction: &'t WriteTransaction,
    /// The table that was written to last.
    records: Option<(Table, RedbTable<'t>)>,
    record: Vec<u8>,
}

impl<'t> RecordWriter<'t> {
    /// Puts a record that the commit `revision` wrote, replacing an earlier one.
    ///
    /// # Errors
    ///
    /// `Full` or `Io` if the file cannot be written.
    pub fn put(
        &mut self,
        table: Table,
        key: &[u8],
        revision: u64,
        value: &[u8],
    ) -> Result<(), StoreError> {
        format::begin_record(revision, &mut self.record);
        self.record.extend_from_slice(value);
        let written = guarded(|| -> Result<(), Error> {
            Self::table(self.transaction, &mut self.records, table)?
                .insert(key, self.record.as_slice())?;
            Ok(())
        });
        written.map_err(failed)
    }

    /// Deletes a record, if there is one.
    ///
    /// # Errors
    ///
    /// `Full` or `Io` if the file cannot be written.
    pub fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), StoreError> {
        let deleted = guarded(|| -> Result<(), Error> {
            Self::table(self.transaction, &mut self.records, table)?.remove(key)?;
            Ok(())
        });
        deleted.map_err(failed)
    }

    fn table<'r>(
        transaction: &'t WriteTransaction,
        records: &'r mut Option<(Table, RedbTable<'t>)>,
        table: Table,
    ) -> Result<&'r mut RedbTable<'t>, Error> {
        if records.as_ref().is_none_or(|(open, _)| *open != table) {
            // redb opens a table only once at a time, so the last one is closed first.
            *records = None;
            *records = Some((table, transaction.open_table(definition(table))?));
        }
        let (_, records) = records
            .as_mut()
            .ok_or_else(|| Error::TableDoesNotExist(table.name().into()))?;
        Ok(records)
    }
}

fn failed(error: Error) -> StoreError {
    explain(Path::new(REBUILT), error)
}
