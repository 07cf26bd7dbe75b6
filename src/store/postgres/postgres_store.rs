//! The store in a database, with its replica.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
};

use crate::store::{
    StoreError,
    postgres::{
        commit_token,
        connection::{Database, PostgresUrl},
        fetching, forgetting,
        held_connection::HeldConnection,
        notifications,
        replica::Replica,
        schema,
        store_size::StoreSize,
        under_way,
    },
};

/// A store in a database, with a replica in a file that no other process has open.
pub struct PostgresStore {
    pub(super) database: Arc<Database>,
    pub(super) replica: Replica,
    /// HeldConnection by the writer of this process: others wait for it here, not in the database.
    pub(super) turn: Mutex<()>,
    /// The connection of the writer, as long as there is one.
    pub(super) held: HeldConnection,
    pub(super) size: Arc<StoreSize>,
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
        let held =
            HeldConnection::new(Arc::clone(&database), Arc::clone(&size)).map_err(|source| {
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
    pub(super) fn prepare(&self) -> Result<bool, StoreError> {
        if let Some(notifies) = self.notifies.get() {
            return Ok(*notifies);
        }
        prepare(&self.database)?;
        let notifies = notifications::is_supported(&self.database)?;
        Ok(*self.notifies.get_or_init(|| notifies))
    }

    pub(super) fn catch_up(&self) -> Result<(), StoreError> {
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
        forgetting::forget(&self.database)
    }
}

/// Returns the database at `url`, with the tables of a store that is complete.
pub(super) fn prepared(url: &PostgresUrl) -> Result<Arc<Database>, StoreError> {
    let database = Arc::new(Database::new(url)?);
    prepare(&database)?;
    Ok(database)
}

/// Makes or changes the tables, and refuses a store that is not complete.
pub(super) fn prepare(database: &Database) -> Result<(), StoreError> {
    schema::prepare(database, commit_token::new_token()?)?;
    database.with_connection(|connection| under_way::refuse_incomplete(connection, &database.name))
}
