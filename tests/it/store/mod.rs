//! Tests of the guarantees of the store and the data folder.

mod compaction;
mod concurrency;
mod copies;
mod crash;
mod damage;
mod data_folder;
mod disk_faults;
mod faults_at_random;
mod memory_faults;
mod opening;
mod other_process;
mod property;
mod volatile_disk;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use galley::store::redb::{DEFAULT_CACHE_BYTES, RedbStore};
use galley::store::{Keys, Snapshot, Store, Table};

/// All records of a store: table and key to revision and value.
type Contents = BTreeMap<(Table, Vec<u8>), (u64, Vec<u8>)>;

fn open(path: &Path) -> RedbStore {
    RedbStore::open(path, DEFAULT_CACHE_BYTES).unwrap()
}

fn read_all(snapshot: &dyn Snapshot) -> Contents {
    let mut contents = Contents::new();
    for table in Table::ALL {
        snapshot
            .scan(table, &Keys::all(), &mut |key, revision, value| {
                contents.insert((table, key.to_vec()), (revision, value.to_vec()));
                ControlFlow::Continue(())
            })
            .unwrap();
    }
    contents
}

fn contents_of(store: &dyn Store) -> Contents {
    read_all(&*store.snapshot().unwrap())
}
