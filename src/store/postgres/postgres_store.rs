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
        copy_in_progress, fetching, forgetting,
        held_connection::HeldConnection,
        notifications,
        replica::Replica,
        schema,
        store_size::StoreSize,
    },
};

/// A store in a database, with a replica in a file that no other process has open.
pub struct PostgresStore {
    pub(super) database: Arc<Database>,
    pub(super) replica: Replica,
    /// Held by the writer of this process: other writers wait for it here, not in the database.
    pub(super) turn: Mutex<()>,
    /// The connection of the writer, while there is a writer.
    pub(super) held: HeldConnection,
    pub(super) size: Arc<StoreSize>,
    /// True if the database sends notifications of commits; otherwise it is polled for them. Unset until the database has
    /// been reached for the first time and its tables have been prepared.
    notifies: OnceLock<bool>,
}

impl PostgresStore {
    /// Opens the store at `url`, and creates it if the database has none. The replica is at
    /// `replica_path`; `cache_bytes` bounds the memory for its pages.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the database cannot be reached or refuses the connection; `Newer` if a newer program created the
    /// store; `Incomplete` if another store is still being copied into the database; `InUse` if another process uses the
    /// replica; `Full` or `Io` if the replica cannot be written.
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

    /// Opens the store at `url` as [`open`](Self::open) does. If the database cannot be reached and the replica contains a
    /// commit of it, the store is read from the replica until the database is available.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), and `OtherReplica` if the database cannot be reached and the replica belongs to
    /// another one.
    pub fn open_or_replica(
        url: &PostgresUrl,
        replica_path: impl AsRef<Path>,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let store = Self::with_replica_at(url, replica_path.as_ref(), cache_bytes)?;
        match store.catch_up() {
            // Not for `Refused`: a wrong password or name is reported at the start instead of
            // hidden behind old content.
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

    /// Returns the revision of the replica, which readers are served from while the database is unavailable for the reason
    /// `detail`.
    fn readable_revision(&self, path: &Path, detail: &str) -> Result<u64, StoreError> {
        let store = || self.database.name.clone();
        let revision = self.replica.whole_revision()?;
        let revision = revision.ok_or_else(|| StoreError::Unavailable {
            store: store(),
            detail: detail.into(),
        })?;
        // An older program wrote no identity. Its replica is assumed to belong to this database.
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

    /// Opens the store at `url` with a replica in a new file in `folder`, or completes a file that an earlier call has
    /// begun. `begins_again` deletes such a file instead. Also returns the number of records that were already in the file.
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

    /// Deletes the files in `folder` that [`open_to_copy`](Self::open_to_copy) created.
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
        // If the database refuses the connection, no file is created.
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

    /// Prepares the tables unless they are prepared, and returns whether the database sends notifications of commits.
    pub(super) fn prepare(&self) -> Result<bool, StoreError> {
        if let Some(notifies) = self.notifies.get() {
            return Ok(*notifies);
        }
        prepare(&self.database)?;
        let notifies = notifications::is_supported(&self.database)?;
        // Two threads may prepare at the same time, which does no harm and gives the same result.
        Ok(*self.notifies.get_or_init(|| notifies))
    }

    pub(super) fn catch_up(&self) -> Result<(), StoreError> {
        self.prepare()?;
        self.replica.catch_up(&self.database)
    }
}

impl PostgresStore {
    /// Deletes the marks of deleted records that are only needed by replicas that have not followed for a day. Such a replica
    /// is filled again. Every process calls this every ten minutes.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the database cannot be reached or refuses the connection.
    pub fn forget_deleted(&self) -> Result<(), StoreError> {
        forgetting::forget(&self.database)
    }
}

/// Returns the database at `url` after preparing the tables, if its store is complete.
pub(super) fn prepared(url: &PostgresUrl) -> Result<Arc<Database>, StoreError> {
    let database = Arc::new(Database::new(url)?);
    prepare(&database)?;
    Ok(database)
}

/// Creates or migrates the tables, and returns an error if the store is incomplete.
pub(super) fn prepare(database: &Database) -> Result<(), StoreError> {
    schema::prepare(database, commit_token::new_token()?)?;
    database.with_connection(|connection| {
        copy_in_progress::refuse_incomplete(connection, &database.name)
    })
}
