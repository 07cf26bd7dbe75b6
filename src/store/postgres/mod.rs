//! A store in PostgreSQL, which several processes share.
//!
//! The database has the last version of each record, and decides the order of commits: who commits
//! locks one row, so a commit's number is one more than that of the last one. Each process reads
//! from a replica, a redb file in its data folder. It brings the replica up to the database whenever
//! it takes a snapshot or is notified of a commit, in work proportional to the changes. So a
//! snapshot is one of redb: it holds nothing open in the database, needs no old versions there, and
//! stays readable while the database is away. The replica is a cache: a crash may set it back to an
//! earlier commit, from which it continues, and if it does not match the database, it is filled
//! again.
//!
//! A commit whose response is lost is searched for by its token, on a new connection that waits until
//! the old one's transaction has ended.

mod commit;
mod connection;
mod counts;
mod fetching;
mod filling;
mod identity;
mod listener;
mod nodes;
mod replica;
mod schema;
mod store_size;
mod under_way;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

pub use self::connection::{PostgresUrl, PostgresUrlError};
pub use self::filling::{CopySource, FillError, fill};

use self::commit::{Held, PostgresWriter};
use self::connection::Database;
use self::listener::Listener;
use self::replica::Replica;
use self::store_size::StoreSize;
use super::{
    Batch, ChangedKeys, CommitWaiter, Nodes, Reached, SharedCounts, Snapshot, Store, StoreError,
    Writer,
};

/// A store in a database, with a replica in a file that no other process has open.
pub struct PostgresStore {
    database: Arc<Database>,
    replica: Replica,
    /// Held by the writer of this process: others wait for it here, not in the database.
    turn: Mutex<()>,
    /// The connection of the writer, as long as there is one.
    held: Held,
    size: Arc<StoreSize>,
    /// True if the database notifies of commits; otherwise they are found by asking. Unset until the database was
    /// reached for the first time, and its tables were prepared.
    notifies: OnceLock<bool>,
}

impl PostgresStore {
    /// Opens the store at `url`, and creates it if the database has none. The replica is at
    /// `replica_path`; `cache_bytes` bounds the memory for its pages.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the database cannot be reached or refuses, `Newer` if a newer program made
    /// the store, `Incomplete` if another one is still being copied into it, `InUse` if another process uses the replica, `Full` or
    /// `Io` if it cannot be written.
    pub fn open(
        url: &PostgresUrl,
        replica_path: impl AsRef<Path>,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let store = Self::with_replica_at(url, replica_path.as_ref(), cache_bytes)?;
        store.catch_up()?;
        store.size.update(&store.database);
        Ok(store)
    }

    /// Opens the store at `url` as [`open`](Self::open) does. If the database cannot be reached, and the replica has a commit of it,
    /// the store is read from the replica until it can.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), and `OtherReplica` if the database cannot be reached and the replica is of another one.
    pub fn open_or_replica(
        url: &PostgresUrl,
        replica_path: impl AsRef<Path>,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let store = Self::with_replica_at(url, replica_path.as_ref(), cache_bytes)?;
        match store.catch_up() {
            Err(StoreError::Unavailable { detail, .. }) => {
                let revision = store.readable_revision(replica_path.as_ref(), &detail)?;
                tracing::error!(
                    database = &*store.database.name,
                    error = &*detail,
                    revision,
                    "the database is not available; readers are served from the replica, trying again"
                );
            }
            done => done?,
        }
        store.size.update(&store.database);
        Ok(store)
    }

    /// Returns the revision of the replica, from which readers are served while the database is not available for the reason
    /// `detail`.
    fn readable_revision(&self, path: &Path, detail: &str) -> Result<u64, StoreError> {
        let store = || self.database.name.clone();
        let revision = self.replica.whole_revision()?;
        let revision = revision.ok_or_else(|| StoreError::Unavailable {
            store: store(),
            detail: detail.into(),
        })?;
        // An older program wrote no identity: its replica is of this database, as far as is known.
        match self.replica.identity()? {
            Some(other) if !other.is_of_same_store(&self.database.identity) => {
                Err(StoreError::OtherReplica {
                    store: store(),
                    detail: detail.into(),
                    replica: path.display().to_string().into(),
                    other: other.to_string().into(),
                })
            }
            _ => Ok(revision),
        }
    }

    /// Opens the store at `url` with a replica in a new file in `folder`, or in one that an earlier
    /// call has begun, which is completed; `begins_again` deletes that instead. Returns with it how
    /// many records the file had before.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_to_copy(
        url: &PostgresUrl,
        folder: &Path,
        cache_bytes: usize,
        begins_again: bool,
    ) -> Result<(Self, u64), StoreError> {
        let database = prepared(url)?;
        let fetched = fetching::fetch(&database, folder, cache_bytes, begins_again)?;
        let store = Self::with_replica(url, Replica::in_file(fetched.store))?;
        store.catch_up()?;
        Ok((store, fetched.found))
    }

    /// Deletes the files in `folder` that were made by [`open_to_copy`](Self::open_to_copy).
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn clear_copies(folder: &Path) -> io::Result<()> {
        fetching::clear(folder)
    }

    fn with_replica_at(
        url: &PostgresUrl,
        path: &Path,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        // A database that is refused leaves no file behind.
        if !path.exists() {
            prepared(url)?;
        }
        Self::with_replica(url, Replica::open(path, cache_bytes)?)
    }

    fn with_replica(url: &PostgresUrl, replica: Replica) -> Result<Self, StoreError> {
        let database = Arc::new(Database::new(url)?);
        let size = Arc::<StoreSize>::default();
        let held = Held::new(Arc::clone(&database), Arc::clone(&size)).map_err(|source| {
            StoreError::Io {
                store: database.name.clone(),
                source,
            }
        })?;
        Ok(Self {
            database,
            replica,
            turn: Mutex::default(),
            held,
            size,
            notifies: OnceLock::new(),
        })
    }

    /// Prepares the tables unless that is done, and returns whether the database notifies of commits.
    fn prepare(&self) -> Result<bool, StoreError> {
        if let Some(notifies) = self.notifies.get() {
            return Ok(*notifies);
        }
        prepare(&self.database)?;
        let notifies = listener::is_supported(&self.database)?;
        Ok(*self.notifies.get_or_init(|| notifies))
    }

    fn catch_up(&self) -> Result<(), StoreError> {
        self.prepare()?;
        self.replica.catch_up(&self.database)
    }
}

impl PostgresStore {
    /// Forgets deleted records that only a replica needs that has not followed for a day. Such a
    /// replica is filled again. Every process does so every ten minutes.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the database cannot be reached or refuses.
    pub fn forget_deleted(&self) -> Result<(), StoreError> {
        commit::forget(&self.database)
    }
}

impl Store for PostgresStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.catch_up()?;
        self.replica.snapshot()
    }

    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.replica.snapshot()
    }

    fn batch(&self) -> Batch {
        self.replica.batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        self.prepare()?;
        let turn = lock(&self.turn);
        Ok(Box::new(PostgresWriter::begin(self, turn)?))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.replica.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        store_size::size_bytes(&self.database)
    }

    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        Ok(self.size.bytes())
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        Some(self)
    }

    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        Some(self)
    }

    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        Some(Box::new(Listener::new(self)))
    }
}

/// Connects to the database at `url`, and changes nothing there.
///
/// # Errors
///
/// `Unavailable` or `Refused` if the database cannot be reached or refuses, `Newer` if a newer program made the store,
/// `Incomplete` if another one is still being copied into it.
pub fn reach(url: &PostgresUrl) -> Result<Reached, StoreError> {
    const IS_READ_ONLY: &str = "SELECT current_setting('transaction_read_only') = 'on'";
    let database = Database::new(url)?;
    let found = schema::is_current(&database)?;
    if found == Some(true) {
        let refuse = |connection: &mut _| under_way::refuse_incomplete(connection, &database.name);
        database.with_connection(refuse)?;
    }
    let is_read_only = database.with_connection(|connection| {
        let row = connection.run(connection.client.query_one(IS_READ_ONLY, &[]))?;
        Ok(row.try_get(0)?)
    })?;
    Ok(Reached {
        has_store: found.is_some(),
        is_read_only,
    })
}

/// Returns the database at `url`, with the tables of a store that is complete.
fn prepared(url: &PostgresUrl) -> Result<Arc<Database>, StoreError> {
    let database = Arc::new(Database::new(url)?);
    prepare(&database)?;
    Ok(database)
}

/// Makes or changes the tables, and refuses a store that is not complete.
fn prepare(database: &Database) -> Result<(), StoreError> {
    schema::prepare(database, commit::new_token()?)?;
    database.with_connection(|connection| under_way::refuse_incomplete(connection, &database.name))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code under these locks panics halfway, so a poisoned lock is safe to use.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
