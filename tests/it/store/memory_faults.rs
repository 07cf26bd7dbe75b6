//! Tests of the faults that the memory engine can inject.

use galley::store::memory::{CommitFault, MemoryStore};
use galley::store::{Batch, Keys, Store, StoreError, Table};

fn put(value: &str) -> Batch {
    Batch::new().put(Table::Posts, "a", value).clone()
}

fn value(store: &MemoryStore) -> Option<Vec<u8>> {
    let snapshot = store.snapshot().unwrap();
    let record = snapshot.get(Table::Posts, b"a").unwrap();
    record.map(|record| record.bytes)
}

#[test]
fn injected_commit_failure_affects_one_commit() {
    let store = MemoryStore::new();
    store.fail_commit(2, CommitFault::NotWritten);

    assert_eq!(store.commit(&put("one")).unwrap(), 1);
    assert!(matches!(
        store.commit(&put("two")),
        Err(StoreError::Io { .. })
    ));
    assert_eq!(value(&store).unwrap(), b"one");
    assert_eq!(store.commit(&put("three")).unwrap(), 2);
}

#[test]
fn injected_full_disk_writes_nothing() {
    let store = MemoryStore::new();
    store.fail_commit(1, CommitFault::DiskFull);

    let refused = store.commit(&put("one"));

    assert!(matches!(refused, Err(StoreError::Full { .. })));
    assert_eq!(value(&store), None);
}

#[test]
fn injected_doubt_writes_the_commit_or_not() {
    let store = MemoryStore::new();
    store.fail_commit(1, CommitFault::LostInDoubt);
    store.fail_commit(2, CommitFault::WrittenInDoubt);

    let lost = store.commit(&put("one"));
    assert!(matches!(lost, Err(StoreError::InDoubt { revision: 1, .. })));
    assert_eq!(value(&store), None);

    let written = store.commit(&put("two"));
    assert!(matches!(
        written,
        Err(StoreError::InDoubt { revision: 1, .. })
    ));
    assert_eq!(value(&store).unwrap(), b"two");
    assert_eq!(store.snapshot().unwrap().revision(), 1);
}

#[test]
fn injected_read_failure_affects_one_read() {
    let store = MemoryStore::new();
    store.commit(&put("one")).unwrap();
    let snapshot = store.snapshot().unwrap();
    store.fail_read(1);
    store.fail_read(3);

    let get = || snapshot.get(Table::Posts, b"a");
    let scan = || {
        snapshot.scan(Table::Posts, &Keys::all(), &mut |_, _, _| {
            std::ops::ControlFlow::Continue(())
        })
    };
    assert!(matches!(get(), Err(StoreError::Io { .. })));
    assert_eq!(get().unwrap().unwrap().bytes, b"one");
    assert!(matches!(scan(), Err(StoreError::Io { .. })));
    scan().unwrap();
}
