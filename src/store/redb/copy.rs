//! A copy of a snapshot as a separate store: the same records with their revisions, in a new
//! file.
//!
//! redb cannot copy an open file, and copying the bytes is unsafe: pages change while they are
//! read. So the copy is logical: record by record, from a snapshot that no commit changes. It
//! contains no deleted data.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use ::redb::{Builder, Error, WriteTransaction};

use super::super::format::{self, FORMAT_KEY, FORMAT_VERSION, REVISION_KEY};
use super::super::{Keys, Snapshot, StoreError, Table};
use crate::store::redb::{
    panics::{close, guarded},
    tables::{MARK, definition, explain},
};

/// Page cache for the new file, in bytes.
pub const COPY_CACHE_BYTES: usize = 16 * 1024 * 1024;

/// Number of records that are copied between two calls of `advance`.
pub const COPY_STEP_RECORDS: u64 = 256;

/// Name of the new file in messages; it may have no path.
const COPY: &str = "copy of the store";

/// Writes everything in `snapshot` into the empty `file`, as a store of the same revision.
/// `advance` receives the number of bytes copied, and aborts with `Break`; the file is unusable
/// then.
///
/// The file is complete when this returns, but not yet flushed.
///
/// # Errors
///
/// The error of the snapshot; `Full` or `Io` if the file cannot be written.
pub fn write_copy(
    snapshot: &dyn Snapshot,
    file: &File,
    advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, StoreError> {
    let begun = guarded(|| -> Result<_, Error> {
        let database = Builder::new()
            .set_cache_size(COPY_CACHE_BYTES)
            .create_file(file.try_clone()?)?;
        let transaction = database.begin_write()?;
        Ok((database, transaction))
    });
    let (database, transaction) = begun.map_err(of_copy)?;
    let copied = copy_all(snapshot, &transaction, advance);
    let done = match copied {
        Ok(ControlFlow::Continue(())) => guarded(|| transaction.commit().map_err(Error::from))
            .map(ControlFlow::Continue)
            .map_err(of_copy),
        aborted => {
            drop(transaction);
            aborted
        }
    };
    // Before the caller uses the file: closing writes to it a last time.
    close(database);
    done
}

fn copy_all(
    snapshot: &dyn Snapshot,
    transaction: &WriteTransaction,
    advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, StoreError> {
    let marked = guarded(|| -> Result<(), Error> {
        let mut mark = transaction.open_table(MARK)?;
        mark.insert(FORMAT_KEY, FORMAT_VERSION)?;
        mark.insert(REVISION_KEY, snapshot.revision())?;
        Ok(())
    });
    marked.map_err(of_copy)?;
    let mut progress = CopyProgress {
        records: 0,
        bytes: 0,
        advance,
    };
    for table in Table::ALL {
        if copy_table(snapshot, transaction, table, &mut progress)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok((progress.advance)(progress.bytes))
}

fn copy_table(
    snapshot: &dyn Snapshot,
    transaction: &WriteTransaction,
    table: Table,
    progress: &mut CopyProgress<'_>,
) -> Result<ControlFlow<()>, StoreError> {
    let mut records = None;
    let mut record = Vec::new();
    // The visitor returns no error, so the error leaves the scan through this variable.
    let mut failed = None;
    let mut flow = ControlFlow::Continue(());
    snapshot.scan(table, &Keys::all(), &mut |key, revision, value| {
        format::begin_record(revision, &mut record);
        record.extend_from_slice(value);
        let written = guarded(|| -> Result<(), Error> {
            let records = match &mut records {
                Some(records) => records,
                // A table is created when it is first written to, as in the original.
                none => none.insert(transaction.open_table(definition(table))?),
            };
            records.insert(key, record.as_slice())?;
            Ok(())
        });
        flow = match written {
            Ok(()) => progress.add(key.len() + record.len()),
            Err(error) => {
                failed = Some(of_copy(error));
                ControlFlow::Break(())
            }
        };
        flow
    })?;
    failed.map_or(Ok(flow), Err)
}

struct CopyProgress<'a> {
    records: u64,
    bytes: u64,
    advance: &'a mut dyn FnMut(u64) -> ControlFlow<()>,
}

impl CopyProgress<'_> {
    fn add(&mut self, bytes: usize) -> ControlFlow<()> {
        self.records += 1;
        self.bytes += bytes as u64;
        if self.records.is_multiple_of(COPY_STEP_RECORDS) {
            (self.advance)(self.bytes)
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn of_copy(error: Error) -> StoreError {
    explain(Path::new(COPY), error)
}
