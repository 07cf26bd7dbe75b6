//! Filling a database with the records of another store, as one transaction: all of them, with their
//! revisions, or none.

use std::ops::ControlFlow;

use super::super::digest::RecordsHasher;
use super::super::redb::ReplicatedCommit;
use super::super::{Keys, RecordsDigest, Snapshot, StoreError, Table};
use super::commit::{self, ROWS_MAX, VALUES_BYTES_MAX};
use super::connection::{Connection, Database, PostgresUrl, RequestError};
use super::{listener, schema};

const ADD: &str = "INSERT INTO galley_records (table_name, key, revision, value)
     SELECT $1, added.key, added.revision, added.value
     FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS added (key, revision, value)";

/// Records that are read back at once.
const FETCH: &str = "FETCH 256 FROM copied";

/// Why a database was not filled. It is as it was before.
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
    /// What was written was not what was read back.
    #[error("{database} returns other records than were written, so nothing was kept there")]
    Differs {
        /// The name of the database.
        database: Box<str>,
    },
    /// The database is not available, or what is copied cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Copies everything in `from`, whose digest is `digest`, to the database at `url`, which must have
/// no site; reads it back, and keeps it if it is the same. `advance` receives how many records were
/// written, then how many more were read back.
///
/// # Errors
///
/// `Taken` if the database has a site, `Differs` if it returns other records, or that of the stores.
pub fn fill(
    url: &PostgresUrl,
    from: &dyn Snapshot,
    digest: RecordsDigest,
    advance: &mut dyn FnMut(u64),
) -> Result<(), FillError> {
    let database = Database::new(url)?;
    schema::prepare(&database, commit::new_token()?)?;
    let notifies = listener::is_supported(&database)?;
    let (mut connection, revision) = database.begin(|connection| commit::lock_store(connection))?;
    if revision != 0 {
        return Err(FillError::Taken {
            database: database.name.clone(),
            revision,
        });
    }
    let mut filling = Filling {
        database: &database,
        done: 0,
        advance,
    };
    // The transaction ends with the connection if any of this fails.
    filling.write(&mut connection, from)?;
    let found = filling.read_back(&connection);
    if found.map_err(|error| database.explain(error))? != digest {
        return Err(FillError::Differs {
            database: database.name.clone(),
        });
    }
    let commit = ReplicatedCommit {
        revision: from.revision(),
        token: commit::new_token()?,
    };
    if let Err(error) = commit::conclude(&connection, commit, notifies) {
        drop(connection);
        commit::settle(&database, commit, database.explain(error))?;
    }
    Ok(())
}

struct Filling<'f> {
    database: &'f Database,
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
    fn write(
        &mut self,
        connection: &mut Connection,
        from: &dyn Snapshot,
    ) -> Result<(), StoreError> {
        for table in Table::ALL {
            let mut rows = Rows::default();
            let mut failed = None;
            from.scan(table, &Keys::all(), &mut |key, revision, value| {
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
        if keys.is_empty() {
            return Ok(());
        }
        let statement = connection.prepared(ADD)?;
        let client = &connection.client;
        connection.run(client.execute(&statement, &[&table.name(), &keys, &revisions, &values]))?;
        self.step(keys.len());
        Ok(())
    }

    fn read_back(&mut self, connection: &Connection) -> Result<RecordsDigest, RequestError> {
        let client = &connection.client;
        let mut hasher = RecordsHasher::default();
        for table in Table::ALL {
            let declare = format!(
                "DECLARE copied NO SCROLL CURSOR FOR SELECT key, revision, value
                 FROM galley_records WHERE table_name = '{}' ORDER BY key",
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
                self.step(rows.len());
            }
            connection.run(client.batch_execute("CLOSE copied"))?;
        }
        Ok(hasher.finish())
    }

    fn step(&mut self, records: usize) {
        self.done += records as u64;
        (self.advance)(self.done);
    }
}
