//! Tests of which stores are opened or rejected, and that rejected stores stay unchanged.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use galley::store::memory::MemoryStore;
use galley::store::redb::{DEFAULT_CACHE_BYTES, RedbStore};
use galley::store::{Batch, FORMAT_VERSION, Store, StoreError, Table};
use redb::{Database, TableDefinition};
use tempfile::TempDir;

use super::other_process::{self, OtherProcess};

fn store_path() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    (folder, path)
}

/// Opens a store, which must be rejected, checks that not even its modification time changes, and returns the error.
fn refusal(path: &Path) -> StoreError {
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    fs::File::open(path)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    let before = fs::read(path).unwrap();
    let modified = fs::metadata(path).unwrap().modified().unwrap();

    let Err(error) = RedbStore::open(path, DEFAULT_CACHE_BYTES) else {
        panic!("{} was opened", path.display());
    };

    assert!(fs::read(path).unwrap() == before, "the file was changed");
    assert_eq!(fs::metadata(path).unwrap().modified().unwrap(), modified);
    error
}

/// Creates a redb file whose table `galley` has the format version `format`.
fn file_of_format(path: &Path, format: u64) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    let mark: TableDefinition<&str, u64> = TableDefinition::new("galley");
    transaction
        .open_table(mark)
        .unwrap()
        .insert("format", format)
        .unwrap();
    transaction.commit().unwrap();
}

#[test]
fn missing_store_is_created_and_persists_commits() {
    let (_folder, path) = store_path();

    let store = super::open(&path);
    store
        .commit(Batch::new().put(Table::Posts, "a", "b"))
        .unwrap();
    drop(store);

    let store = super::open(&path);
    assert_eq!(store.snapshot().unwrap().revision(), 1);
    assert_eq!(super::contents_of(&store).len(), 1);
}

#[test]
fn new_store_is_private() {
    let (_folder, path) = store_path();

    let _store = super::open(&path);

    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn large_batch_leaves_no_temporary_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = super::open(&folder.path().join("galley.redb"));
    let mut batch = store.batch();
    for number in 0..20_u8 {
        batch
            .put_spilling(Table::Bodies, [number], vec![number; 1 << 20])
            .unwrap();
    }
    let names = || -> Vec<_> {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!(names(), ["galley.redb"]);
    store.commit(&batch).unwrap();
    assert_eq!(names(), ["galley.redb"]);
}

#[test]
fn new_store_leaves_no_temporary_files() {
    let (folder, path) = store_path();

    let _store = super::open(&path);

    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn leftovers_of_an_interrupted_creation_are_harmless() {
    let (_folder, path) = store_path();
    fs::write(path.with_extension("redb.new"), "half a file").unwrap();

    let store = super::open(&path);

    assert_eq!(store.snapshot().unwrap().revision(), 0);
}

#[test]
fn missing_folder_is_an_error_that_names_the_file() {
    let (folder, _) = store_path();
    let path = folder.path().join("missing/galley.redb");

    let Err(error) = RedbStore::open(&path, DEFAULT_CACHE_BYTES) else {
        panic!("the store was opened in a missing folder");
    };

    assert!(matches!(error, StoreError::Io { .. }));
    assert!(error.to_string().contains("missing/galley.redb"), "{error}");
}

#[test]
fn file_that_is_not_a_database_is_rejected_unchanged() {
    let (_folder, path) = store_path();
    fs::write(&path, "Dear diary, ").unwrap();

    let error = refusal(&path);

    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    assert!(error.to_string().contains("is not a Galley store"));
    assert!(error.to_string().contains("--data"));
}

#[test]
fn database_of_another_program_is_rejected_unchanged() {
    let (_folder, path) = store_path();
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: TableDefinition<u64, u64> = TableDefinition::new("theirs");
    transaction.open_table(table).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    drop(database);

    let error = refusal(&path);

    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
}

#[test]
fn crashed_database_of_another_program_is_rejected_unrepaired() {
    let (folder, path) = store_path();
    let theirs = folder.path().join("theirs.redb");
    let database = Database::create(&theirs).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: TableDefinition<u64, u64> = TableDefinition::new("theirs");
    transaction.open_table(table).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    fs::copy(&theirs, &path).unwrap();

    let error = refusal(&path);

    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
}

#[test]
fn same_table_name_of_another_program_is_rejected() {
    let (_folder, path) = store_path();
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let mark: TableDefinition<u64, &str> = TableDefinition::new("galley");
    transaction
        .open_table(mark)
        .unwrap()
        .insert(1, "a ship's kitchen")
        .unwrap();
    transaction.commit().unwrap();
    drop(database);

    let error = refusal(&path);

    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
}

#[test]
fn newer_format_is_rejected_unchanged() {
    let (_folder, path) = store_path();
    file_of_format(&path, FORMAT_VERSION + 1);

    let error = refusal(&path);

    assert!(
        matches!(error, StoreError::Newer { found, .. } if found == FORMAT_VERSION + 1),
        "{error}"
    );
    assert!(error.to_string().contains("newer Galley"));
}

#[test]
fn current_format_is_opened() {
    let (_folder, path) = store_path();
    file_of_format(&path, FORMAT_VERSION);

    assert_eq!(super::open(&path).snapshot().unwrap().revision(), 0);
}

#[test]
fn store_without_a_newer_table_is_opened_and_gets_it() {
    let (_folder, path) = store_path();
    file_of_format(&path, FORMAT_VERSION);
    let store = super::open(&path);
    assert!(super::contents_of(&store).is_empty());

    for table in Table::ALL {
        store.commit(Batch::new().put(table, "a", "b")).unwrap();
    }

    assert_eq!(super::contents_of(&store).len(), Table::ALL.len());
}

#[test]
fn empty_file_is_damaged_and_not_initialised() {
    let (_folder, path) = store_path();
    fs::write(&path, "").unwrap();

    let error = refusal(&path);

    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("restore the file from a backup"));
}

#[test]
fn folder_instead_of_the_store_is_an_error() {
    let (_folder, path) = store_path();
    fs::create_dir(&path).unwrap();

    let opened = RedbStore::open(&path, DEFAULT_CACHE_BYTES);

    assert!(matches!(opened, Err(StoreError::Io { .. })));
}

#[test]
fn read_only_opening_writes_nothing_even_after_a_crash() {
    let (folder, crashed) = store_path();
    let closed = folder.path().join("closed.redb");
    let store = super::open(&closed);
    store
        .commit(Batch::new().put(Table::Posts, "a", "b"))
        .unwrap();
    fs::copy(&closed, &crashed).unwrap();
    drop(store);

    for path in [closed, crashed] {
        let before = fs::read(&path).unwrap();
        assert_eq!(super::contents_of(&super::open(&path)).len(), 1);
        assert!(fs::read(&path).unwrap() == before);
    }
}

#[test]
fn uncleanly_copied_store_opens_at_its_last_commit() {
    let (folder, path) = store_path();
    let copied_from = folder.path().join("original.redb");
    let store = super::open(&copied_from);
    for value in ["one", "two", "three"] {
        store
            .commit(Batch::new().put(Table::Posts, "a", value))
            .unwrap();
    }
    fs::copy(&copied_from, &path).unwrap();

    let copy = super::open(&path);

    assert_eq!(super::contents_of(&copy), super::contents_of(&store));
    copy.commit(Batch::new().put(Table::Posts, "a", "four"))
        .unwrap();
    drop(copy);
    assert_eq!(super::open(&path).snapshot().unwrap().revision(), 4);
}

#[test]
#[ignore = "runs as the other process of second_process_gets_an_error_that_the_store_is_open"]
fn hold_the_store() {
    let _store = super::open(&other_process::given_path());
    println!("open now");
    std::io::stdout().flush().unwrap();
    other_process::wait_for_the_end();
}

#[test]
fn second_process_gets_an_error_that_the_store_is_open() {
    let (_folder, path) = store_path();
    let mut process = OtherProcess::start(module_path!(), "hold_the_store", &path);
    process.next_said("open").unwrap();

    let refused = RedbStore::open(&path, DEFAULT_CACHE_BYTES);

    assert!(matches!(refused, Err(StoreError::InUse { .. })));
    process.kill();
    super::open(&path);
}

#[test]
fn store_of_one_process_has_no_nodes() {
    let folder = tempfile::tempdir().unwrap();
    assert!(
        RedbStore::open(folder.path().join("galley.redb"), DEFAULT_CACHE_BYTES)
            .unwrap()
            .nodes()
            .is_none()
    );
    assert!(MemoryStore::new().nodes().is_none());
}
