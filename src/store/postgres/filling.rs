//! Filling a database with the records of another store, with their revisions.
//!
//! The records are sent in batches. Each batch is a transaction that also records the progress of
//! the copy, so an interrupted copy continues after its last batch. Until all records have been read
//! back and compared, the row of the store marks the copy as in progress: no process opens the store
//! or commits to it, and its revision is 0. One transaction then turns the copy into the store of
//! the site.

use std::ops::{Bound, ControlFlow};
use std::thread;
use std::time::{Duration, Instant};

use super::super::digest::RecordsHasher;
use super::super::redb::{RecordKey, ReplicatedCommit};
use super::super::{Keys, RecordsDigest, Snapshot, StoreError, Table};
use super::commit::{self, LockedStore};
use super::connection::{Connection, Database, PostgresUrl, RequestError};
use super::copy_in_progress::CopyInProgress;
use super::schema;
use super::statement_limits::{ROWS_MAX, VALUES_BYTES_MAX};
use super::{commit_token, notifications};

/// Takes the session's exclusive right to copy into this store, if it is free. The right ends with
/// the session.
const CLAIM: &str =
    "SELECT pg_try_advisory_lock(1734437990, 'galley_copy'::regclass::oid::integer)";

/// Lets the server notice soon that a process is gone or cut off from the network, and end its
/// session.
const KEEP_ALIVE: &str = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; \
     SET tcp_keepalives_count = 3";

/// Time for which the session of a killed copy may remain.
const CLAIM_PATIENCE: Duration = Duration::from_secs(3);

const CLAIM_PAUSE: Duration = Duration::from_millis(50);

const BEGIN: &str = "INSERT INTO galley_copy (id, source, revision, records, sha256)
     VALUES (1, $1, $2, $3, $4)";

/// If two copies reach this statement in spite of the claim, they add the same records, and one of
/// them fails.
const ADD: &str = "WITH added AS (
         INSERT INTO galley_records (table_name, key, revision, value)
         SELECT $1, added.key, added.revision, added.value
         FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS added (key, revision, value)
     )
     UPDATE galley_copy SET copied = copied + $5, table_name = $1, key = $6";

/// Discards a copy.
const DISCARD: &str = "TRUNCATE galley_records; DELETE FROM galley_copy;
     UPDATE galley_store SET is_copying = false";

const CONCLUDE: &str = "DELETE FROM galley_copy; UPDATE galley_store SET is_copying = false";

/// Fetches the records that are read back together.
const FETCH: &str = "FETCH 256 FROM copied";

/// The source of a copy.
pub struct CopySource<'s> {
    /// The display name of the store.
    pub name: &'s str,
    /// The records.
    pub snapshot: &'s dyn Snapshot,
    /// The digest of the records.
    pub digest: RecordsDigest,
}

/// The reason why a database could not be filled.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The database has a site.
    #[error(
        "{database} already has a site, at revision {revision}, which is never replaced: choose another database, or another schema in it"
    )]
    Taken {
        /// The name of the database.
        database: Box<str>,
        /// The number of the last commit.
        revision: u64,
    },
    /// The database has an incomplete copy of another site.
    #[error(
        "{database} has an incomplete copy of another site: {found}, not {wanted}. Run the same copy again to finish it, or delete the copied records and start again with --restart"
    )]
    Other {
        /// The name of the database.
        database: Box<str>,
        /// The source of the incomplete copy.
        found: Box<str>,
        /// The source of this copy.
        wanted: Box<str>,
    },
    /// Another process is copying into the database.
    #[error("another `galley copy` into {database} is in progress")]
    InProgress {
        /// The name of the database.
        database: Box<str>,
    },
    /// Records read back differ from those written.
    #[error(
        "{database} returns records that differ from those written, so nothing was stored there"
    )]
    Differs {
        /// The name of the database.
        database: Box<str>,
    },
    /// The connection to the database was lost while records were written or read back.
    #[error(
        "{cause}. It has {copied} of {records} records: run the same command again to continue"
    )]
    BrokenOff {
        /// The minimum number of copied records.
        copied: u64,
        /// The number of records in the source.
        records: u64,
        /// The error of the database.
        #[source]
        cause: StoreError,
    },
    /// The database is not available, or the source cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Copies everything in `source` to the database at `url`, which must have no site. Reads the
/// records back and, if they are the same, turns the copy into the store of the site. Returns the
/// number of records that were sent. Records that were sent by an earlier, interrupted call are not
/// sent again, unless `begins_again`. If the database already has the same site, nothing is sent.
/// `advance` receives the number of copied records, then the sum of those and the records read back.
///
/// `prepare` is called once it is certain that the database has no other site, and before the copy
/// becomes the site.
///
/// # Errors
///
/// The error of `prepare`; `Taken` if the database has another site; `Other` if it has an incomplete
/// copy of another site; `InProgress` if another process copies into it; `Differs` if it returns
/// different records; `BrokenOff` if the connection was lost; or the error of a store.
pub fn fill<E: From<FillError>>(
    url: &PostgresUrl,
    source: &CopySource<'_>,
    begins_again: bool,
    prepare: impl FnOnce() -> Result<(), E>,
    advance: &mut dyn FnMut(u64),
) -> Result<u64, E> {
    let database = Database::new(url).map_err(FillError::from)?;
    let mut filling = Filling {
        database: &database,
        done: 0,
        advance,
    };
    // Claimed before `prepare`, which must not run for a database that has another site.
    let begun = filling.begin(source, begins_again)?;
    let before = filling.done;
    prepare()?;
    if let Some(begun) = begun {
        filling.complete(begun, source)?;
    }
    Ok(source.digest.records - before)
}

fn taken(database: &Database, revision: u64) -> FillError {
    FillError::Taken {
        database: database.name.clone(),
        revision,
    }
}

/// Returns a connection whose session has the right to copy into the database.
fn claim(database: &Database) -> Result<Connection, FillError> {
    let begun = Instant::now();
    loop {
        let (connection, is_mine) = database.begin(|connection| {
            let client = &connection.client;
            match connection.run(client.batch_execute(KEEP_ALIVE)) {
                // Sessions of a distributed database may have other settings.
                Err(error) if error.is_of_connection() => return Err(error),
                _ => {}
            }
            let row = connection.run(client.query_one(CLAIM, &[]))?;
            Ok(row.try_get::<_, bool>(0)?)
        })?;
        if is_mine {
            return Ok(connection);
        }
        database.keep(connection);
        if begun.elapsed() > CLAIM_PATIENCE {
            return Err(FillError::InProgress {
                database: database.name.clone(),
            });
        }
        thread::sleep(CLAIM_PAUSE);
    }
}

/// The state of the database when a copy begins.
enum Found {
    /// A part of this copy, up to the record at `position`.
    Copy {
        copied: u64,
        position: Option<RecordKey>,
    },
    /// A site.
    Site { revision: u64 },
}

fn begin(
    database: &Database,
    connection: &Connection,
    source: &CopySource<'_>,
    begins_again: bool,
) -> Result<Found, FillError> {
    // If any of this fails, the connection is closed, which ends the transaction.
    let explained = |error| database.explain(error);
    let LockedStore { revision, .. } = commit::lock_store(connection).map_err(explained)?;
    if revision != 0 {
        end(connection, "ROLLBACK").map_err(explained)?;
        return Ok(Found::Site { revision });
    }
    let wanted = CopyInProgress {
        source: source.name.into(),
        revision: source.snapshot.revision(),
        digest: source.digest,
        copied: 0,
        position: None,
    };
    if let Some(found) = CopyInProgress::find(connection).map_err(explained)?
        && !begins_again
    {
        let position = match &found.position {
            None => Some(None),
            Some((name, key)) => {
                let table = Table::ALL.into_iter().find(|table| table.name() == &**name);
                table.map(|table| Some((table, key.clone())))
            }
        };
        return match position {
            Some(position) if found.has_same_records(&wanted) => {
                end(connection, "ROLLBACK").map_err(explained)?;
                Ok(Found::Copy {
                    copied: found.copied,
                    position,
                })
            }
            _ => Err(FillError::Other {
                database: database.name.clone(),
                found: found.to_string().into(),
                wanted: wanted.described_source().into(),
            }),
        };
    }
    let begin = || -> Result<(), RequestError> {
        let client = &connection.client;
        // Also for a new copy: an interrupted one may have left records of another source.
        connection.run(client.batch_execute(DISCARD))?;
        connection.run(client.execute(
            BEGIN,
            &[
                &&*wanted.source,
                &wanted.revision.cast_signed(),
                &wanted.digest.records.cast_signed(),
                &&wanted.digest.sha256[..],
            ],
        ))?;
        end(
            connection,
            "UPDATE galley_store SET is_copying = true; COMMIT",
        )
    };
    begin().map_err(explained)?;
    Ok(Found::Copy {
        copied: 0,
        position: None,
    })
}

fn end(connection: &Connection, statement: &str) -> Result<(), RequestError> {
    connection.run(connection.client.batch_execute(statement))
}

struct Filling<'f> {
    database: &'f Database,
    /// The number of records in the database plus the number of those that were read back.
    done: u64,
    advance: &'f mut dyn FnMut(u64),
}

/// Records of one table that are written by a single statement.
#[derive(Default)]
struct Rows {
    keys: Vec<Vec<u8>>,
    revisions: Vec<i64>,
    values: Vec<Vec<u8>>,
    bytes: usize,
}

/// A copy that can continue.
struct Begun {
    /// A connection whose session has the right to copy.
    connection: Connection,
    /// The last record in the database.
    position: Option<RecordKey>,
}

impl Filling<'_> {
    /// Claims the database. Returns `None` if it already has the same site.
    fn begin(
        &mut self,
        source: &CopySource<'_>,
        begins_again: bool,
    ) -> Result<Option<Begun>, FillError> {
        let database = self.database;
        // Before the claim, whose lock is identified by the table `galley_copy`.
        schema::prepare(database, commit_token::new_token()?)?;
        let connection = claim(database)?;
        match begin(database, &connection, source, begins_again)? {
            Found::Copy { copied, position } => {
                self.step(copied);
                Ok(Some(Begun {
                    connection,
                    position,
                }))
            }
            Found::Site { revision } if revision == source.snapshot.revision() => {
                self.done = source.digest.records;
                let found = self.read_site(&connection);
                match found.map_err(|error| database.explain(error))? {
                    found if found == source.digest => {
                        self.done = source.digest.records;
                        Ok(None)
                    }
                    _ => Err(taken(database, revision)),
                }
            }
            Found::Site { revision } => Err(taken(database, revision)),
        }
    }

    /// Sends the missing records, and turns the copy into the store of the site.
    fn complete(&mut self, begun: Begun, source: &CopySource<'_>) -> Result<(), FillError> {
        let Begun {
            mut connection,
            position,
        } = begun;
        let filled = self
            .write(&mut connection, source.snapshot, position)
            .and_then(|()| self.conclude(connection, source));
        let records = source.digest.records;
        match filled {
            Ok(true) => Ok(()),
            Ok(false) => Err(FillError::Differs {
                database: self.database.name.clone(),
            }),
            Err(cause) => Err(FillError::BrokenOff {
                copied: self.done.min(records),
                records,
                cause,
            }),
        }
    }

    /// Sends the records after `position`.
    fn write(
        &mut self,
        connection: &mut Connection,
        from: &dyn Snapshot,
        position: Option<RecordKey>,
    ) -> Result<(), StoreError> {
        let begins_at = position.as_ref().map(|(table, _)| *table);
        let tables = Table::ALL
            .into_iter()
            // Earlier tables are complete, because records are sent in the order of `Table::ALL`.
            .skip_while(|table| begins_at.is_some_and(|first| first != *table));
        for table in tables {
            let keys = match &position {
                Some((first, key)) if *first == table => {
                    Keys::range::<&[u8]>((Bound::Excluded(&key[..]), Bound::Unbounded))
                }
                _ => Keys::all(),
            };
            let mut rows = Rows::default();
            let mut failed = None;
            from.scan(table, &keys, &mut |key, revision, value| {
                rows.bytes += key.len() + value.len();
                rows.keys.push(key.to_vec());
                rows.revisions.push(revision.cast_signed());
                rows.values.push(value.to_vec());
                if rows.keys.len() < ROWS_MAX && rows.bytes < VALUES_BYTES_MAX {
                    return ControlFlow::Continue(());
                }
                failed = self.add(connection, table, &mut rows).err();
                match failed {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            })?;
            let added = match failed {
                Some(error) => Err(error),
                None => self.add(connection, table, &mut rows),
            };
            added.map_err(|error| self.database.explain(error))?;
        }
        Ok(())
    }

    /// Sends and commits a batch.
    fn add(
        &mut self,
        connection: &mut Connection,
        table: Table,
        rows: &mut Rows,
    ) -> Result<(), RequestError> {
        let Rows {
            keys,
            revisions,
            values,
            ..
        } = std::mem::take(rows);
        let Some(last) = keys.last() else {
            return Ok(());
        };
        let statement = connection.prepared(ADD)?;
        let client = &connection.client;
        let count = keys.len() as u64;
        let noted = connection.run(client.execute(
            &statement,
            &[
                &table.name(),
                &keys,
                &revisions,
                &values,
                &count.cast_signed(),
                last,
            ],
        ))?;
        // The row about the copy is gone, so the records of this batch belong to no copy.
        if noted != 1 {
            return Err(RequestError::Store(StoreError::Unavailable {
                store: self.database.name.clone(),
                detail: "another process has restarted the copy".into(),
            }));
        }
        self.step(count);
        Ok(())
    }

    /// Reads everything back. If it is the same, turns the copy into the store of the site;
    /// otherwise empties the database. Returns whether it is the same.
    fn conclude(
        &mut self,
        connection: Connection,
        source: &CopySource<'_>,
    ) -> Result<bool, StoreError> {
        let database = self.database;
        let notifies = notifications::is_supported(database)?;
        let explained = |error| database.explain(error);
        commit::lock_store(&connection).map_err(explained)?;
        // Under the lock, so that nothing is added between the verification and the commit.
        if self.read_back(&connection).map_err(explained)? != source.digest {
            end(&connection, &format!("{DISCARD}; COMMIT")).map_err(explained)?;
            return Ok(false);
        }
        end(&connection, CONCLUDE).map_err(explained)?;
        let commit = ReplicatedCommit {
            revision: source.snapshot.revision(),
            token: commit_token::new_token()?,
        };
        if let Err(error) = commit::conclude(&connection, commit, notifies) {
            // Closed first: `settle` waits until the server has ended its transaction.
            drop(connection);
            commit::settle(database, commit, database.explain(error))?;
        }
        Ok(true)
    }

    /// Reads the records of a site and returns their digest.
    fn read_site(&mut self, connection: &Connection) -> Result<RecordsDigest, RequestError> {
        end(
            connection,
            "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        )?;
        let digest = self.read_back(connection)?;
        end(connection, "ROLLBACK")?;
        Ok(digest)
    }

    fn read_back(&mut self, connection: &Connection) -> Result<RecordsDigest, RequestError> {
        let client = &connection.client;
        let mut hasher = RecordsHasher::default();
        for table in Table::ALL {
            // The digest depends on the order: by table as in `Table::ALL`, then by key. `bytea`
            // sorts by bytes, as redb does.
            let declare = format!(
                "DECLARE copied NO SCROLL CURSOR FOR SELECT key, revision, value
                 FROM galley_records WHERE table_name = '{}' AND value IS NOT NULL ORDER BY key",
                table.name()
            );
            connection.run(client.batch_execute(&declare))?;
            loop {
                let rows = connection.run(client.query(FETCH, &[]))?;
                if rows.is_empty() {
                    break;
                }
                for row in &rows {
                    let revision = row.try_get::<_, i64>(1)?.cast_unsigned();
                    hasher.add(table, row.try_get(0)?, revision, row.try_get(2)?);
                }
                self.step(rows.len() as u64);
            }
            connection.run(client.batch_execute("CLOSE copied"))?;
        }
        Ok(hasher.finish())
    }

    fn step(&mut self, records: u64) {
        self.done += records;
        (self.advance)(self.done);
    }
}
