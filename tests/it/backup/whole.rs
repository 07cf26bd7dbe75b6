//! Tests of a full backup during writes, and of the site that is restored from it.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use galley::{
    backup::{self, BackupError, BackupOptions, BackupReport, BackupTarget},
    clock::SystemClock,
    progress::NoProgress,
    site::{Site, SiteSnapshot},
    store::{
        Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
    uploads::Uploads,
};
use serde_json::Value;

use super::{files_of, folder, names_in, verdict, write};

fn open(data: &Path) -> Site {
    let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
}

fn back_up(site: &Site, data: &Path, target: &Path) -> Result<BackupReport, BackupError> {
    let order = BackupOptions {
        target: BackupTarget::File(target.to_owned()),
        overwrites: false,
    };
    backup::write(site, data, &Uploads::in_data(data), &order, &NoProgress)
}

/// Returns the records of the tables that every commit adds to.
fn records(snapshot: &SiteSnapshot) -> BTreeMap<Vec<u8>, Value> {
    let mut records = BTreeMap::new();
    for table in [Table::Integrations, Table::Settings, Table::Tiers] {
        snapshot
            .visit::<Value>(table, |key, record| {
                let key = [table.name().as_bytes(), b" ", key].concat();
                records.insert(key, record);
                Ok(())
            })
            .unwrap();
    }
    records
}

#[test]
fn backup_under_heavy_writes_restores_one_commit() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let site = open(&data);
    let finished = AtomicBool::new(false);

    let (states, restored) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut states = BTreeMap::new();
            for number in 1.. {
                if finished.load(Ordering::Relaxed) {
                    break;
                }
                site.write(|transaction| {
                    transaction.add_integration(&format!("number {number}"), None)
                })
                .unwrap();
                let snapshot = site.current();
                states.insert(snapshot.catalog.revision, records(&snapshot));
            }
            states
        });
        while site.current().catalog.revision < 20 {
            thread::yield_now();
        }
        let restored: Vec<_> = (0..3)
            .map(|number| {
                let target = folder.path().join(format!("{number}.zip"));
                let report = back_up(&site, &data, &target).unwrap();
                let restored = folder.path().join(format!("restored-{number}"));
                backup::restore(
                    &target,
                    &restored,
                    &Uploads::in_data(&restored),
                    &NoProgress,
                )
                .unwrap();
                (report.revision, restored)
            })
            .collect();
        let revision = site.current().catalog.revision;
        assert!(revision > restored[2].0, "no client wrote meanwhile");
        finished.store(true, Ordering::Relaxed);
        (writer.join().unwrap(), restored)
    });
    for (revision, restored) in restored {
        let restored = open(&restored);
        let snapshot = restored.current();
        assert_eq!(snapshot.catalog.revision, revision);
        assert!(records(&snapshot) == states[&revision]);
    }
}

#[test]
fn backup_includes_uploads_but_not_derived_files() {
    let folder = folder();
    let data = folder.path().join("data");
    for (path, content) in [
        ("images/2026/11/ferry.jpg", "a picture"),
        ("images/size/w600/2026/11/ferry.jpg/1-2/w600.webp", "a copy"),
        ("media/2026/11/horn.mp3", "an audio file"),
        ("files/2026/11/Fahrplan März.pdf", "a document"),
        ("files/2026/11/empty.txt", ""),
        ("themes/harbour/package.json", "{}"),
        ("themes/harbour/assets/built/screen.css", "a {}"),
        ("themes/.incoming-1-2/package.json", "half of a theme"),
        ("waiting-1-2", "half of an upload"),
        ("of-somebody-else/notes.txt", "not the site's"),
    ] {
        write(data.join(path), content);
    }
    let site = open(&data);
    let target = folder.path().join("site.zip");

    let report = back_up(&site, &data, &target).unwrap();
    let restored = folder.path().join("new/restored");
    let verdict = backup::restore(
        &target,
        &restored,
        &Uploads::in_data(&restored),
        &NoProgress,
    )
    .unwrap();

    let files = files_of(&restored);
    let names: Vec<_> = files
        .iter()
        .map(|(path, _)| path.to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "files/2026/11/Fahrplan März.pdf",
            "files/2026/11/empty.txt",
            "galley.lock",
            "galley.redb",
            "images/2026/11/ferry.jpg",
            "media/2026/11/horn.mp3",
            "themes/harbour/assets/built/screen.css",
            "themes/harbour/package.json",
        ]
    );
    for (path, content) in &files {
        if !path.starts_with("galley.redb") && !path.starts_with("galley.lock") {
            assert_eq!(content, &fs::read(data.join(path)).unwrap(), "{path:?}");
        }
    }
    assert_eq!((report.files, verdict.files), (7, 7));
    assert_eq!(report.left_out, [""; 0]);
    assert_eq!(report.bytes, fs::metadata(&target).unwrap().len());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&target), 0o600, "the backup");
    assert_eq!(mode(&restored), 0o700, "the data folder");
    assert_eq!(mode(&restored.join("galley.redb")), 0o600, "the store");
    assert_eq!(names_in(folder.path()), ["data", "new", "site.zip"]);
}

#[test]
fn backup_has_a_manifest_and_is_a_valid_zip_archive() {
    let folder = folder();
    let data = folder.path().join("data");
    write(data.join("images/a.svg"), "<svg/>");
    let site = open(&data);
    site.write(|transaction| transaction.add_integration("Reader", None))
        .unwrap();
    let target = folder.path().join("site.zip");
    back_up(&site, &data, &target).unwrap();

    let python = "import hashlib, json, sys, zipfile\n\
        archive = zipfile.ZipFile(sys.argv[1])\n\
        assert archive.testzip() is None\n\
        manifest = json.loads(archive.read('manifest.json'))\n\
        for file in manifest['files']:\n\
        \x20   content = archive.read(file['path'])\n\
        \x20   assert len(content) == file['bytes']\n\
        \x20   assert hashlib.sha256(content).hexdigest() == file['sha256']\n\
        whole = open(sys.argv[1], 'rb').read()\n\
        assert hashlib.sha256(whole[:-64]).hexdigest() == whole[-64:].decode()\n\
        del manifest['files'], manifest['created_at']\n\
        print(archive.namelist(), json.dumps(manifest))\n";
    let output = std::process::Command::new("python3")
        .args(["-c", python])
        .arg(&target)
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        out.trim_end(),
        format!(
            "['galley.redb', 'images/a.svg', 'manifest.json'] \
             {{\"format\": 1, \"galley\": \"{}\", \"store_format\": 1, \"revision\": 2}}",
            env!("CARGO_PKG_VERSION")
        ),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn files_that_cannot_be_backed_up_are_reported() {
    let folder = folder();
    let data = folder.path().join("data");
    write(data.join("images/good.png"), "a picture");
    write(data.join("images/back\\slash.png"), "a picture");
    fs::create_dir_all(data.join("media")).unwrap();
    symlink("/etc/passwd", data.join("media/link")).unwrap();
    let site = open(&data);
    let target = folder.path().join("site.zip");
    let report = back_up(&site, &data, &target).unwrap();
    assert_eq!(report.files, 2);
    assert_eq!(report.left_out.len(), 2, "{:?}", report.left_out);
    assert!(report.left_out[0].starts_with("images/back\\\\slash.png: "));
    assert_eq!(
        report.left_out[1],
        "media/link: it is neither a file nor a folder"
    );
    assert!(verdict(&target).unwrap().damages.is_empty());
}

#[test]
fn check_of_a_complete_backup_lists_its_contents() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let site = open(&data);
    site.write(|transaction| transaction.add_integration("Reader", None))
        .unwrap();
    let target = folder.path().join("site.zip");
    let before = site.now();
    back_up(&site, &data, &target).unwrap();
    let bytes = fs::read(&target).unwrap();

    let verdict = verdict(&target).unwrap();

    assert!(verdict.created_at >= before);
    assert_eq!(verdict.revision, site.current().catalog.revision);
    let site_in_it = verdict.site.unwrap();
    assert_eq!(site_in_it.counts["integrations"], 1);
    assert_eq!(site_in_it.counts["tiers"], 2);
    assert!(verdict.damages.is_empty());
    assert!(fs::read(&target).unwrap() == bytes, "it was written to");
    assert_eq!(names_in(folder.path()), ["data", "site.zip"]);
}

#[test]
fn restore_refuses_an_existing_site() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let site = open(&data);
    let target = folder.path().join("site.zip");
    back_up(&site, &data, &target).unwrap();

    let other = folder.path().join("other");
    write(other.join("notes.txt"), "mine");
    let refused = backup::restore(&target, &other, &Uploads::in_data(&other), &NoProgress);
    assert!(matches!(refused, Err(BackupError::NotEmpty(_))));
    assert_eq!(names_in(&other), ["notes.txt"]);

    let empty = folder.path().join("empty");
    fs::create_dir_all(empty.join("lost+found")).unwrap();
    fs::write(empty.join("galley.lock"), "").unwrap();
    backup::restore(&target, &empty, &Uploads::in_data(&empty), &NoProgress).unwrap();
    assert_eq!(
        names_in(&empty),
        ["galley.lock", "galley.redb", "lost+found"]
    );
}

#[test]
fn leftovers_of_a_killed_restore_are_removed_by_the_next() {
    let folder = folder();
    let data = folder.path().join("data");
    write(data.join("images/a.png"), "a picture");
    let site = open(&data);
    let target = folder.path().join("site.zip");
    back_up(&site, &data, &target).unwrap();

    let restored = folder.path().join("restored");
    let leave_behind = || {
        write(restored.join("images/a.png"), "a picture");
        write(restored.join("restoring/galley.redb"), "half a store");
    };
    leave_behind();
    backup::clear_abandoned(&restored).unwrap();
    assert_eq!(names_in(&restored), [""; 0]);

    leave_behind();
    backup::restore(
        &target,
        &restored,
        &Uploads::in_data(&restored),
        &NoProgress,
    )
    .unwrap();
    assert_eq!(
        names_in(&restored),
        ["galley.lock", "galley.redb", "images"]
    );

    // A restore that was killed after everything had been moved into the data folder.
    fs::create_dir(restored.join("restoring")).unwrap();
    backup::clear_abandoned(&restored).unwrap();
    assert_eq!(
        names_in(&restored),
        ["galley.lock", "galley.redb", "images"]
    );
}
