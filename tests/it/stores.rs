//! The engines on which the rules about stores are tested, each by a store that several sites can be opened on.

use std::sync::Arc;

use galley::store::{
    Store,
    memory::MemoryStore,
    redb::{DEFAULT_CACHE_BYTES, RedbStore},
};
use tempfile::TempDir;

/// How many random histories are tried.
pub const CASES: u32 = 60;

/// A store that several sites share.
pub struct SharedStore {
    store: Arc<dyn Store>,
    _folder: Option<TempDir>,
}

impl SharedStore {
    /// The store as one of the processes has it that share it.
    pub fn open(&self) -> Box<dyn Store> {
        Box::new(Arc::clone(&self.store))
    }
}

pub fn in_memory() -> SharedStore {
    SharedStore {
        store: Arc::new(MemoryStore::shared()),
        _folder: None,
    }
}

pub fn on_redb() -> SharedStore {
    let folder = tempfile::tempdir().unwrap();
    let store = RedbStore::open(folder.path().join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    SharedStore {
        store: Arc::new(store),
        _folder: Some(folder),
    }
}

/// The store for random histories.
pub fn any() -> SharedStore {
    in_memory()
}

/// Makes each rule a test of both engines.
macro_rules! on_each_store {
    ($($rule:ident)*) => {
        mod on_redb {
            $(#[test]
            fn $rule() {
                super::$rule(&crate::stores::on_redb());
            })*
        }
        mod in_memory {
            $(#[test]
            fn $rule() {
                super::$rule(&crate::stores::in_memory());
            })*
        }
    };
}

/// Makes each rule a test of the engine that processes can share.
macro_rules! on_each_shared_store {
    ($($rule:ident)*) => {
        mod in_shared_memory {
            $(#[test]
            fn $rule() {
                super::$rule(&crate::stores::in_memory());
            })*
        }
    };
}
