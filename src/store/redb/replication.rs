//! Replication: the file as a copy of another store, whose records it stores with their revisions.
//!
//! Replicated commits may be lost in a crash unless they were written durably. The file then contains
//! an earlier commit of the other store, completely, and its number.

use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use ::redb::{
    Durability, Error, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
    TableError, WriteTransaction,
};

use super::super::format::{self, REVISION_KEY};
use super::super::{ChangedKeys, StoreError, Table};
use super::RedbStore;
use crate::store::redb::{
    panics::guarded,
    tables::{MARK, definition},
};

/// Key of the token of the last applied commit, in the table of the mark.
const TOKEN_KEY: &str = "commit";

/// Key of the number of tables that this program knew when it wrote the file.
const TABLES_KEY: &str = "tables";

/// The identity of the store that the file replicates, in a separate table.
const SOURCE: TableDefinition<'static, &str, &str> = TableDefinition::new("replicated_store");
const SOURCE_KEY: &str = "identity";

/// A commit of another store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct ReplicatedCommit {
    /// The number of the commit.
    pub revision: u64,
    /// A random number that the other store has for the commit. A store that was restored from a
    /// backup has different commits under the same numbers.
    pub token: u64,
}

/// Table and key of a record.
pub(in crate::store) type RecordKey = (Table, Vec<u8>);

/// The records that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Replicated {
    /// All records of the other store. The records in the file are deleted first.
    Everything,
    /// The changed records.
    Changes,
}

impl RedbStore {
    /// Returns the last commit in the file. Its number and token are 0 in a new file. The token is
    /// also 0 if the file may lack records.
    pub(in crate::store) fn replicated_commit(&self) -> Result<ReplicatedCommit, StoreError> {
        self.with_opened(|opened| {
            let read = || -> Result<ReplicatedCommit, Error> {
                let transaction = opened.database.begin_read()?;
                let mark = match transaction.open_table(MARK) {
                    Err(TableError::Storage(error)) => return Err(error.into()),
                    mark => mark?,
                };
                let number = |key| -> Result<u64, Error> {
                    Ok(mark.get(key)?.map_or(0, |number| number.value()))
                };
                // An older program did not apply the records of newer tables.
                let has_all_tables = number(TABLES_KEY)? == Table::ALL.len() as u64;
                Ok(ReplicatedCommit {
                    revision: number(REVISION_KEY)?,
                    token: if has_all_tables {
                        number(TOKEN_KEY)?
                    } else {
                        0
                    },
                })
            };
            guarded(read).map_err(|error| self.explain(error))
        })
    }

    /// Returns the identity of the store that the file replicates; `None` if no identity was written.
    pub(in crate::store) fn replicated_store(&self) -> Result<Option<String>, StoreError> {
        self.with_opened(|opened| {
            let read = || -> Result<_, Error> {
                let transaction = opened.database.begin_read()?;
                let source = match transaction.open_table(SOURCE) {
                    // An older program wrote no identity.
                    Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                    source => source?,
                };
                Ok(source
                    .get(SOURCE_KEY)?
                    .map(|identity| identity.value().to_owned()))
            };
            guarded(read).map_err(|error| self.explain(error))
        })
    }

    /// Returns the number of records in the file, and the last record in the order of tables and
    /// keys.
    pub(in crate::store) fn end(&self) -> Result<(u64, Option<RecordKey>), StoreError> {
        self.with_opened(|opened| {
            let read = || -> Result<_, Error> {
                let transaction = opened.database.begin_read()?;
                let (mut count, mut last) = (0, None);
                for table in Table::ALL {
                    let records = match transaction.open_table(definition(table)) {
                        Err(TableError::TableDoesNotExist(_)) => continue,
                        records => records?,
                    };
                    count += records.len()?;
                    if let Some((key, _)) = records.last()? {
                        last = Some((table, key.value().to_vec()));
                    }
                }
                Ok((count, last))
            };
            guarded(read).map_err(|error| self.explain(error))
        })
    }

    /// Changes the content of the file to `commit`, by the records that `write` puts and deletes.
    /// After an error, the file is unchanged. `source` is the identity of the other store, if it may
    /// have changed.
    ///
    /// # Errors
    ///
    /// The error of `write`; `Full` or `Io` if the file cannot be written.
    pub(in crate::store) fn replicate(
        &self,
        commit: ReplicatedCommit,
        replicated: Replicated,
        source: Option<&str>,
        is_durable: bool,
        write: impl FnOnce(&mut ReplicaWriter<'_>) -> Result<Option<Vec<ChangedKeys>>, StoreError>,
    ) -> Result<(), StoreError> {
        // Locked until the end, so that others see a commit only together with its keys.
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.with_opened(|opened| {
            self.release(opened)?;
            let begin = || -> Result<WriteTransaction, Error> {
                let mut transaction = opened.database.begin_write()?;
                if is_durable {
                    transaction.set_two_phase_commit(true);
                } else {
                    // Not flushed: commits that are lost in a crash are fetched from the other store
                    // again.
                    transaction.set_durability(Durability::None)?;
                }
                if replicated == Replicated::Everything {
                    for table in Table::ALL {
                        transaction.delete_table(definition(table))?;
                    }
                }
                let mut mark = transaction.open_table(MARK)?;
                mark.insert(REVISION_KEY, commit.revision)?;
                mark.insert(TOKEN_KEY, commit.token)?;
                mark.insert(TABLES_KEY, Table::ALL.len() as u64)?;
                drop(mark);
                if let Some(identity) = source {
                    transaction
                        .open_table(SOURCE)?
                        .insert(SOURCE_KEY, identity)?;
                }
                Ok(transaction)
            };
            // After any error, the file is reopened, because redb may have stopped using it.
            let transaction = guarded(begin).map_err(|error| self.stop_using(error))?;
            let mut writer = ReplicaWriter {
                store: self,
                transaction: &transaction,
                records: None,
                record: Vec::new(),
            };
            // After an error, the transaction is dropped without a commit, which leaves the file
            // unchanged.
            let keys = write(&mut writer)?;
            drop(writer);
            guarded(|| transaction.commit().map_err(Error::from))
                .map_err(|error| self.stop_using(error))?;
            Ok(keys)
        });
        match written {
            Ok(Some(keys)) => {
                recent.add_all(keys);
                Ok(())
            }
            Ok(None) => {
                recent.clear();
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Records that redb has stopped using the file after `error`.
    fn stop_using(&self, error: Error) -> StoreError {
        self.failed.store(true, Ordering::Release);
        self.explain(error)
    }

    fn explain(&self, error: Error) -> StoreError {
        super::tables::explain(&self.location.path, error)
    }
}

type RedbTable<'t> = ::redb::Table<'t, &'static [u8], &'static [u8]>;
type OpenTable<'t> = (Table, RedbTable<'t>);

/// Writes records of another store.
pub(in crate::store) struct ReplicaWriter<'t> {
    store: &'t RedbStore,
    transaction: &'t WriteTransaction,
    /// The table that was written to last.
    records: Option<OpenTable<'t>>,
    record: Vec<u8>,
}

impl ReplicaWriter<'_> {
    /// Writes a record of the commit `revision`. `append_value` appends its value to the buffer.
    pub(in crate::store) fn put(
        &mut self,
        table: Table,
        key: &[u8],
        revision: u64,
        append_value: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        format::begin_record(revision, &mut self.record);
        let appended = append_value(&mut self.record);
        let written = appended.map_err(Error::from).and_then(|()| {
            guarded(|| {
                Self::table(self.transaction, &mut self.records, table)?
                    .insert(key, self.record.as_slice())?;
                Ok(())
            })
        });
        written.map_err(|error| self.store.stop_using(error))
    }

    /// Deletes a record, if there is one.
    pub(in crate::store) fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), StoreError> {
        let deleted = guarded(|| -> Result<(), Error> {
            Self::table(self.transaction, &mut self.records, table)?.remove(key)?;
            Ok(())
        });
        deleted.map_err(|error| self.store.stop_using(error))
    }

    fn table<'t, 'r>(
        transaction: &'t WriteTransaction,
        records: &'r mut Option<OpenTable<'t>>,
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
