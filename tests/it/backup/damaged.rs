//! Tests of truncated, damaged and malicious backups.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    backup::{self, Backup, BackupError, BackupOptions, BackupTarget},
    clock::SystemClock,
    progress::{NoProgress, Progress},
    site::Site,
    store::redb::{DEFAULT_CACHE_BYTES, RedbStore},
    uploads::Uploads,
};
use serde_json::json;
use tempfile::TempDir;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{folder, names_in, verdict, write};

/// Returns a backup of a small site, and the folder that contains it.
fn backup() -> (TempDir, PathBuf) {
    let folder = folder();
    let data = folder.path().join("data");
    write(data.join("images/2026/11/ferry.svg"), "<svg/>".repeat(100));
    write(data.join("themes/harbour/package.json"), "{}");
    let store = RedbStore::open(data.join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
    let target = folder.path().join("site.zip");
    let order = BackupOptions {
        target: BackupTarget::File(target.clone()),
        overwrites: false,
    };
    backup::write(&site, &data, &Uploads::in_data(&data), &order, &NoProgress).unwrap();
    fs::remove_dir_all(data).unwrap();
    (folder, target)
}

/// Asserts that damage to the backup is detected.
fn assert_detected(path: &Path, what: &str) {
    let is_detected = verdict(path).map_or(true, |verdict| !verdict.damages.is_empty());
    assert!(is_detected, "{what} is not detected");
}

#[test]
fn damage_is_detected_anywhere() {
    let (folder, path) = backup();
    let whole = fs::read(&path).unwrap();
    assert!(verdict(&path).unwrap().damages.is_empty());
    // Every part of the archive: offsets at its beginning and end, and random offsets that differ in each run.
    let directory = whole
        .windows(4)
        .rposition(|at| at == b"PK\x01\x02")
        .unwrap();
    let mut seed = std::process::id() as usize;
    let mut anywhere = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 16) % whole.len()
    };
    let mut offsets: Vec<usize> = (0..40).map(|_| anywhere()).collect();
    offsets.extend((0..60).chain(directory..whole.len()).step_by(7));
    for offset in offsets {
        let mut damaged = whole.clone();
        damaged[offset] ^= 1 << (offset % 8);
        fs::write(&path, &damaged).unwrap();
        assert_detected(&path, &format!("a flipped bit at {offset}"));
    }
    assert_eq!(names_in(folder.path()), ["site.zip"]);
}

#[test]
fn truncated_backup_is_detected() {
    let (_folder, path) = backup();
    let whole = fs::read(&path).unwrap();
    for length in [
        0,
        1,
        30,
        1000,
        whole.len() / 2,
        whole.len() - 65,
        whole.len() - 1,
    ] {
        fs::write(&path, &whole[..length]).unwrap();
        assert_detected(&path, &format!("truncation to {length} bytes"));
    }
    let longer = [&whole[..], b"more"].concat();
    fs::write(&path, longer).unwrap();
    assert_detected(&path, "trailing data");
}

#[test]
fn damaged_file_is_named_and_nothing_is_restored() {
    let (folder, path) = backup();
    let mut damaged = fs::read(&path).unwrap();
    let image = damaged.windows(6).position(|at| at == b"<svg/>").unwrap();
    damaged[image + 1] = b'S';
    fs::write(&path, damaged).unwrap();

    let damages = verdict(&path).unwrap().damages;
    assert_eq!(damages.len(), 1);
    assert_eq!(
        damages[0].to_string(),
        "images/2026/11/ferry.svg: its content has changed"
    );

    let restored = folder.path().join("new/restored");
    let refused =
        backup::restore(&path, &restored, &Uploads::in_data(&restored), &NoProgress).map(drop);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the backup is damaged, and nothing was restored:\n  images/2026/11/ferry.svg: its content has changed"
    );
    assert_eq!(names_in(folder.path()), ["site.zip"]);
}

/// Writes a zip archive of these files. With `listed`, the archive has a manifest of these names, like a backup.
fn archive(path: &Path, files: &[(&str, &[u8])], listed: Option<&[&str]>) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    if let Some(listed) = listed {
        let entries: Vec<_> = listed
            .iter()
            .map(|name| json!({"path": name, "bytes": 1, "sha256": "00"}))
            .collect();
        let list = json!({
            "format": 1, "galley": "0.1.0", "store_format": 1, "revision": 1,
            "created_at": "2026-11-22T00:00:00Z", "files": entries,
        });
        zip.start_file("manifest.json", options).unwrap();
        zip.write_all(list.to_string().as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn file_that_is_not_a_backup_is_recognised() {
    let folder = folder();
    let path = folder.path().join("a.zip");
    archive(&path, &[("holiday.jpg", b"sun")], None);
    let output = verdict(&path).unwrap_err();
    assert!(matches!(output, BackupError::NotABackup { .. }));
    assert!(output.to_string().ends_with("it has no manifest.json"));

    fs::write(&path, "dear diary").unwrap();
    let output = verdict(&path).unwrap_err().to_string();
    assert!(output.ends_with("a.zip is not a backup of Galley: it is not a zip archive"));

    let output = verdict(&folder.path().join("missing.zip")).unwrap_err();
    assert!(matches!(output, BackupError::Read { .. }));
}

#[test]
fn backup_of_a_newer_version_is_reported_as_such() {
    let folder = folder();
    let path = folder.path().join("a.zip");
    for (format, store_format) in [(2, 1), (1, 2)] {
        let list = json!({"format": format, "galley": "9.0.0", "store_format": store_format});
        archive(
            &path,
            &[("manifest.json", list.to_string().as_bytes())],
            None,
        );
        let output = verdict(&path).unwrap_err();
        assert!(matches!(&output, BackupError::Newer { .. }), "{output}");
        assert!(output.to_string().contains("Galley 9.0.0"));
    }
}

#[test]
fn archive_with_paths_outside_the_expected_folders_is_rejected() {
    let folder = folder();
    let path = folder.path().join("a.zip");
    let restored = folder.path().join("restored");
    for name in [
        "../evil",
        "/etc/evil",
        "images/../../evil",
        "images\\evil",
        "galley.lock",
        "galley.toml",
        "images",
        "evil/a",
        "images/size/w600/a.png",
        "restoring/a",
    ] {
        archive(&path, &[(name, b"x")], Some(&[name]));
        assert_detected(&path, name);
        assert!(
            backup::restore(&path, &restored, &Uploads::in_data(&restored), &NoProgress).is_err(),
            "{name}"
        );
        assert_eq!(names_in(folder.path()), ["a.zip"], "{name}");
    }
}

#[test]
fn archive_whose_manifest_and_content_differ_is_rejected() {
    let folder = folder();
    let path = folder.path().join("a.zip");
    archive(&path, &[("images/a", b"x")], Some(&[]));
    let damages = verdict(&path).unwrap().damages;
    let messages: Vec<String> = damages.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        ["images/a: it is not listed", "galley.redb: it is missing"]
    );
    archive(&path, &[], Some(&["galley.redb"]));
    let damages = verdict(&path).unwrap().damages;
    assert_eq!(damages[0].to_string(), "galley.redb: it is missing");
}

#[test]
fn symbolic_link_is_not_an_upload() {
    let folder = folder();
    let path = folder.path().join("a.zip");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    zip.add_symlink("images/a", "/etc", SimpleFileOptions::default())
        .unwrap();
    zip.start_file("manifest.json", SimpleFileOptions::default())
        .unwrap();
    zip.finish().unwrap();
    let output = verdict(&path).unwrap_err().to_string();
    assert!(output.contains("is a link"), "{output}");
}

/// Cancels at the first step.
struct Cancelled;

impl Progress for Cancelled {
    fn advance(&self, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

/// Returns the number of bytes that this thread has read so far.
fn bytes_read() -> u64 {
    let counts = fs::read_to_string("/proc/thread-self/io").unwrap();
    let count = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    count.unwrap().parse().unwrap()
}

#[test]
fn cancelled_verification_reads_only_the_beginning() {
    let (_folder, path) = backup();
    let mut backup = Backup::open(&path).unwrap();
    let bytes = fs::metadata(&path).unwrap().len();
    let before = bytes_read();
    let error = backup.verify(&Cancelled).unwrap_err();
    assert!(matches!(error, BackupError::Cancelled), "{error}");
    let read = bytes_read() - before;
    assert!(read < bytes / 2, "{read} of {bytes} bytes were read");
    // A later verification is complete.
    assert!(backup.verify(&NoProgress).unwrap().damages.is_empty());
}
