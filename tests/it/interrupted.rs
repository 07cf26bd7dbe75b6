//! Tests of commands that are killed halfway: the result is the old site or the new one, or a folder that only the killed
//! command can complete.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use galley::{
    backup,
    data_folder::{DataFolder, DataFolderError, UNFINISHED, UnfinishedWork},
    progress::{NoProgress, Progress},
    store::{
        Batch, Store, Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
    uploads::Uploads,
};
use galley_tests::{
    command_line::{galley, output},
    killing::{failure, kill_at_many_moments},
};
use tempfile::TempDir;

/// Runs `galley serve`, which must not start, and returns its error message.
fn refusal_to_serve(folder: &Path, data: &str) -> String {
    let serve = [
        "serve",
        "--no-content",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data,
    ];
    failure(&mut galley(folder, &serve)).expect("`galley serve` does not start")
}

/// Returns whether nothing was created in the folder.
fn is_new(data: &Path) -> bool {
    let Ok(entries) = fs::read_dir(data) else {
        return true;
    };
    entries.count() == 0
}

/// Returns a folder with a site in `data`, and a backup that takes a while to restore.
fn backed_up() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    output(
        folder.path(),
        &["key", "create", "--name", "Reader", "--data", "data"],
    );
    let images = folder.path().join("data/images");
    fs::create_dir(&images).unwrap();
    for number in 0..40 {
        fs::write(images.join(format!("{number}.bin")), vec![number; 300_000]).unwrap();
    }
    output(folder.path(), &["backup", "site.zip", "--data", "data"]);
    folder
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Copies the data folder at many moments of a restore. Each copy is in the state that a kill would leave.
struct CopyingProgress<'a> {
    data: &'a Path,
    folder: &'a Path,
    moments: AtomicUsize,
}

impl Progress for CopyingProgress<'_> {
    fn advance(&self, _done: u64, _total: u64) {
        let moment = self.moments.fetch_add(1, Ordering::Relaxed) + 1;
        // The copy is not locked, like the folder of a killed process.
        if moment % 8 == 1 {
            copy_folder(self.data, &self.folder.join(format!("copy-{moment}")));
        }
    }
}

#[test]
fn interrupted_restore_never_leaves_a_folder_that_opens_as_a_site() {
    let folder = backed_up();
    let data = folder.path().join("restored");
    let progress = CopyingProgress {
        data: &data,
        folder: folder.path(),
        moments: AtomicUsize::new(0),
    };
    let backup = folder.path().join("site.zip");
    backup::restore(&backup, &data, &Uploads::in_data(&data), &progress).unwrap();

    let copies: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("copy-")
        })
        .collect();
    assert!(copies.len() > 4, "{copies:?}");
    for copy in copies {
        let refused = DataFolder::open(&copy).unwrap_err();
        assert!(
            matches!(refused, DataFolderError::Unfinished { .. }),
            "{refused}"
        );
        backup::restore(&backup, &copy, &Uploads::in_data(&copy), &NoProgress).unwrap();
        assert_eq!(fs::read_dir(copy.join("images")).unwrap().count(), 40);
        assert!(!copy.join(UNFINISHED).exists() && !copy.join("restoring").exists());
    }
    drop(DataFolder::open(&data).unwrap());
}

#[test]
fn killed_restore_leaves_the_whole_site_or_none_and_can_be_repeated() {
    let folder = backed_up();
    let folder = folder.path();
    let keys = output(folder, &["key", "list", "--data", "data"]);
    let data = |number: u32| format!("restored-{number}");
    kill_at_many_moments(
        |number| galley(folder, &["restore", "site.zip", "--data", &data(number)]),
        |number| {
            let data = data(number);
            if !folder.join(&data).join("galley.redb").exists() {
                if !is_new(&folder.join(&data)) {
                    let refused = refusal_to_serve(folder, &data);
                    assert!(
                        refused.contains("Run the same `galley restore` again"),
                        "{refused}"
                    );
                }
                output(folder, &["restore", "site.zip", "--data", &data]);
            }
            assert_eq!(
                output(folder, &["key", "list", "--data", &data]),
                keys,
                "{number}"
            );
            assert_eq!(
                fs::read_dir(folder.join(&data).join("images"))
                    .unwrap()
                    .count(),
                40
            );
        },
    );
}

#[test]
fn every_command_refuses_an_unfinished_folder_with_advice() {
    let folder = backed_up();
    let folder = folder.path();
    let keys = output(folder, &["key", "list", "--data", "data"]);
    let data = folder.join("restored");
    let work = UnfinishedWork::of("galley restore", Some("galley.redb".into()));
    drop(DataFolder::begin(&data, &work).unwrap());
    let export = export();
    for arguments in [
        &["serve", "--no-content", "--listen", "127.0.0.1:0"][..],
        &["status"],
        &["key", "list"],
        &["key", "create", "--name", "A"],
        &[
            "user",
            "create",
            "--name",
            "A",
            "--email",
            "a@example.com",
            "--role",
            "owner",
        ],
        &["user", "list"],
        &["theme", "list"],
        &["webhook", "list"],
        &["import", &export],
        &["export", "site.json"],
        &["backup", "other.zip"],
        &["build", "static", "--url", "https://example.com"],
        &["compact"],
        &[
            "copy",
            "--from",
            "restored",
            "--to",
            "postgres://galley@127.0.0.1:1/none",
        ],
    ] {
        let mut command = galley(folder, arguments);
        let refused = failure(command.args(["--data", "restored"])).unwrap_or_default();
        assert!(
            refused.contains("restored has no site yet")
                && refused.contains("`galley restore` again"),
            "{arguments:?}: {refused}"
        );
        assert!(!data.join("galley.redb").exists(), "{arguments:?}");
    }
    // A restore of a damaged backup changes nothing.
    fs::write(folder.join("damaged.zip"), "PK").unwrap();
    let refused = failure(&mut galley(
        folder,
        &["restore", "damaged.zip", "--data", "restored"],
    ));
    assert!(refused.is_some());
    assert!(refusal_to_serve(folder, "restored").contains("galley restore"));
    output(folder, &["restore", "site.zip", "--data", "restored"]);
    assert_eq!(output(folder, &["key", "list", "--data", "restored"]), keys);
}

#[test]
fn only_the_killed_command_can_complete_its_folder() {
    let folder = backed_up();
    let folder = folder.path();
    let data = folder.join("new");
    drop(DataFolder::begin(&data, &UnfinishedWork::of("galley import", None)).unwrap());
    let refused = failure(&mut galley(
        folder,
        &["restore", "site.zip", "--data", "new"],
    ));
    let refused = refused.unwrap_or_default();
    assert!(refused.contains("`galley import` again"), "{refused}");
    output(folder, &["import", &export(), "--data", "new"]);
    assert!(!data.join(UNFINISHED).exists());
    assert!(output(folder, &["user", "list", "--data", "new"]).contains("Owner"));
}

/// Returns the path of an export with an owner.
fn export() -> String {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/files");
    let path = files.join("harbour.ghost.2026-01-31.json");
    path.to_str().unwrap().to_owned()
}

#[test]
fn killed_import_into_a_new_folder_leaves_the_whole_site_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = |number: u32| format!("data-{number}");
    kill_at_many_moments(
        |number| galley(folder, &["import", &export(), "--data", &data(number)]),
        |number| {
            let data = data(number);
            if folder.join(&data).join(UNFINISHED).exists() {
                let refused = refusal_to_serve(folder, &data);
                assert!(
                    refused.contains("Run the same `galley import` again"),
                    "{refused}"
                );
                output(folder, &["import", &export(), "--data", &data]);
            } else if !folder.join(&data).join("galley.redb").exists() {
                assert!(is_new(&folder.join(&data)), "{number}");
                return;
            }
            let users = output(folder, &["user", "list", "--data", &data]);
            assert!(users.contains("Owner"), "{number}: {users}");
        },
    );
}

#[test]
fn killed_init_is_completed_by_the_next_init() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let site = |number: u32| format!("site-{number}");
    let init = |site: &str, title: &str| {
        let mail = "ada@example.com";
        galley(folder, &["init", site, "--title", title, "--email", mail])
    };
    kill_at_many_moments(
        |number| init(&site(number), "Tides"),
        |number| {
            let name = site(number);
            let site = folder.join(&name);
            if !site.join("galley.toml").exists() {
                if site.join("galley-data").join(UNFINISHED).exists() {
                    let refused = refusal_to_serve(&site, "galley-data");
                    assert!(
                        refused.contains("Run the same `galley init` again"),
                        "{refused}"
                    );
                }
                assert_eq!(failure(&mut init(&name, "Winds")), None, "{number}");
                let titled = fs::read_to_string(site.join("content/site.toml")).unwrap();
                assert!(titled.contains("Winds"), "{titled}");
            }
            let users = output(&site, &["user", "list"]);
            assert!(users.contains("Owner, active"), "{number}: {users}");
            assert!(
                !site.join("galley-data").join(UNFINISHED).exists(),
                "{number}"
            );
        },
    );
}

#[test]
fn killed_compaction_and_backup_leave_the_site_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    output(
        folder,
        &["key", "create", "--name", "Reader", "--data", "data"],
    );
    let keys = output(folder, &["key", "list", "--data", "data"]);
    let fill = || {
        let path = folder.join("data/galley.redb");
        let store = RedbStore::open(path, DEFAULT_CACHE_BYTES).unwrap();
        for is_there in [true, false] {
            let mut batch = Batch::new();
            for key in 0..4000_u32 {
                if is_there {
                    batch.put(Table::MemberTokens, key.to_be_bytes(), vec![7; 700]);
                } else {
                    batch.delete(Table::MemberTokens, key.to_be_bytes());
                }
            }
            store.commit(&batch).unwrap();
        }
    };
    kill_at_many_moments(
        |_| {
            fill();
            galley(folder, &["compact", "--data", "data"])
        },
        |number| {
            assert_eq!(
                output(folder, &["key", "list", "--data", "data"]),
                keys,
                "{number}"
            )
        },
    );
    let backup = |number: u32| format!("{number}.zip");
    kill_at_many_moments(
        |number| galley(folder, &["backup", &backup(number), "--data", "data"]),
        |number| {
            if folder.join(backup(number)).exists() {
                assert!(output(folder, &["check", &backup(number)]).ends_with("intact.\n"));
            }
            assert_eq!(
                output(folder, &["key", "list", "--data", "data"]),
                keys,
                "{number}"
            );
        },
    );
}
