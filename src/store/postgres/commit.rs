//! Commits: one transaction each, in the order in which they lock the row of the store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::SimpleQueryMessage;

use super::super::batch::BatchValue;
use super::super::recent_commits::KEYS_MAX;
use super::super::redb::ReplicatedCommit;
use super::super::{Batch, ChangedKeys, StoreError, Table, Writer};
use super::connection::{Connection, Database, RequestError};
use super::store_size::StoreSize;
use super::{PostgresStore, counts, lock, under_way};
use crate::periodic_thread::PeriodicThread;

/// Waits for all other commits, and returns the number of the last one.
const LOCK: &str = "BEGIN; SELECT revision, is_copying::integer FROM galley_store FOR UPDATE";

const WRITE: &str = "INSERT INTO galley_records (table_name, key, revision, value)
     SELECT changed.table_name, changed.key, $1, changed.value
     FROM unnest($2::text[], $3::bytea[], $4::bytea[]) AS changed (table_name, key, value)
     ON CONFLICT (table_name, key)
     DO UPDATE SET revision = excluded.revision, value = excluded.value";

/// The deletions that are forgotten: a replica that has not seen the deletion within a day is
/// filled again.
const FORGET: &str = "DELETE FROM galley_commits
         WHERE committed_at < now() - interval '1 day'
         AND revision < (SELECT revision FROM galley_store);
     DELETE FROM galley_records WHERE (table_name, key) IN (
         SELECT table_name, key FROM galley_records
         WHERE value IS NULL AND revision < (SELECT min(revision) FROM galley_commits)
         LIMIT 10000)";

/// Most records of a statement.
pub(super) const ROWS_MAX: usize = 1000;

/// Longest values of a statement, in bytes, unless one alone is longer.
pub(super) const VALUES_BYTES_MAX: usize = 1 << 20;

/// Time for which a commit is searched for whose response was lost, while the database is away.
const SETTLE_PATIENCE: Duration = Duration::from_secs(10);

const SETTLE_PAUSE: Duration = Duration::from_millis(200);

/// Interval of the signs of life of a writer to the database: well within the time after which it
/// ends an idle transaction.
const SIGN_OF_LIFE: Duration = Duration::from_secs(3);

const FORGET_EVERY: Duration = Duration::from_secs(600);

/// Returns a random number for a commit, which is never 0.
pub(super) fn new_token() -> Result<u64, StoreError> {
    let token = getrandom::u64().map_err(random_number_error)?;
    // A token of 0 means a replica that may lack records (`replicated_commit`).
    Ok(token.max(1))
}

/// Returns the error of a system that has no random numbers.
pub(super) fn random_number_error(error: getrandom::Error) -> StoreError {
    StoreError::Io {
        store: "random numbers".into(),
        source: io::Error::other(error),
    }
}

/// The operations of several batches, the last one of each key.
pub(super) struct Changes<'b>(BTreeMap<(Table, &'b [u8]), Option<BatchValue<'b>>>);

impl<'b> Changes<'b> {
    fn of(batches: &[&'b Batch]) -> Self {
        let operations = batches.iter().flat_map(|batch| batch.operations());
        Self(
            operations
                .map(|(table, key, value)| ((table, key), value))
                .collect(),
        )
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Table, &'b [u8], Option<BatchValue<'b>>)> {
        self.0
            .iter()
            .map(|(&(table, key), &value)| (table, key, value))
    }

    /// Returns the keys, or `None` if they are too many.
    pub(super) fn keys(&self, revision: u64) -> Option<ChangedKeys> {
        let keys = self.0.keys().map(|&(table, key)| (table, key.into()));
        (self.0.len() <= KEYS_MAX).then(|| ChangedKeys {
            revision,
            keys: keys.collect(),
        })
    }
}

/// The connection of the writer while it prepares its commit. A thread gives the database signs of
/// life on it: a change may take minutes.
pub(super) struct Held {
    connection: Arc<Mutex<Option<Connection>>>,
    _thread: PeriodicThread,
}

impl Held {
    /// Starts the thread, which also measures the size of the tables, and removes the entries of deleted records that no replica
    /// needs any more.
    pub(super) fn new(database: Arc<Database>, size: Arc<StoreSize>) -> io::Result<Self> {
        let connection = Arc::<Mutex<Option<Connection>>>::default();
        let held = Arc::clone(&connection);
        let mut forgot_at = Instant::now();
        let thread = PeriodicThread::every("store", SIGN_OF_LIFE, move || {
            give_sign_of_life(&held);
            size.update(&database);
            if forgot_at.elapsed() >= FORGET_EVERY {
                forgot_at = Instant::now();
                if let Err(error) = forget(&database) {
                    tracing::debug!(%error, "deleted records could not be forgotten; trying again");
                }
            }
        });
        Ok(Self {
            connection,
            _thread: thread?,
        })
    }

    fn put(&self, connection: Connection) {
        *lock(&self.connection) = Some(connection);
    }

    fn take(&self) -> Option<Connection> {
        lock(&self.connection).take()
    }
}

fn give_sign_of_life(held: &Mutex<Option<Connection>>) {
    let mut held = lock(held);
    let alive = held.as_ref().is_none_or(|connection| {
        connection
            .run(connection.client.batch_execute("SELECT 1"))
            .is_ok()
    });
    if !alive {
        // The transaction has ended: its commit will be refused.
        *held = None;
    }
}

/// Forgets deleted records, old commits, and counts whose lifetime is over.
pub(super) fn forget(database: &Database) -> Result<(), StoreError> {
    let statements = format!("{FORGET}; {}", counts::FORGET);
    database
        .with_connection(|connection| connection.run(connection.client.batch_execute(&statements)))
}

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
        let (connection, revision) = database.begin(|connection| {
            let locked = lock_store(connection)?;
            if locked.is_copying {
                under_way::refuse_incomplete(connection, &database.name)?;
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
        let notifies = self.store.prepare()?;
        let connection = self.store.held.take();
        let mut connection = connection.ok_or_else(|| database.explain(RequestError::Ended))?;
        // Nothing is committed if this fails: the connection is closed.
        write(&mut connection, commit.revision, &changes)
            .map_err(|error| database.explain(error))?;
        match conclude(&connection, commit, notifies) {
            Ok(()) => database.keep(connection),
            Err(error) => {
                drop(connection);
                settle(database, commit, database.explain(error))?;
            }
        }
        // Not an error of the commit, which is durable in the database.
        if let Err(error) = self.store.replica.take_over(commit, &changes) {
            tracing::error!(%error, "a commit is in the database, but not yet in the replica");
        }
        Ok(commit.revision)
    }
}

impl Drop for PostgresWriter<'_> {
    fn drop(&mut self) {
        // `commit` has taken the connection; without a commit the row is still locked.
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

/// Numbers the commit and ends its transaction.
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
    connection.run(connection.client.batch_execute(&format!(
        "UPDATE galley_store SET revision = {revision};
         INSERT INTO galley_commits (revision, token) VALUES ({revision}, {token});
         {notify}
         COMMIT"
    )))
}

/// Determines the result of a commit that failed with `cause` while it was concluded.
pub(super) fn settle(
    database: &Database,
    commit: ReplicatedCommit,
    cause: StoreError,
) -> Result<(), StoreError> {
    let begun = Instant::now();
    database.forget_connections();
    loop {
        // The lock waits for the transaction of the lost connection, if that has not ended.
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
                    // The revision alone does not prove it: another process may have committed
                    // under that number.
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
