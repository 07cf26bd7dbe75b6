//! Tests of disks that fail or are full: the affected commit fails as a whole, and the next one succeeds.

use std::io;
use std::path::Path;
use std::sync::Arc;

use galley::store::redb::{DEFAULT_CACHE_BYTES, RedbStore};
use galley::store::{Batch, Store, StoreError, Table};
use galley_tests::faulty_disk::{
    DEAD, FLUSH_ERROR, NO_SPACE, READ_ERROR, Trouble, WRITE_ERROR, open_on,
};
use redb::StorageBackend;

fn numbered(number: u64) -> Batch {
    let mut batch = Batch::new();
    for key in 0..30 {
        batch.put(Table::Posts, format!("key {key}"), number.to_be_bytes());
        batch.put(
            Table::Bodies,
            format!("{} {key}", number % 4),
            vec![number as u8; 5_000],
        );
    }
    batch
}

/// Commits during a fault that begins after an increasing number of disk calls, until it begins too late to have an effect.
/// Another commit follows each attempt. Returns the number of commits that were left in doubt.
fn commits_whole_or_not_at_all(kind: u8, expected: fn(&StoreError) -> bool) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let trouble = Arc::new(Trouble::default());
    let store = open_on(&path, DEFAULT_CACHE_BYTES, &trouble);
    let mut revision = store.commit(&numbered(1)).unwrap();
    let (mut failed, mut in_doubt) = (0, 0);

    for after_calls in 0.. {
        let before = super::contents_of(&store);
        trouble.start(kind, after_calls);
        let outcome = store.commit(&numbered(revision + 1));
        match outcome {
            Ok(committed) => revision = committed,
            Err(StoreError::InDoubt { .. }) => in_doubt += 1,
            Err(error) => {
                assert!(expected(&error), "{error}");
                // The fault continues, but the disk can be read.
                assert!(super::contents_of(&store) == before);
                failed += 1;
            }
        }
        let came_up = trouble.came_up();
        trouble.stop();

        let snapshot = store.snapshot().unwrap();
        assert!((revision..=revision + 1).contains(&snapshot.revision()));
        revision = snapshot.revision();
        let key = snapshot.get(Table::Posts, b"key 7").unwrap().unwrap();
        assert_eq!(key.bytes, revision.to_be_bytes());
        revision = store.commit(&numbered(revision + 1)).unwrap();
        if !came_up {
            break;
        }
    }

    assert!(failed > 0);
    let final_contents = super::contents_of(&store);
    drop(store);
    assert!(super::contents_of(&super::open(&path)) == final_contents);
    in_doubt
}

fn is_io(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { .. })
}

#[test]
fn full_disk_fails_the_whole_commit_and_reads_still_work() {
    let in_doubt =
        commits_whole_or_not_at_all(NO_SPACE, |error| matches!(error, StoreError::Full { .. }));
    assert_eq!(in_doubt, 0);
}

#[test]
fn write_error_fails_the_whole_commit_and_reads_still_work() {
    let in_doubt = commits_whole_or_not_at_all(WRITE_ERROR, is_io);
    assert_eq!(in_doubt, 0);
}

#[test]
fn flush_error_fails_the_whole_commit_or_leaves_it_in_doubt() {
    let in_doubt = commits_whole_or_not_at_all(FLUSH_ERROR, is_io);
    assert!(in_doubt > 0);
}

#[test]
fn commit_on_a_lost_disk_is_in_doubt_until_it_returns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let trouble = Arc::new(Trouble::default());
    let store = open_on(&path, DEFAULT_CACHE_BYTES, &trouble);
    store.commit(&numbered(1)).unwrap();

    trouble.start(DEAD, 3);
    let outcome = store.commit(&numbered(2));
    assert!(
        matches!(outcome, Err(StoreError::InDoubt { revision: 2, .. })),
        "{outcome:?}"
    );
    assert!(matches!(store.snapshot(), Err(StoreError::Io { .. })));
    assert!(matches!(
        store.commit(&numbered(2)),
        Err(StoreError::Io { .. })
    ));

    trouble.stop();
    let found = store.snapshot().unwrap().revision();
    assert_eq!(store.commit(&numbered(found + 1)).unwrap(), found + 1);
}

#[test]
fn read_error_fails_only_one_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let trouble = Arc::new(Trouble::default());
    super::open(&path).commit(&numbered(1)).unwrap();
    let without_cache = 0;
    let store = open_on(&path, without_cache, &trouble);

    let snapshot = store.snapshot().unwrap();
    trouble.start(READ_ERROR, 0);
    let failed = snapshot.get(Table::Bodies, b"1 7");
    assert!(matches!(failed, Err(StoreError::Io { .. })), "{failed:?}");
    trouble.stop();

    let snapshot = store.snapshot().unwrap();
    let record = snapshot.get(Table::Bodies, b"1 7").unwrap().unwrap();
    assert_eq!(record.bytes, [1; 5_000]);
    assert_eq!(store.commit(&numbered(2)).unwrap(), 2);
}

#[test]
fn disk_error_at_opening_leaves_the_file_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    drop(super::open(&path));
    let before = std::fs::read(&path).unwrap();
    let no_disk = |_: &Path| -> io::Result<Box<dyn StorageBackend>> {
        Err(io::ErrorKind::PermissionDenied.into())
    };

    let refused = RedbStore::open_on(&path, DEFAULT_CACHE_BYTES, Box::new(no_disk));

    match refused {
        Err(error) => assert!(error.to_string().contains("permission"), "{error}"),
        Ok(_) => panic!("opened a disk that refused"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
