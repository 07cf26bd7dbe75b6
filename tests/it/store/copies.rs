//! Tests that a copy of a snapshot is an equal and independent store.

use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use galley::store::redb::{COPY_CACHE_BYTES, RedbStore, write_copy};
use galley::store::{Batch, Snapshot, Store, StoreError, Table};

use super::{Contents, contents_of, read_all};

/// Copies a snapshot into the file at `path`.
fn copy(snapshot: &dyn Snapshot, path: &Path) {
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
        .unwrap();
    let copied = write_copy(snapshot, &file, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(copied.is_continue());
}

/// Returns the batch of commit `number`, which adds, replaces and deletes records in every table.
fn change(number: u64) -> Batch {
    let mut batch = Batch::new();
    for (index, table) in Table::ALL.into_iter().enumerate() {
        let key = (number * 7 + index as u64) % 50;
        match number % 5 {
            0 => batch.delete(table, key.to_be_bytes()),
            _ => batch.put(table, key.to_be_bytes(), vec![number as u8; 40 * index]),
        };
    }
    batch
}

#[test]
fn copy_during_writes_is_a_consistent_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    let before = contents_of(&store);
    let finished = AtomicBool::new(false);

    let (states, copies) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut states = vec![before];
            for number in 1.. {
                if finished.load(Ordering::Relaxed) {
                    break;
                }
                store.commit(&change(number)).unwrap();
                states.push(contents_of(&store));
            }
            states
        });
        let copies: Vec<Contents> = (0..8)
            .map(|number| {
                let snapshot = store.snapshot().unwrap();
                let path = folder.path().join(format!("copy-{number}"));
                copy(&*snapshot, &path);
                while store.snapshot().unwrap().revision() == snapshot.revision() {
                    thread::yield_now();
                }
                let copied = super::open(&path);
                assert_eq!(copied.snapshot().unwrap().revision(), snapshot.revision());
                contents_of(&copied)
            })
            .collect();
        finished.store(true, Ordering::Relaxed);
        (writer.join().unwrap(), copies)
    });
    for copied in copies {
        assert!(
            states.contains(&copied),
            "the copy is not the result of a commit"
        );
    }
}

#[test]
fn copy_is_writable_and_continues_the_revision() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    for number in 1..=3 {
        store.commit(&change(number)).unwrap();
    }
    let path = folder.path().join("copy");
    copy(&*store.snapshot().unwrap(), &path);

    let copied = super::open(&path);
    assert_eq!(copied.commit(&change(4)).unwrap(), 4);
    store.commit(&change(4)).unwrap();
    assert!(contents_of(&copied) == contents_of(&store));
}

#[test]
fn copy_is_compact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let store = super::open(&path);
    let mut batch = Batch::new();
    for number in 0..200_u64 {
        batch.put(Table::Bodies, number.to_be_bytes(), vec![7; 50_000]);
    }
    store.commit(&batch).unwrap();
    let mut batch = Batch::new();
    for number in 1..200_u64 {
        batch.delete(Table::Bodies, number.to_be_bytes());
    }
    store.commit(&batch).unwrap();

    let copied = folder.path().join("copy");
    copy(&*store.snapshot().unwrap(), &copied);

    let bytes = |path: &Path| fs::metadata(path).unwrap().len();
    assert!(bytes(&path) > 10_000_000);
    assert!(bytes(&copied) < 2_000_000, "{}", bytes(&copied));
}

#[test]
fn copy_stops_when_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    let mut batch = Batch::new();
    for number in 0..1000_u64 {
        batch.put(Table::Posts, number.to_be_bytes(), [0; 10]);
    }
    store.commit(&batch).unwrap();
    let file = tempfile::tempfile().unwrap();
    let mut reports = 0;
    let copied = write_copy(&*store.snapshot().unwrap(), &file, &mut |_| {
        reports += 1;
        ControlFlow::Break(())
    });
    assert!(copied.unwrap().is_break());
    assert_eq!(reports, 1);
}

#[test]
fn store_embedded_in_a_file_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    store.commit(&change(1)).unwrap();
    let copied = folder.path().join("copy");
    copy(&*store.snapshot().unwrap(), &copied);
    let around = folder.path().join("around");
    let content = fs::read(&copied).unwrap();
    let mut file = File::create(&around).unwrap();
    file.write_all(b"before").unwrap();
    file.write_all(&content).unwrap();
    file.write_all(b"behind").unwrap();
    let before = fs::read(&around).unwrap();

    let range = 6..6 + content.len() as u64;
    let within = RedbStore::open_within(&around, range, COPY_CACHE_BYTES).unwrap();
    assert!(contents_of(&within) == contents_of(&store));
    assert_eq!(within.commit(&change(2)).unwrap(), 2);
    assert_eq!(read_all(&*within.snapshot().unwrap()).len(), {
        store.commit(&change(2)).unwrap();
        contents_of(&store).len()
    });
    drop(within);
    assert!(fs::read(&around).unwrap() == before, "the file was changed");

    let elsewhere = RedbStore::open_within(&around, 0..100, COPY_CACHE_BYTES);
    assert!(matches!(elsewhere, Err(StoreError::NotAStore { .. })));
}
