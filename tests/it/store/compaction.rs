//! Tests that compaction shrinks the file of a store and loses no records.

use std::fs;
use std::path::Path;

use galley::store::redb::{clear_abandoned, compact};
use galley::store::{Batch, Store, Table};

use super::contents_of;

const RECORDS: u64 = 2_000;
const RECORD_BYTES: usize = 4_000;

/// Fills a store, and then deletes all records except every `remaining_every`th.
fn store_with_gaps(path: &Path, remaining_every: u64) {
    let store = super::open(path);
    for begin in (0..RECORDS).step_by(100) {
        let mut batch = Batch::new();
        for number in begin..begin + 100 {
            let value = vec![number as u8; RECORD_BYTES];
            batch.put(Table::Posts, number.to_be_bytes(), value);
        }
        store.commit(&batch).unwrap();
    }
    let mut batch = Batch::new();
    for number in (0..RECORDS).filter(|number| number % remaining_every != 0) {
        batch.delete(Table::Posts, number.to_be_bytes());
    }
    store.commit(&batch).unwrap();
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[test]
fn compaction_shrinks_the_store_and_keeps_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    store_with_gaps(&path, 50);
    let before = {
        let store = super::open(&path);
        (contents_of(&store), store.snapshot().unwrap().revision())
    };
    let length_before = length(&path);

    let compaction = compact(&path).unwrap();

    assert_eq!(compaction.bytes_before, length_before);
    assert_eq!(compaction.bytes_after, length(&path));
    assert!(compaction.bytes_after < length_before / 4);
    let store = super::open(&path);
    assert!((contents_of(&store), store.snapshot().unwrap().revision()) == before);
    assert_eq!(
        store
            .commit(Batch::new().put(Table::Posts, "a", "b"))
            .unwrap(),
        before.1 + 1
    );
    let names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["galley.redb"], "something was left behind");
}

#[test]
fn compaction_is_skipped_if_it_saves_less_than_half() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    store_with_gaps(&path, 50);
    compact(&path).unwrap();
    let before = fs::read(&path).unwrap();

    let compaction = compact(&path).unwrap();

    assert_eq!(compaction.bytes_after, compaction.bytes_before);
    assert!(fs::read(&path).unwrap() == before, "the file was changed");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn failed_compaction_leaves_the_store_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    store_with_gaps(&path, 50);
    let before = contents_of(&super::open(&path));
    let in_the_way = folder.path().join("galley.redb.new");
    fs::create_dir(&in_the_way).unwrap();

    compact(&path).unwrap_err();

    assert!(contents_of(&super::open(&path)) == before);
    fs::remove_dir(in_the_way).unwrap();
    let compaction = compact(&path).unwrap();
    assert!(compaction.bytes_after < compaction.bytes_before);
    assert!(contents_of(&super::open(&path)) == before);
}

#[test]
fn leftovers_of_a_killed_compaction_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    store_with_gaps(&path, 50);
    let left = folder.path().join("galley.redb.new");
    fs::write(&left, b"half a store").unwrap();

    clear_abandoned(&path).unwrap();
    clear_abandoned(&path).unwrap();

    assert!(!left.exists());
    assert!(path.exists());
}
