//! Stores that several sites share, like the sites of several processes.

use std::sync::Arc;

use galley::store::{
    Store,
    memory::MemoryStore,
    redb::{DEFAULT_CACHE_BYTES, RedbStore},
};
use tempfile::TempDir;

/// A store that several sites share.
pub trait SharedStore: Sync {
    /// Opens the store, like one of the processes that share it.
    fn open(&self) -> Box<dyn Store>;
}

/// A shared store in this process.
pub struct LocalStore {
    store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

impl LocalStore {
    /// Returns a new store in memory.
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(MemoryStore::shared()),
            _folder: None,
        }
    }

    /// Returns a new store in a file.
    pub fn on_redb() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store =
            RedbStore::open(folder.path().join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
        Self {
            store: Arc::new(store),
            _folder: Some(folder),
        }
    }
}

impl SharedStore for LocalStore {
    fn open(&self) -> Box<dyn Store> {
        Box::new(Arc::clone(&self.store))
    }
}
