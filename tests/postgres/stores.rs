//! Stores in PostgreSQL that several sites share, each site with its own replica.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use galley::store::{Store, StoreError, postgres::PostgresStore};
use galley_tests::shared_store::SharedStore;
use tempfile::TempDir;

use crate::server::{Server, parsed};

const CACHE_BYTES: usize = 1 << 20;

/// A store that several sites share.
pub struct PostgresStores {
    pub url: String,
    folder: TempDir,
    replicas: AtomicU32,
}

impl PostgresStores {
    /// Returns a new store at a URL.
    pub fn at(url: String) -> Self {
        Self {
            url,
            folder: tempfile::tempdir().unwrap(),
            replicas: AtomicU32::new(0),
        }
    }

    pub fn replica(&self) -> PostgresStore {
        let number = self.replicas.fetch_add(1, SeqCst);
        self.replica_in(&format!("{number}.redb"))
    }

    /// Opens the store with its replica in a file, which may exist.
    pub fn replica_in(&self, file: &str) -> PostgresStore {
        PostgresStore::open(&parsed(&self.url), self.path(file), CACHE_BYTES).unwrap()
    }

    /// Opens the store with a new replica, or returns the error.
    pub fn try_replica(&self) -> Result<PostgresStore, StoreError> {
        PostgresStore::open(&parsed(&self.url), self.path("new.redb"), CACHE_BYTES)
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }
}

impl SharedStore for PostgresStores {
    fn open(&self) -> Box<dyn Store> {
        Box::new(self.replica())
    }
}

/// Returns a new store on the shared server.
pub fn any() -> PostgresStores {
    PostgresStores::at(Server::shared().new_store())
}
