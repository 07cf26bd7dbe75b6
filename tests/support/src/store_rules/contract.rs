//! The contract of a store engine.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;

use galley::store::{Batch, ChangedKeys, Keys, Record, Snapshot, Store, Table};

use crate::shared_store::SharedStore;

fn put(store: &dyn Store, table: Table, key: &str, value: &str) -> u64 {
    store.commit(Batch::new().put(table, key, value)).unwrap()
}

fn get(snapshot: &dyn Snapshot, table: Table, key: &str) -> Option<String> {
    let record = snapshot.get(table, key.as_bytes()).unwrap()?;
    Some(String::from_utf8(record.bytes).unwrap())
}

fn value(store: &dyn Store, table: Table, key: &str) -> Option<String> {
    get(&*store.snapshot().unwrap(), table, key)
}

fn keys(store: &dyn Store, keys: &Keys) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let snapshot = store.snapshot().unwrap();
    snapshot
        .scan(Table::Slugs, keys, &mut |key, _, _| {
            found.push(key.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
    found
}

fn fill_slugs(store: &dyn Store, keys: &[&[u8]]) {
    let mut batch = Batch::new();
    for key in keys {
        batch.put(Table::Slugs, *key, "");
    }
    store.commit(&batch).unwrap();
}

pub fn a_new_store_is_empty_at_revision_zero(shared: &dyn SharedStore) {
    let store = &*shared.open();
    assert_eq!(store.snapshot().unwrap().revision(), 0);
    for table in Table::ALL {
        let snapshot = store.snapshot().unwrap();
        let scanned = snapshot.scan(table, &Keys::all(), &mut |key, _, _| {
            panic!("{table:?} has {key:?}")
        });
        scanned.unwrap();
    }
}

pub fn a_commit_returns_the_next_revision(shared: &dyn SharedStore) {
    let store = &*shared.open();
    assert_eq!(put(store, Table::Posts, "a", "one"), 1);
    assert_eq!(put(store, Table::Posts, "b", "two"), 2);
    assert_eq!(store.commit(&Batch::new()).unwrap(), 3);
    assert_eq!(store.snapshot().unwrap().revision(), 3);
}

pub fn a_record_carries_the_revision_that_last_wrote_it(shared: &dyn SharedStore) {
    let store = &*shared.open();
    put(store, Table::Posts, "a", "one");
    put(store, Table::Posts, "b", "two");
    put(store, Table::Posts, "a", "three");

    let snapshot = store.snapshot().unwrap();

    let record = |revision, bytes: &str| {
        Some(Record {
            revision,
            bytes: bytes.into(),
        })
    };
    assert_eq!(
        snapshot.get(Table::Posts, b"a").unwrap(),
        record(3, "three")
    );
    assert_eq!(snapshot.get(Table::Posts, b"b").unwrap(), record(2, "two"));
}

pub fn a_later_operation_on_the_same_key_wins(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let mut batch = Batch::new();
    batch
        .put(Table::Posts, "put twice", "first")
        .put(Table::Posts, "put twice", "second")
        .put(Table::Posts, "put, deleted", "value")
        .delete(Table::Posts, "put, deleted")
        .delete(Table::Posts, "deleted, put")
        .put(Table::Posts, "deleted, put", "value");

    store.commit(&batch).unwrap();

    assert_eq!(value(store, Table::Posts, "put twice").unwrap(), "second");
    assert_eq!(value(store, Table::Posts, "put, deleted"), None);
    assert_eq!(value(store, Table::Posts, "deleted, put").unwrap(), "value");
}

pub fn deleting_a_missing_key_is_not_an_error(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let revision = store.commit(Batch::new().delete(Table::Tags, "never"));

    assert_eq!(revision.unwrap(), 1);
}

pub fn tables_do_not_share_keys(shared: &dyn SharedStore) {
    let store = &*shared.open();
    for table in Table::ALL {
        put(store, table, "key", table.name());
    }

    store
        .commit(Batch::new().delete(Table::Meta, "key"))
        .unwrap();

    assert_eq!(value(store, Table::Meta, "key"), None);
    for table in &Table::ALL[1..] {
        assert_eq!(value(store, *table, "key").unwrap(), table.name());
    }
}

pub fn empty_keys_and_values_are_stored(shared: &dyn SharedStore) {
    let store = &*shared.open();
    put(store, Table::Tags, "", "under the empty key");
    put(store, Table::Tags, "empty", "");

    assert_eq!(
        value(store, Table::Tags, "").unwrap(),
        "under the empty key"
    );
    assert_eq!(value(store, Table::Tags, "empty").unwrap(), "");
}

pub fn a_snapshot_does_not_see_later_commits(shared: &dyn SharedStore) {
    let store = &*shared.open();
    put(store, Table::Posts, "stored", "old");
    put(store, Table::Posts, "deleted", "old");
    let before = store.snapshot().unwrap();

    let mut batch = Batch::new();
    batch
        .put(Table::Posts, "stored", "new")
        .put(Table::Posts, "added", "new")
        .delete(Table::Posts, "deleted");
    store.commit(&batch).unwrap();

    assert_eq!(before.revision(), 2);
    assert_eq!(get(&*before, Table::Posts, "stored").unwrap(), "old");
    assert_eq!(get(&*before, Table::Posts, "deleted").unwrap(), "old");
    assert_eq!(get(&*before, Table::Posts, "added"), None);
    assert_eq!(value(store, Table::Posts, "stored").unwrap(), "new");
}

pub fn a_scan_visits_keys_in_the_order_of_their_bytes(shared: &dyn SharedStore) {
    let store = &*shared.open();
    fill_slugs(store, &[b"b", b"", b"a\xff", b"a", b"\xff", b"ab", b"\0"]);

    let visited = keys(store, &Keys::all());

    let expected: [&[u8]; 7] = [b"", b"\0", b"a", b"ab", b"a\xff", b"b", b"\xff"];
    assert_eq!(visited, expected);
}

pub fn a_scan_by_prefix_visits_that_prefix_only(shared: &dyn SharedStore) {
    let store = &*shared.open();
    fill_slugs(
        store,
        &[
            b"a",
            b"ab",
            b"a\xff",
            b"a\xff\xff",
            b"b",
            b"\xff",
            b"\xff\xff",
        ],
    );

    let of_a: [&[u8]; 4] = [b"a", b"ab", b"a\xff", b"a\xff\xff"];
    assert_eq!(keys(store, &Keys::prefix(b"a")), of_a);
    let of_a_high: [&[u8]; 2] = [b"a\xff", b"a\xff\xff"];
    assert_eq!(keys(store, &Keys::prefix(b"a\xff")), of_a_high);
    let of_high: [&[u8]; 2] = [b"\xff", b"\xff\xff"];
    assert_eq!(keys(store, &Keys::prefix(b"\xff")), of_high);
    assert_eq!(keys(store, &Keys::prefix(b"")).len(), 7);
    assert!(keys(store, &Keys::prefix(b"c")).is_empty());
}

pub fn a_scan_by_range_respects_both_ends(shared: &dyn SharedStore) {
    let store = &*shared.open();
    fill_slugs(store, &[b"a", b"b", b"c", b"d"]);

    assert_eq!(keys(store, &Keys::range("b".."d")), [b"b", b"c"]);
    assert_eq!(keys(store, &Keys::range("b"..="d")), [b"b", b"c", b"d"]);
    assert_eq!(keys(store, &Keys::range("c"..)), [b"c", b"d"]);
    assert_eq!(keys(store, &Keys::range(.."b")), [b"a"]);
    assert_eq!(keys(store, &Keys::range("bb"..="bb")), [[0; 1]; 0]);
}

pub fn a_scan_of_crossed_ends_visits_nothing(shared: &dyn SharedStore) {
    let store = &*shared.open();
    use std::ops::Bound::{Excluded, Included};
    fill_slugs(store, &[b"a", b"b", b"c"]);

    assert_eq!(keys(store, &Keys::range("c".."a")), [[0; 1]; 0]);
    assert_eq!(keys(store, &Keys::range("b".."b")), [[0; 1]; 0]);
    assert_eq!(
        keys(store, &Keys::range::<&str>((Excluded("b"), Excluded("b")))),
        [[0; 1]; 0]
    );
    assert_eq!(
        keys(store, &Keys::range::<&str>((Included("c"), Included("b")))),
        [[0; 1]; 0]
    );
}

pub fn a_scan_stops_when_the_visitor_breaks(shared: &dyn SharedStore) {
    let store = &*shared.open();
    fill_slugs(store, &[b"a", b"b", b"c"]);
    let mut visited = 0;

    let snapshot = store.snapshot().unwrap();
    snapshot
        .scan(Table::Slugs, &Keys::all(), &mut |key, _, _| {
            visited += 1;
            if key == b"b" {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();

    assert_eq!(visited, 2);
}

pub fn one_writer_at_a_time_sees_what_the_last_one_wrote(shared: &dyn SharedStore) {
    let store = &*shared.open();
    put(store, Table::Posts, "a", "1");
    let first = store.writer().unwrap();
    assert_eq!(first.revision(), 1);
    let (begun, has_begun) = mpsc::channel();

    thread::scope(|scope| {
        let second = scope.spawn(move || {
            begun.send(()).unwrap();
            store.writer().unwrap().revision()
        });
        has_begun.recv().unwrap();
        // Readers do not wait for a writer.
        assert_eq!(value(store, Table::Posts, "a").unwrap(), "1");
        first
            .commit(&[Batch::new().put(Table::Posts, "a", "2")])
            .unwrap();
        assert_eq!(second.join().unwrap(), 2);
    });
}

pub fn a_writer_that_is_dropped_writes_nothing(shared: &dyn SharedStore) {
    let store = &*shared.open();
    drop(store.writer().unwrap());

    assert_eq!(store.writer().unwrap().revision(), 0);
    assert_eq!(put(store, Table::Posts, "a", "1"), 1);
}

pub fn batches_that_are_committed_together_make_one_revision(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let (mut first, mut second) = (Batch::new(), Batch::new());
    first
        .put(Table::Posts, "a", "1")
        .put(Table::Posts, "b", "1");
    second.put(Table::Posts, "b", "2").delete(Table::Posts, "a");

    let writer = store.writer().unwrap();
    assert_eq!(writer.commit(&[&first, &second]).unwrap(), 1);

    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.revision(), 1);
    let left = Record {
        revision: 1,
        bytes: b"2".to_vec(),
    };
    assert_eq!(snapshot.get(Table::Posts, b"a").unwrap(), None);
    assert_eq!(snapshot.get(Table::Posts, b"b").unwrap(), Some(left));
}

pub fn the_keys_of_each_commit_are_known(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let changes_since = |revision| {
        let mut commits = store.changes_since(revision).unwrap().unwrap();
        for commit in &mut commits {
            let mut keys = commit.keys.to_vec();
            keys.sort();
            commit.keys = keys.into();
        }
        commits
    };
    let changes = |revision, keys: &[(Table, &str)]| ChangedKeys {
        revision,
        keys: keys
            .iter()
            .map(|(table, key)| (*table, key.as_bytes().into()))
            .collect(),
    };
    assert_eq!(changes_since(0), []);

    put(store, Table::Posts, "a", "1");
    let (mut first, mut second) = (Batch::new(), Batch::new());
    first.delete(Table::Posts, "a").put(Table::Tags, "b", "1");
    second.put(Table::Posts, "c", "1");
    store.writer().unwrap().commit(&[&first, &second]).unwrap();

    let first = changes(1, &[(Table::Posts, "a")]);
    let second = changes(
        2,
        &[(Table::Posts, "a"), (Table::Posts, "c"), (Table::Tags, "b")],
    );
    assert_eq!(changes_since(0), [first, second.clone()]);
    assert_eq!(changes_since(1), [second]);
    assert_eq!(changes_since(2), []);
}

pub fn a_commit_of_many_keys_is_not_known(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let mut large = Batch::new();
    for key in 0..5000u32 {
        large.put(Table::Posts, key.to_be_bytes(), "");
    }
    store.commit(&large).unwrap();
    put(store, Table::Posts, "a", "1");

    assert_eq!(store.changes_since(0).unwrap(), None);
    assert_eq!(store.changes_since(1).unwrap().unwrap().len(), 1);
    for _ in 0..1001 {
        put(store, Table::Posts, "a", "1");
    }
    assert_eq!(store.changes_since(1).unwrap(), None);
}

pub fn commits_of_another_store_are_not_known(shared: &dyn SharedStore) {
    let store = &*shared.open();
    put(store, Table::Posts, "a", "1");

    assert_eq!(store.changes_since(2).unwrap(), None);
}

pub fn a_large_value_comes_back_whole(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let large: Vec<u8> = (0..3_000_000u32).map(|number| number as u8).collect();

    store
        .commit(Batch::new().put(Table::Bodies, "large", large.clone()))
        .unwrap();

    let snapshot = store.snapshot().unwrap();
    let found = snapshot.get(Table::Bodies, b"large").unwrap().unwrap();
    assert!(found.bytes == large);
}

pub fn a_batch_of_many_large_values_is_written_like_any_other(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let value = |number: u8, length: usize| vec![number; 500_000 + length];
    let mut batch = store.batch();
    for number in 0..40 {
        batch
            .put_spilling(Table::Bodies, [number], value(number, 0))
            .unwrap();
    }
    batch.delete(Table::Bodies, [7]);
    batch.put(Table::Bodies, [39], "short");
    batch
        .put_spilling(Table::Bodies, [38], value(38, 1))
        .unwrap();
    let change_of = |key: u8| batch.change_of(Table::Bodies, &[key]).unwrap();
    assert_eq!(change_of(30).unwrap().unwrap(), value(30, 0));
    assert_eq!((change_of(7), change_of(40)), (Some(None), None));

    // A clone of the batch has the same values.
    let copy = batch.clone();
    drop(batch);
    store.commit(&copy).unwrap();

    let snapshot = store.snapshot().unwrap();
    let stored = |key: u8| {
        let record = snapshot.get(Table::Bodies, &[key]).unwrap();
        record.map(|record| record.bytes)
    };
    for number in (0..38).filter(|number| *number != 7) {
        assert_eq!(stored(number), Some(value(number, 0)), "{number}");
    }
    assert_eq!(stored(7), None);
    assert_eq!(stored(38), Some(value(38, 1)));
    assert_eq!(stored(39), Some(b"short".to_vec()));
}

pub fn the_size_grows_with_what_is_stored(shared: &dyn SharedStore) {
    let store = &*shared.open();
    let before = store.size_bytes().unwrap();

    store
        .commit(Batch::new().put(Table::Bodies, "large", noise(4_000_000)))
        .unwrap();

    assert!(store.size_bytes().unwrap() >= before + 2_000_000);
}

/// Returns bytes that cannot be compressed.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..bytes).map(|_| next()).collect()
}

/// Calls the macro `$tests` with the rules of a store.
#[macro_export]
macro_rules! contract_rules {
    ($tests:ident) => {
        $tests! { contract
            a_new_store_is_empty_at_revision_zero
            a_commit_returns_the_next_revision
            a_record_carries_the_revision_that_last_wrote_it
            a_later_operation_on_the_same_key_wins
            deleting_a_missing_key_is_not_an_error
            tables_do_not_share_keys
            empty_keys_and_values_are_stored
            a_snapshot_does_not_see_later_commits
            a_scan_visits_keys_in_the_order_of_their_bytes
            a_scan_by_prefix_visits_that_prefix_only
            a_scan_by_range_respects_both_ends
            a_scan_of_crossed_ends_visits_nothing
            a_scan_stops_when_the_visitor_breaks
            one_writer_at_a_time_sees_what_the_last_one_wrote
            a_writer_that_is_dropped_writes_nothing
            batches_that_are_committed_together_make_one_revision
            the_keys_of_each_commit_are_known
            a_commit_of_many_keys_is_not_known
            commits_of_another_store_are_not_known
            a_large_value_comes_back_whole
            a_batch_of_many_large_values_is_written_like_any_other
            the_size_grows_with_what_is_stored
        }
    };
}
