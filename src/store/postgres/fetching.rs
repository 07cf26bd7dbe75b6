//! Fetches all records of a database into a file, in steps. A file that was left incomplete is
//! continued from its last record.
//!
//! Records are fetched in the order of tables and keys, a limited number at a time, while other
//! processes may commit. The name of the file contains the commit that was the last one when the
//! file was begun. Records that were changed later are fetched again at the end, as for any
//! replica, so that the file has the state of one commit.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::super::begun_copies::BegunCopy;
use super::super::redb::{RecordKey, RedbStore, Replicated, ReplicatedCommit};
use super::super::{StoreError, Table};
use super::connection::{Connection, Database, RequestError};
use super::replica;
use super::statement_limits::VALUES_BYTES_MAX;

/// Selects the next records of a table, few enough to fit in memory.
const NEXT: &str = "SELECT key, revision, value FROM galley_records
     WHERE table_name = $1 AND key >= $2 AND value IS NOT NULL ORDER BY key LIMIT 64";

/// Checks whether the database still knows which records were deleted since a commit.
const IS_KNOWN: &str =
    "SELECT EXISTS (SELECT FROM galley_commits WHERE revision = $1 AND token = $2)";

/// A file with the records of a database.
pub(super) struct Fetched {
    pub(super) store: RedbStore,
    /// The number of records that were already in the file.
    pub(super) found: u64,
}

/// Fetches the records of `database` into a file in `folder`, or completes a file that was begun
/// earlier. `begins_again` deletes the earlier file instead. Commits after the file was begun may
/// be missing.
///
/// # Errors
///
/// `Unavailable` if the database cannot be read, `Full` or `Io` if the file cannot be written.
pub(super) fn fetch(
    database: &Database,
    folder: &Path,
    cache_bytes: usize,
    begins_again: bool,
) -> Result<Fetched, StoreError> {
    let failed = |source| StoreError::Io {
        store: folder.display().to_string().into(),
        source,
    };
    let last = database.with_connection(replica::last_commit)?;
    let mut begun = None;
    for copy in BegunCopy::all_in(folder).map_err(failed)? {
        // The newest file is listed first. Older files can no longer be needed, and unknown ones
        // may contain deleted records.
        let is_continued = !begins_again && begun.is_none() && is_known(database, &copy)?;
        if is_continued {
            begun = Some(copy)
        } else {
            fs::remove_file(&copy.path).map_err(failed)?
        }
    }
    let copy = begun.unwrap_or_else(|| BegunCopy::of(folder, (last.revision, last.token)));
    let store = replica::open_or_replace(&copy.path, cache_bytes)?;
    let (found, position) = store.end()?;
    // The commit is written only after the last record, so without it the file is incomplete.
    if store.replicated_commit()? == ReplicatedCommit::default() {
        fetch_records(database, &store, position)?;
        let (revision, token) = copy.commit;
        let base = ReplicatedCommit { revision, token };
        store.replicate(base, Replicated::Changes, None, true, |_| Ok(None))?;
    }
    Ok(Fetched { store, found })
}

/// Deletes the files that were begun in `folder`.
///
/// # Errors
///
/// If the operating system refuses.
pub(super) fn clear(folder: &Path) -> io::Result<()> {
    for copy in BegunCopy::all_in(folder)? {
        fs::remove_file(copy.path)?;
    }
    Ok(())
}

fn is_known(database: &Database, copy: &BegunCopy) -> Result<bool, StoreError> {
    let (revision, token) = copy.commit;
    database.with_connection(|connection| {
        let row = connection.run(
            connection
                .client
                .query_one(IS_KNOWN, &[&revision.cast_signed(), &token.cast_signed()]),
        )?;
        Ok(row.try_get(0)?)
    })
}

/// A record of the database.
struct FetchedRecord {
    key: RecordKey,
    revision: u64,
    value: Vec<u8>,
}

/// Fetches the records after `position` into the file, each time as many as fit in memory. If the connection ends, the same
/// records are fetched again on a new one.
fn fetch_records(
    database: &Database,
    store: &RedbStore,
    mut position: Option<RecordKey>,
) -> Result<(), StoreError> {
    loop {
        // Before the write to the file, which cannot be repeated with a new connection.
        let (mut records, flow) =
            database.with_connection(|connection| records_after(connection, position.as_ref()))?;
        let incomplete = ReplicatedCommit::default();
        store.replicate(incomplete, Replicated::Changes, None, true, |writer| {
            for record in &records {
                let (table, key) = &record.key;
                writer.put(*table, key, record.revision, |out| {
                    out.extend_from_slice(&record.value);
                    Ok(())
                })?;
            }
            Ok(None)
        })?;
        if flow.is_break() {
            return Ok(());
        }
        position = records.pop().map(|last| last.key).or(position);
    }
}

/// Returns some records after `position`, in the order of tables and keys. `Continue` if there may be more.
fn records_after(
    connection: &mut Connection,
    position: Option<&RecordKey>,
) -> Result<(Vec<FetchedRecord>, ControlFlow<()>), RequestError> {
    let statement = connection.prepared(NEXT)?;
    let tables = Table::ALL
        .into_iter()
        // Earlier tables are complete, because records are fetched in the order of `Table::ALL`.
        .skip_while(|table| position.is_some_and(|(first, _)| first != table));
    let mut records: Vec<FetchedRecord> = Vec::new();
    let mut bytes = 0;
    for table in tables {
        loop {
            if bytes >= VALUES_BYTES_MAX {
                return Ok((records, ControlFlow::Continue(())));
            }
            let last = records.last().map(|record| &record.key).or(position);
            let next = match last {
                // The least key after `key`: the bound of the statement is inclusive.
                Some((of, key)) if *of == table => [key, &[0][..]].concat(),
                _ => Vec::new(),
            };
            let client = &connection.client;
            let rows = connection.run(client.query(&statement, &[&table.name(), &next]))?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                let value: Vec<u8> = row.try_get(2)?;
                bytes += value.len();
                records.push(FetchedRecord {
                    key: (table, row.try_get(0)?),
                    revision: row.try_get::<_, i64>(1)?.cast_unsigned(),
                    value,
                });
            }
        }
    }
    Ok((records, ControlFlow::Break(())))
}
