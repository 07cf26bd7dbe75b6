//! Commits: each is a transaction, and they are ordered by locking the row of the store.

use std::borrow::Cow;
use std::sync::MutexGuard;
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::SimpleQueryMessage;

use super::super::redb::ReplicatedCommit;
use super::super::{Batch, StoreError, Writer};
use super::connection::{Connection, Database, RequestError};
use super::{PostgresStore, copy_in_progress};
use crate::store::postgres::{
    changes::Changes,
    commit_token::new_token,
    statement_limits::{ROWS_MAX, VALUES_BYTES_MAX},
};

/// Waits for all other commits, and returns the revision of the last one.
const LOCK: &str = "BEGIN; SELECT revision, is_copying::integer FROM galley_store FOR UPDATE";

const WRITE: &str = "INSERT INTO galley_records (table_name, key, revision, value)
     SELECT changed.table_name, changed.key, $1, changed.value
     FROM unnest($2::text[], $3::bytea[], $4::bytea[]) AS changed (table_name, key, value)
     ON CONFLICT (table_name, key)
     DO UPDATE SET revision = excluded.revision, value = excluded.value";

/// Maximum time during which the result of a commit whose response was lost is searched for, while
/// the database is unavailable.
const SETTLE_PATIENCE: Duration = Duration::from_secs(10);

/// Pause between two attempts to find the result.
const SETTLE_PAUSE: Duration = Duration::from_millis(200);

/// The writer: a transaction that has locked the row of the store.
pub(super) struct PostgresWriter<'s> {
    store: &'s PostgresStore,
    revision: u64,
    _turn: MutexGuard<'s, ()>,
}

impl<'s> PostgresWriter<'s> {
    pub(super) fn begin(
        store: &'s PostgresStore,
        turn: MutexGuard<'s, ()>,
    ) -> Result<Self, StoreError> {
        let database = &store.database;
        // May run on a second connection: nothing has been written yet, and a lock ends with its
        // connection.
        let (connection, revision) = database.begin(|connection| {
            let locked = lock_store(connection)?;
            // A writer that waits for the row sees a copy that has begun meanwhile.
            if locked.is_copying {
                copy_in_progress::refuse_incomplete(connection, &database.name)?;
            }
            Ok(locked.revision)
        })?;
        store.held.put(connection);
        Ok(Self {
            store,
            revision,
            _turn: turn,
        })
    }
}

impl Writer for PostgresWriter<'_> {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError> {
        let database = &self.store.database;
        let commit = ReplicatedCommit {
            revision: self.revision + 1,
            token: new_token()?,
        };
        let changes = Changes::of(batches);
        // Cached after the first call, so it usually sends no request.
        let notifies = self.store.prepare()?;
        let connection = self.store.held.take();
        // The sign of life has dropped the connection if it failed, and with it the lock of the
        // row.
        let mut connection = connection.ok_or_else(|| database.explain(RequestError::Ended))?;
        // If this fails, nothing is committed, because the connection is closed.
        write(&mut connection, commit.revision, &changes)
            .map_err(|error| database.explain(error))?;
        match conclude(&connection, commit, notifies) {
            Ok(()) => database.keep(connection),
            Err(error) => {
                // Closed first: `settle` waits until the server has ended the transaction of this
                // connection.
                drop(connection);
                settle(database, commit, database.explain(error))?;
            }
        }
        // Not an error of the commit, which is durable in the database.
        if let Err(error) = self.store.replica.take_over(commit, &changes) {
            tracing::error!(%error, "a commit was saved in the database, but not yet in the replica");
        }
        Ok(commit.revision)
    }
}

impl Drop for PostgresWriter<'_> {
    fn drop(&mut self) {
        // After a commit, `commit` has taken the connection. Otherwise the row is still locked.
        if let Some(connection) = self.store.held.take() {
            let ended = connection.run(connection.client.batch_execute("ROLLBACK"));
            if ended.is_ok() {
                self.store.database.keep(connection);
            }
        }
    }
}

/// The content of the row of the store.
pub(super) struct LockedStore {
    /// The number of the last commit.
    pub(super) revision: u64,
    /// True if the records of another store are being copied here.
    pub(super) is_copying: bool,
}

/// Begins a transaction that locks the row of the store.
pub(super) fn lock_store(connection: &Connection) -> Result<LockedStore, RequestError> {
    let messages = connection.run(connection.client.simple_query(LOCK))?;
    // The simple protocol sends all statements in one request and returns values as text.
    let locked = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(LockedStore {
            revision: row.get(0)?.parse().ok()?,
            is_copying: row.get(1)? == "1",
        }),
        _ => None,
    });
    locked.ok_or(RequestError::NoStore)
}

fn write(
    connection: &mut Connection,
    revision: u64,
    changes: &Changes<'_>,
) -> Result<(), RequestError> {
    let statement = connection.prepared(WRITE)?;
    let mut changes = changes.iter().peekable();
    while changes.peek().is_some() {
        let (mut tables, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut bytes = 0;
        while tables.len() < ROWS_MAX
            && bytes < VALUES_BYTES_MAX
            && let Some((table, key, value)) = changes.next()
        {
            // Spilled values are read for one statement at a time, so a large batch is never in
            // memory as a whole.
            let value: Option<Cow<'_, [u8]>> = value
                .map(|value| value.bytes())
                .transpose()
                .map_err(RequestError::Batch)?;
            bytes += key.len() + value.as_ref().map_or(0, |value| value.len());
            tables.push(table.name());
            keys.push(key);
            values.push(value);
        }
        let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        connection.run(connection.client.execute(
            &statement,
            &[&revision.cast_signed(), &tables, &keys, &values],
        ))?;
    }
    Ok(())
}

/// Records the revision and the token of the commit, and ends its transaction.
pub(super) fn conclude(
    connection: &Connection,
    commit: ReplicatedCommit,
    notifies: bool,
) -> Result<(), RequestError> {
    let ReplicatedCommit { revision, token } = commit;
    let token = token.cast_signed();
    let notify = if notifies {
        super::listener::NOTIFY
    } else {
        ""
    };
    // One request for all statements, so that a commit waits for the network only once.
    connection.run(connection.client.batch_execute(&format!(
        "UPDATE galley_store SET revision = {revision};
         INSERT INTO galley_commits (revision, token) VALUES ({revision}, {token});
         {notify}
         COMMIT"
    )))
}

/// Determines the result of a commit whose last step failed with `cause`.
pub(super) fn settle(
    database: &Database,
    commit: ReplicatedCommit,
    cause: StoreError,
) -> Result<(), StoreError> {
    let begun = Instant::now();
    database.forget_connections();
    loop {
        // The lock waits for the transaction of the lost connection, if that is still open.
        let found = database.begin(|connection| {
            lock_store(connection)?;
            let token = connection.run(connection.client.query_opt(
                "SELECT token FROM galley_commits WHERE revision = $1",
                &[&commit.revision.cast_signed()],
            ))?;
            connection.run(connection.client.batch_execute("ROLLBACK"))?;
            Ok(token.map(|row| row.try_get::<_, i64>(0)).transpose()?)
        });
        match found {
            Ok((connection, token)) => {
                database.keep(connection);
                return match token {
                    // The revision alone proves nothing: another process may have committed under
                    // that number.
                    Some(token) if token.cast_unsigned() == commit.token => Ok(()),
                    _ => Err(cause),
                };
            }
            Err(_) if begun.elapsed() < SETTLE_PATIENCE => thread::sleep(SETTLE_PAUSE),
            Err(_) => {
                return Err(StoreError::InDoubt {
                    revision: commit.revision,
                    cause: Box::new(cause),
                });
            }
        }
    }
}
