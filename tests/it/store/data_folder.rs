//! Tests that only one process can use the data folder, and that a second process gets an error that names the owner.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;

use galley::data_folder::{DataFolder, DataFolderError, Owner};
use tempfile::TempDir;

use super::other_process::{self, OtherProcess};

fn store_path() -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("galley-data");
    (parent, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn serving(folder: &DataFolder) -> Owner {
    Owner {
        address: Some("http://127.0.0.1:2368/".to_owned()),
        takes_commands: true,
        ..folder.owner().clone()
    }
}

fn refused(path: &Path) -> (String, Option<Box<Owner>>) {
    match DataFolder::open(path) {
        Ok(_) => panic!("the folder was opened twice"),
        Err(error) => {
            let text = format!("{error}\n{error:?}");
            match error {
                DataFolderError::InUse { owner, .. } => (text, owner),
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn missing_data_folder_is_created_private() {
    let (parent, _) = store_path();
    let path = parent.path().join("above/galley-data");

    let folder = DataFolder::open(&path).unwrap();

    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("galley.lock")), 0o600);
    assert_eq!(folder.path(), path);
}

#[test]
fn existing_data_folder_keeps_its_permissions() {
    let (_parent, path) = store_path();
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();

    let _folder = DataFolder::open(&path).unwrap();

    assert_eq!(mode(&path), 0o750);
}

#[test]
fn readable_lock_file_is_made_private() {
    let (_parent, path) = store_path();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("galley.lock"), "").unwrap();
    fs::set_permissions(path.join("galley.lock"), Permissions::from_mode(0o644)).unwrap();

    let _folder = DataFolder::open(&path).unwrap();

    assert_eq!(mode(&path.join("galley.lock")), 0o600);
}

#[test]
fn data_folder_names_the_store_file() {
    let (_parent, path) = store_path();

    let folder = DataFolder::open(&path).unwrap();

    assert_eq!(folder.store(), path.join("galley.redb"));
}

#[test]
#[ignore = "runs as the other process of relative_path_is_created_in_the_working_directory"]
fn open_by_relative_paths() {
    std::env::set_current_dir(other_process::given_path()).unwrap();
    let folder = DataFolder::open("galley-data").unwrap();
    super::open(&folder.store());
    super::open(Path::new("galley.redb"));
    println!("made both");
}

#[test]
fn relative_path_is_created_in_the_working_directory() {
    let (parent, path) = store_path();

    let mut process = OtherProcess::start(module_path!(), "open_by_relative_paths", parent.path());

    assert_eq!(process.next_said("made ").as_deref(), Some("both"));
    assert!(path.join("galley.redb").exists());
    assert!(parent.path().join("galley.redb").exists());
}

#[test]
fn non_unicode_path_is_accepted() {
    let (parent, _) = store_path();
    let path = parent.path().join(OsStr::from_bytes(b"galley-\xff\xfe"));

    let folder = DataFolder::open(&path).unwrap();

    assert_eq!(folder.store(), path.join("galley.redb"));
    let (message, _) = refused(&path);
    assert!(message.contains("galley-"));
    super::open(&folder.store());
}

#[test]
fn file_instead_of_the_data_folder_is_an_error() {
    let (_parent, path) = store_path();
    fs::write(&path, "").unwrap();

    let error = DataFolder::open(&path).unwrap_err();

    assert!(matches!(error, DataFolderError::Io { .. }));
    assert!(error.to_string().contains("galley-data"));
}

#[test]
#[ignore = "runs as the other process of the tests below"]
fn hold_the_folder() {
    let folder = DataFolder::open(other_process::given_path()).unwrap();
    folder.announce(&serving(&folder)).unwrap();
    println!("holding it");
    std::io::stdout().flush().unwrap();
    other_process::wait_for_the_end();
}

fn held_by_another(path: &Path) -> OtherProcess {
    let mut process = OtherProcess::start(module_path!(), "hold_the_folder", path);
    process.next_said("holding").unwrap();
    process
}

#[test]
fn second_process_gets_the_owner_of_the_folder_and_advice() {
    let (_parent, path) = store_path();
    let process = held_by_another(&path);

    let (message, owner) = refused(&path);

    let owner = owner.unwrap();
    assert_eq!(owner.pid, process.id());
    for part in [
        path.to_str().unwrap(),
        &format!("process {}", process.id()),
        &owner.started_at.to_string()[..16],
        "at http://127.0.0.1:2368/",
        "--data",
    ] {
        assert!(message.contains(part), "{part} is missing in: {message}");
    }
}

#[test]
fn owner_is_readable_without_locking() {
    let (_parent, path) = store_path();
    assert_eq!(DataFolder::owner_of(&path).unwrap(), None);
    assert!(!path.exists());
    let process = held_by_another(&path);

    let owner = DataFolder::owner_of(&path).unwrap().unwrap();

    assert_eq!(owner.pid, process.id());
    assert!(owner.takes_commands);
}

#[test]
fn owner_record_of_a_killed_process_is_ignored() {
    let (_parent, path) = store_path();
    let mut process = held_by_another(&path);
    process.kill();
    assert!(
        fs::read_to_string(path.join("galley.lock"))
            .unwrap()
            .contains("takes_commands")
    );

    assert_eq!(DataFolder::owner_of(&path).unwrap(), None);
    let folder = DataFolder::open(&path).unwrap();

    assert_eq!(folder.owner().pid, std::process::id());
    assert_eq!(
        DataFolder::owner_of(&path).unwrap().unwrap(),
        *folder.owner()
    );
}

#[test]
fn released_folder_has_no_owner() {
    let (_parent, path) = store_path();
    let folder = DataFolder::open(&path).unwrap();
    folder.announce(&serving(&folder)).unwrap();

    drop(folder);

    assert_eq!(fs::read(path.join("galley.lock")).unwrap(), b"");
    DataFolder::open(&path).unwrap();
}

#[test]
fn shorter_owner_record_replaces_a_longer_one() {
    let (_parent, path) = store_path();
    let folder = DataFolder::open(&path).unwrap();
    folder.announce(&serving(&folder)).unwrap();

    folder.announce(folder.owner()).unwrap();

    assert_eq!(
        DataFolder::owner_of(&path).unwrap().unwrap(),
        *folder.owner()
    );
}

#[test]
fn owner_without_a_record_still_holds_the_lock() {
    let (_parent, path) = store_path();
    let _folder = DataFolder::open(&path).unwrap();
    fs::write(path.join("galley.lock"), "").unwrap();

    let (message, owner) = refused(&path);

    assert_eq!(owner, None);
    assert!(message.contains("just starting or stopping"), "{message}");
    assert!(matches!(
        DataFolder::owner_of(&path),
        Err(DataFolderError::InUse { owner: None, .. })
    ));
}

#[test]
fn clients_reading_the_lock_do_not_block_a_server() {
    let (_parent, path) = store_path();
    drop(DataFolder::open(&path).unwrap());

    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            for _ in 0..2_000 {
                DataFolder::owner_of(&path).unwrap();
            }
        });
        while !watcher.is_finished() {
            drop(DataFolder::open(&path).unwrap());
        }
    });
}
