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
use super::super::redb::{RecordKey, RedbStore, ReplicaWriter, Replicated, ReplicatedCommit};
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
        let mut step = Step {
            store: &store,
            position,
        };
        while step.fetch(database)?.is_continue() {}
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

/// Fetches the records of one commit of the file.
struct Step<'s> {
    store: &'s RedbStore,
    /// The last fetched record.
    position: Option<RecordKey>,
}

impl Step<'_> {
    /// Fetches some records, and returns whether there may be more.
    fn fetch(&mut self, database: &Database) -> Result<ControlFlow<()>, StoreError> {
        let (mut connection, ()) = database.begin(|_| Ok(()))?;
        let mut position = self.position.clone();
        let mut flow = ControlFlow::Continue(());
        let new = ReplicatedCommit::default();
        self.store
            .replicate(new, Replicated::Changes, None, true, |writer| {
                let fetched = fetch_some(&mut connection, writer, &mut position);
                flow = fetched.map_err(|error| database.explain(error))?;
                Ok(None)
            })?;
        database.keep(connection);
        // Only after the file has the records, so that a failed step is repeated from the earlier
        // position.
        self.position = position;
        Ok(flow)
    }
}

fn fetch_some(
    connection: &mut Connection,
    writer: &mut ReplicaWriter<'_>,
    position: &mut Option<RecordKey>,
) -> Result<ControlFlow<()>, RequestError> {
    let statement = connection.prepared(NEXT)?;
    let begins_at = position.as_ref().map(|(table, _)| *table);
    let tables = Table::ALL
        .into_iter()
        // Earlier tables are complete, because records are fetched in the order of `Table::ALL`.
        .skip_while(|table| begins_at.is_some_and(|first| first != *table));
    let mut bytes = 0;
    for table in tables {
        loop {
            if bytes >= VALUES_BYTES_MAX {
                return Ok(ControlFlow::Continue(()));
            }
            let next = match position {
                // The least key after `key`: the bound of the statement is inclusive.
                Some((of, key)) if *of == table => [key, &[0][..]].concat(),
                _ => Vec::new(),
            };
            let client = &connection.client;
            let rows = connection.run(client.query(&statement, &[&table.name(), &next]))?;
            let Some(last) = rows.last() else {
                break;
            };
            *position = Some((table, last.try_get(0)?));
            for row in &rows {
                let value: &[u8] = row.try_get(2)?;
                bytes += value.len();
                let revision = row.try_get::<_, i64>(1)?.cast_unsigned();
                writer.put(table, row.try_get(0)?, revision, |out| {
                    out.extend_from_slice(value);
                    Ok(())
                })?;
            }
        }
    }
    Ok(ControlFlow::Break(()))
}
