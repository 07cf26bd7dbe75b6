//! Filling a database with the records of another store, with their revisions.
//!
//! The records are sent in batches, each of which is a transaction that also notes where the copy
//! is, so that one that was broken off goes on after the last batch. Until all records were read
//! back and found the same, the row of the store says that a copy is under way: no process opens
//! the store or commits to it, and its revision is 0. One transaction then makes it the site's.

use std::fmt;
use std::ops::{Bound, ControlFlow};
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::Row;

use super::super::digest::RecordsHasher;
use super::super::redb::{RecordPlace, ReplicatedCommit};
use super::super::{Keys, RecordsDigest, Snapshot, StoreError, Table};
use super::commit::{self, LockedStore, ROWS_MAX, VALUES_BYTES_MAX};
use super::connection::{Connection, Database, PostgresUrl, RequestError};
use super::{listener, schema};

/// Takes the right to copy into this store, if no other session has it. It ends with the session.
const CLAIM: &str =
    "SELECT pg_try_advisory_lock(1734437990, 'galley_copy'::regclass::oid::integer)";

/// The server notices soon that a process has gone whose network was cut, and ends its session.
const KEEP_ALIVE: &str = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; \
     SET tcp_keepalives_count = 3";

/// How long the session of a copy that was killed may take to end.
const CLAIM_PATIENCE: Duration = Duration::from_secs(3);

const CLAIM_PAUSE: Duration = Duration::from_millis(50);

const UNDER_WAY: &str =
    "SELECT source, revision, records, sha256, copied, table_name, key FROM galley_copy";

const BEGIN: &str = "INSERT INTO galley_copy (id, source, revision, records, sha256)
     VALUES (1, $1, $2, $3, $4)";

/// Two copies that get here in spite of the claim add the same records, which one of them cannot.
const ADD: &str = "WITH added AS (
         INSERT INTO galley_records (table_name, key, revision, value)
         SELECT $1, added.key, added.revision, added.value
         FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS added (key, revision, value)
     )
     UPDATE galley_copy SET copied = copied + $5, table_name = $1, key = $6";

/// Forgets a copy.
const DISCARD: &str = "TRUNCATE galley_records; DELETE FROM galley_copy;
     UPDATE galley_store SET is_copying = false";

const CONCLUDE: &str = "DELETE FROM galley_copy; UPDATE galley_store SET is_copying = false";

/// Records that are read back at once.
const FETCH: &str = "FETCH 256 FROM copied";

/// What is copied.
pub struct CopySource<'s> {
    /// The name of the store, for people.
    pub name: &'s str,
    /// Its records.
    pub snapshot: &'s dyn Snapshot,
    /// Their digest.
    pub digest: RecordsDigest,
}

/// Why a database was not filled.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// It has a site.
    #[error(
        "{database} has a site already, at revision {revision}, which is never replaced: choose another database, or another schema in it"
    )]
    Taken {
        /// The name of the database.
        database: Box<str>,
        /// The number of the last commit.
        revision: u64,
    },
    /// It has an incomplete copy of something else.
    #[error(
        "{database} has an incomplete copy of something else: {found}, not {wanted}. Finish that one by copying the same again, or delete what was copied and begin again with --restart"
    )]
    Other {
        /// The name of the database.
        database: Box<str>,
        /// What was copied.
        found: Box<str>,
        /// What should be copied now.
        wanted: Box<str>,
    },
    /// Another process copies into it.
    #[error("another `galley copy` into {database} is under way")]
    UnderWay {
        /// The name of the database.
        database: Box<str>,
    },
    /// What was written was not what was read back.
    #[error("{database} returns other records than were written, so nothing was kept there")]
    Differs {
        /// The name of the database.
        database: Box<str>,
    },
    /// The database went away while records were written or read back.
    #[error("{cause}. It has {copied} of {records} records: run the same command again to go on")]
    BrokenOff {
        /// How many records it has, at least.
        copied: u64,
        /// How many there are.
        records: u64,
        /// Why.
        #[source]
        cause: StoreError,
    },
    /// The database is not available, or what is copied cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Copies everything in `source` to the database at `url`, which must have no site; reads it back,
/// and makes it the site's if it is the same. Returns how many records were sent: those that an
/// earlier call has sent, which was broken off, are not sent again, unless `begins_again`. If the
/// database has the same site already, nothing is sent. `advance` receives how many records are
/// there, then how many more were read back.
///
/// # Errors
///
/// `Taken` if the database has another site, `Other` if it has an incomplete copy of another one,
/// `UnderWay` if another process copies into it, `Differs` if it returns other records,
/// `BrokenOff` if it went away, or that of the stores.
pub fn fill(
    url: &PostgresUrl,
    source: &CopySource<'_>,
    begins_again: bool,
    advance: &mut dyn FnMut(u64),
) -> Result<u64, FillError> {
    let database = Database::new(url)?;
    schema::prepare(&database, commit::new_token()?)?;
    let notifies = listener::is_supported(&database)?;
    let mut connection = claim(&database)?;
    let mut filling = Filling {
        database: &database,
        done: 0,
        advance,
    };
    let position = match begin(&database, &connection, source, begins_again)? {
        Begun::At { copied, position } => {
            filling.step(copied);
            position
        }
        Begun::Taken { revision } if revision == source.snapshot.revision() => {
            filling.done = source.digest.records;
            let found = filling.read_site(&connection);
            return match found.map_err(|error| database.explain(error))? {
                found if found == source.digest => Ok(0),
                _ => Err(taken(&database, revision)),
            };
        }
        Begun::Taken { revision } => return Err(taken(&database, revision)),
    };
    let before = filling.done;
    let records = source.digest.records;
    let filled = filling
        .write(&mut connection, source.snapshot, position)
        .and_then(|()| filling.conclude(connection, source, notifies));
    match filled {
        Ok(true) => Ok(records - before),
        Ok(false) => Err(FillError::Differs {
            database: database.name.clone(),
        }),
        Err(cause) => Err(FillError::BrokenOff {
            copied: filling.done.min(records),
            records,
            cause,
        }),
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

fn taken(database: &Database, revision: u64) -> FillError {
    FillError::Taken {
        database: database.name.clone(),
        revision,
    }
}

/// Returns a connection whose session may copy into the database.
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
            return Err(FillError::UnderWay {
                database: database.name.clone(),
            });
        }
        thread::sleep(CLAIM_PAUSE);
    }
}

/// What the database says when a copy begins.
enum Begun {
    /// The copy goes on after this record.
    At {
        copied: u64,
        position: Option<RecordPlace>,
    },
    /// It has a site.
    Taken { revision: u64 },
}

fn begin(
    database: &Database,
    connection: &Connection,
    source: &CopySource<'_>,
    begins_again: bool,
) -> Result<Begun, FillError> {
    // The transaction ends with the connection if any of this fails.
    let explained = |error| database.explain(error);
    let LockedStore { revision, .. } = commit::lock_store(connection).map_err(explained)?;
    if revision != 0 {
        end(connection, "ROLLBACK").map_err(explained)?;
        return Ok(Begun::Taken { revision });
    }
    let wanted = UnderWay::of(source);
    if let Some(found) = UnderWay::find(connection).map_err(explained)?
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
            Some(position) if found.is_of_same(&wanted) => {
                end(connection, "ROLLBACK").map_err(explained)?;
                Ok(Begun::At {
                    copied: found.copied,
                    position,
                })
            }
            _ => Err(FillError::Other {
                database: database.name.clone(),
                found: found.to_string().into(),
                wanted: wanted.named().into(),
            }),
        };
    }
    let begin = || -> Result<(), RequestError> {
        let client = &connection.client;
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
    Ok(Begun::At {
        copied: 0,
        position: None,
    })
}

fn end(connection: &Connection, statement: &str) -> Result<(), RequestError> {
    connection.run(connection.client.batch_execute(statement))
}

/// A copy that is under way.
struct UnderWay {
    source: Box<str>,
    revision: u64,
    digest: RecordsDigest,
    copied: u64,
    /// Table and key of the last record.
    position: Option<(Box<str>, Vec<u8>)>,
}

impl UnderWay {
    fn of(source: &CopySource<'_>) -> Self {
        Self {
            source: source.name.into(),
            revision: source.snapshot.revision(),
            digest: source.digest,
            copied: 0,
            position: None,
        }
    }

    fn find(connection: &Connection) -> Result<Option<Self>, RequestError> {
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
    fn is_of_same(&self, other: &Self) -> bool {
        (self.revision, self.digest) == (other.revision, other.digest)
    }

    fn named(&self) -> String {
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

struct Filling<'f> {
    database: &'f Database,
    /// How many records the database has, and how many more were read back.
    done: u64,
    advance: &'f mut dyn FnMut(u64),
}

/// Records of one table that are written by one statement.
#[derive(Default)]
struct Rows {
    keys: Vec<Vec<u8>>,
    revisions: Vec<i64>,
    values: Vec<Vec<u8>>,
    bytes: usize,
}

impl Filling<'_> {
    /// Sends the records after `position`.
    fn write(
        &mut self,
        connection: &mut Connection,
        from: &dyn Snapshot,
        position: Option<RecordPlace>,
    ) -> Result<(), StoreError> {
        let begins_at = position.as_ref().map(|(table, _)| *table);
        let tables = Table::ALL
            .into_iter()
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

    /// Commits a batch.
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
        if noted != 1 {
            return Err(RequestError::Store(StoreError::Unavailable {
                store: self.database.name.clone(),
                detail: "another process has begun the copy again".into(),
            }));
        }
        self.step(count);
        Ok(())
    }

    /// Reads everything back, and makes the database the site's if it is the same. Otherwise it is
    /// emptied; returns which.
    fn conclude(
        &mut self,
        connection: Connection,
        source: &CopySource<'_>,
        notifies: bool,
    ) -> Result<bool, StoreError> {
        let database = self.database;
        let explained = |error| database.explain(error);
        commit::lock_store(&connection).map_err(explained)?;
        if self.read_back(&connection).map_err(explained)? != source.digest {
            end(&connection, &format!("{DISCARD}; COMMIT")).map_err(explained)?;
            return Ok(false);
        }
        end(&connection, CONCLUDE).map_err(explained)?;
        let commit = ReplicatedCommit {
            revision: source.snapshot.revision(),
            token: commit::new_token()?,
        };
        if let Err(error) = commit::conclude(&connection, commit, notifies) {
            drop(connection);
            commit::settle(database, commit, database.explain(error))?;
        }
        Ok(true)
    }

    /// Reads the records of a site.
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
