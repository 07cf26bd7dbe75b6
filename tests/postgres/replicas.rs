//! Tests of replicas: a store has the records of the database, even if the replica is damaged or the database is replaced.

use std::{collections::BTreeMap, fs, ops::ControlFlow, os::unix::fs::FileExt, path::Path};

use galley::store::{Batch, Keys, Store, StoreError, Table, postgres::PostgresStore};

use crate::{
    server::{Server, parsed},
    stores::{PostgresStores, any},
};

type Contents = BTreeMap<(Table, Vec<u8>), (u64, Vec<u8>)>;

fn contents(store: &dyn Store) -> (u64, Contents) {
    let snapshot = store.snapshot().unwrap();
    let mut contents = Contents::new();
    for table in Table::ALL {
        let scanned = snapshot.scan(table, &Keys::all(), &mut |key, revision, value| {
            contents.insert((table, key.to_vec()), (revision, value.to_vec()));
            ControlFlow::Continue(())
        });
        scanned.unwrap();
    }
    (snapshot.revision(), contents)
}

fn fill(store: &dyn Store) {
    for number in 0..200_u32 {
        let mut batch = Batch::new();
        batch
            .put(
                Table::Posts,
                number.to_be_bytes(),
                vec![7; number as usize * 50],
            )
            .put(Table::Slugs, format!("slug-{number}"), "")
            .delete(Table::Posts, (number / 2).to_be_bytes());
        store.commit(&batch).unwrap();
    }
}

fn schema_of(shared: &PostgresStores) -> String {
    let (_, schema) = shared.url.rsplit_once("%3D").unwrap();
    schema.to_owned()
}

#[test]
fn new_replica_has_the_records_of_the_others() {
    let shared = any();
    let store = shared.replica();
    fill(&store);

    assert_eq!(contents(&shared.replica()), contents(&store));
}

#[test]
fn reopened_replica_continues_at_its_revision() {
    let shared = any();
    let store = shared.replica();
    drop(shared.replica_in("closed.redb"));
    fill(&store);
    store
        .commit(Batch::new().delete(Table::Slugs, "slug-3"))
        .unwrap();

    let reopened = shared.replica_in("closed.redb");

    assert_eq!(contents(&reopened), contents(&store));
    assert!(
        reopened
            .changes_since(store.snapshot().unwrap().revision() - 1)
            .unwrap()
            .is_some()
    );
}

#[test]
fn damaged_replica_is_rebuilt() {
    let shared = any();
    let store = shared.replica_in("damaged.redb");
    fill(&store);
    let before = contents(&store);
    drop(store);
    let path = shared.path("damaged.redb");
    let file = fs::File::options().write(true).open(&path).unwrap();
    for page in 1..file.metadata().unwrap().len() / 4096 {
        file.write_all_at(&[0xff; 64], page * 4096).unwrap();
    }

    assert_eq!(contents(&shared.replica_in("damaged.redb")), before);
}

#[test]
fn replica_of_another_database_is_rebuilt() {
    let (one, other) = (any(), any());
    fill(&one.replica_in("moved.redb"));
    let store = other.replica();
    store
        .commit(Batch::new().put(Table::Tags, "a", "1"))
        .unwrap();
    fs::copy(one.path("moved.redb"), other.path("moved.redb")).unwrap();

    assert_eq!(contents(&other.replica_in("moved.redb")), contents(&store));
}

#[test]
fn replica_follows_a_database_that_was_restored() {
    let shared = any();
    let store = shared.replica();
    let put = |value: &str| {
        store
            .commit(Batch::new().put(Table::Tags, "a", value))
            .unwrap()
    };
    put("1");
    put("2");
    let schema = schema_of(&shared);
    // The state of a database that was restored from a backup after the first commit.
    let set_back = format!(
        "UPDATE {schema}.galley_store SET revision = 1; \
         DELETE FROM {schema}.galley_commits WHERE revision > 1; \
         UPDATE {schema}.galley_records SET revision = 1, value = 'old'"
    );
    Server::shared().run(&set_back).unwrap();
    let other = shared.replica();
    other
        .commit(Batch::new().put(Table::Tags, "b", "3"))
        .unwrap();
    other
        .commit(Batch::new().put(Table::Tags, "c", "3"))
        .unwrap();

    let (revision, found) = contents(&store);

    assert_eq!((revision, &found), (3, &contents(&other).1));
    assert_eq!(found[&(Table::Tags, b"a".to_vec())].1, b"old");
}

#[test]
fn replica_behind_the_retained_changes_is_rebuilt() {
    let shared = any();
    let store = shared.replica();
    store
        .commit(Batch::new().put(Table::Tags, "a", "1"))
        .unwrap();
    drop(shared.replica_in("behind.redb"));
    store
        .commit(
            Batch::new()
                .delete(Table::Tags, "a")
                .put(Table::Tags, "b", "1"),
        )
        .unwrap();
    store
        .commit(Batch::new().put(Table::Tags, "c", "1"))
        .unwrap();
    let schema = schema_of(&shared);
    let deleted = format!("SELECT count(*) FROM {schema}.galley_records WHERE value IS NULL");
    store.forget_deleted().unwrap();
    assert_eq!(Server::shared().run(&deleted).unwrap(), "1");
    let aged =
        format!("UPDATE {schema}.galley_commits SET committed_at = now() - interval '2 days'");
    Server::shared().run(&aged).unwrap();

    store.forget_deleted().unwrap();

    assert_eq!(Server::shared().run(&deleted).unwrap(), "0");
    let reopened = shared.replica_in("behind.redb");
    assert_eq!(contents(&reopened), contents(&store));
    assert_eq!(contents(&store).1.len(), 2);
}

#[test]
fn replica_in_use_is_refused() {
    let shared = any();
    let _store = shared.replica_in("used.redb");

    let opened = PostgresStore::open(&parsed(&shared.url), shared.path("used.redb"), 1 << 20);

    assert!(matches!(opened, Err(StoreError::InUse { .. })));
}

#[test]
fn store_of_a_newer_version_is_refused() {
    let shared = any();
    drop(shared.replica());
    let schema = schema_of(&shared);
    let newer = format!("UPDATE {schema}.galley_store SET format = 1000");
    Server::shared().run(&newer).unwrap();

    let opened = PostgresStore::open(&parsed(&shared.url), shared.path("other.redb"), 1 << 20);

    assert!(matches!(opened, Err(StoreError::Newer { found: 1000, .. })));
    assert!(!Path::new(&shared.path("other.redb")).exists());
}

#[test]
fn processes_that_start_concurrently_create_one_store() {
    let shared = any();
    let revisions = std::thread::scope(|scope| {
        let opened = [(); 6].map(|()| {
            scope.spawn(|| {
                let store = shared.replica();
                store
                    .commit(Batch::new().put(Table::Tags, "a", "1"))
                    .unwrap()
            })
        });
        opened.map(|opened| opened.join().unwrap())
    });

    let mut revisions = revisions.to_vec();
    revisions.sort();
    assert_eq!(revisions, [1, 2, 3, 4, 5, 6]);
}
