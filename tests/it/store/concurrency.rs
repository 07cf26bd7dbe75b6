//! Tests that readers see only complete commits, and never wait for a writer.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use galley::store::memory::MemoryStore;
use galley::store::{Batch, Snapshot, Store, Table};

const KEYS: usize = 40;
const COMMITS: u64 = 60;

fn key(number: usize) -> (Table, String) {
    (
        Table::ALL[number % Table::ALL.len()],
        format!("key {number}"),
    )
}

/// Returns a batch that writes the same number to every key.
fn same_number(number: u64) -> Batch {
    let mut batch = Batch::new();
    for (table, key) in (0..KEYS).map(key) {
        batch.put(table, key, number.to_be_bytes());
    }
    batch
}

fn numbers(snapshot: &dyn Snapshot) -> BTreeSet<u64> {
    (0..KEYS)
        .map(key)
        .map(|(table, key)| {
            let record = snapshot.get(table, key.as_bytes()).unwrap().unwrap();
            u64::from_be_bytes(record.bytes.try_into().unwrap())
        })
        .collect()
}

fn readers_see_whole_commits_only(store: &dyn Store) {
    store.commit(&same_number(1)).unwrap();
    let finished = AtomicBool::new(false);

    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut last = 0;
                while !finished.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot().unwrap();
                    assert_eq!(numbers(&*snapshot), BTreeSet::from([snapshot.revision()]));
                    assert!(snapshot.revision() >= last);
                    last = snapshot.revision();
                }
            });
        }
        for number in 2..=COMMITS {
            assert_eq!(store.commit(&same_number(number)).unwrap(), number);
        }
        finished.store(true, Ordering::Relaxed);
    });
}

/// Eight threads increment a counter. A thread reads the counter again if another one has committed first.
fn no_update_is_lost(store: &dyn Store) {
    const THREADS: u64 = 8;
    const ROUNDS: u64 = 10;
    store
        .commit(Batch::new().put(Table::Meta, "count", 0u64.to_be_bytes()))
        .unwrap();

    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| count_up(store)));
        }
    });

    let snapshot = store.snapshot().unwrap();
    let count = snapshot.get(Table::Meta, b"count").unwrap().unwrap();
    assert_eq!(count.bytes, (THREADS * ROUNDS).to_be_bytes());
}

fn count_up(store: &dyn Store) {
    loop {
        let snapshot = store.snapshot().unwrap();
        let seen = snapshot.get(Table::Meta, b"count").unwrap().unwrap();
        let count = u64::from_be_bytes(seen.bytes.try_into().unwrap());
        let writer = store.writer().unwrap();
        if writer.revision() == snapshot.revision() {
            let mut batch = Batch::new();
            batch.put(Table::Meta, "count", (count + 1).to_be_bytes());
            writer.commit(&[&batch]).unwrap();
            return;
        }
    }
}

#[test]
fn readers_see_only_complete_commits_on_redb() {
    let folder = tempfile::tempdir().unwrap();
    readers_see_whole_commits_only(&super::open(&folder.path().join("galley.redb")));
}

#[test]
fn readers_see_only_complete_commits_in_memory() {
    readers_see_whole_commits_only(&MemoryStore::new());
}

#[test]
fn no_update_is_lost_on_redb() {
    let folder = tempfile::tempdir().unwrap();
    no_update_is_lost(&super::open(&folder.path().join("galley.redb")));
}

#[test]
fn no_update_is_lost_in_memory() {
    no_update_is_lost(&MemoryStore::new());
}

#[test]
fn open_snapshot_does_not_block_or_see_writers() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    store.commit(&same_number(1)).unwrap();
    let first_snapshot = store.snapshot().unwrap();
    let (done, waiting) = mpsc::channel();

    thread::scope(|scope| {
        scope.spawn(|| {
            (2..20).for_each(|number| {
                store.commit(&same_number(number)).unwrap();
            });
            done.send(()).unwrap();
        });
        waiting.recv_timeout(Duration::from_secs(30)).unwrap();
    });

    assert_eq!(numbers(&*first_snapshot), BTreeSet::from([1]));
}
