//! Properties of backups: the manifest of any file is read, or rejected with a reason; a backup in which a byte is
//! changed, missing or added is never accepted as intact.

use std::{
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use galley::{
    backup::{self, Backup, BackupError, BackupOptions, BackupTarget, Manifest, Verdict},
    clock::ManualClock,
    progress::NoProgress,
    site::Site,
    store::redb::RedbStore,
    uploads::Uploads,
};
use jiff::Timestamp;

use super::{archives, small_site::NOW};

/// Prefix of an input that contains edits of an intact backup, each [`EDIT_BYTES`] long.
const EDITS_MARK: &[u8] = b"edits";

/// The length of an edit in bytes: the operation, three bytes for the offset, and the new byte.
const EDIT_BYTES: usize = 5;

/// The size of the store's cache, in bytes.
const CACHE_BYTES: usize = 1 << 20;

/// An intact backup of a new site with one upload.
static INTACT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(data.join("images")).unwrap();
    fs::write(data.join("images/a.png"), "an image").unwrap();
    let store = RedbStore::open(data.join("galley.redb"), CACHE_BYTES).unwrap();
    let clock = ManualClock::new(Timestamp::from_second(NOW).unwrap());
    let site = Site::open(Box::new(store), Arc::new(clock)).unwrap();
    let target = folder.path().join("backup.zip");
    let options = BackupOptions {
        target: BackupTarget::File(target.clone()),
        overwrites: false,
    };
    let uploads = Uploads::in_data(&data);
    backup::write(&site, &data, &uploads, &options, &NoProgress).unwrap();
    fs::read(target).unwrap()
});

/// Panics unless these properties hold for a backup: a [listing](archives), or edits of an intact backup.
pub fn check(input: &[u8]) {
    if let Ok(manifest) = Manifest::read(input) {
        let text = serde_json::to_vec(&manifest).unwrap();
        assert_eq!(Manifest::read(&text).unwrap(), manifest);
    }
    let (archive, is_intact) = match input.strip_prefix(EDITS_MARK) {
        Some(edits) => {
            let edited = edited(&INTACT, edits);
            let is_intact = edited == *INTACT;
            (Some(edited), Some(is_intact))
        }
        None => (archives::zip(input), None),
    };
    let Some(archive) = archive else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup.zip");
    fs::write(&path, &archive).unwrap();
    match (verdict(&path), is_intact) {
        (Ok(verdict), Some(is_intact)) => {
            assert_eq!(verdict.damages.is_empty(), is_intact, "{verdict:?}");
            assert!(verdict.site.is_some() || !is_intact);
        }
        (Ok(verdict), None) => assert!(!verdict.damages.is_empty(), "{verdict:?}"),
        (Err(error), is_intact) => {
            assert_ne!(is_intact, Some(true), "{error}");
            assert!(!error.to_string().is_empty());
        }
    }
    assert_eq!(archives::files_in(folder.path()).len(), 1);
}

/// Returns `intact` with the edits applied, each [`EDIT_BYTES`] long.
pub fn edited(intact: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = intact.to_vec();
    for edit in edits.chunks_exact(EDIT_BYTES) {
        let offset = usize::from_be_bytes([0, 0, 0, 0, 0, edit[1], edit[2], edit[3]]);
        let offset = offset % bytes.len().max(1);
        match edit[0] % 4 {
            0 if !bytes.is_empty() => bytes[offset] ^= edit[4],
            1 => bytes.truncate(offset),
            2 if !bytes.is_empty() => drop(bytes.remove(offset)),
            _ => bytes.insert(offset, edit[4]),
        }
    }
    bytes
}

fn verdict(path: &Path) -> Result<Verdict, BackupError> {
    Backup::open(path)?.verify(&NoProgress)
}
