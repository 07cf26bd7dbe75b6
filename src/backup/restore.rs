//! Restores a backup into a data folder: all of it, or nothing.
//!
//! Nothing is written before the whole backup has been verified. Then everything is extracted into
//! the folder `restoring` within the data folder, flushed, and moved into place: the uploads first,
//! the store last. While `restoring` exists, the data folder is not a site yet; the next process
//! that opens it removes what is there so far.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use rustix::fs::syncfs;
use sha2::{Digest, Sha256};

use super::{Backup, BackupError, Progress, STORE, Verdict, manifest::FileEntry, reading, writing};
use crate::data_folder::{CONTROL_SOCKET, DataFolder, UPLOADS};

/// The folder within the data folder for files that are not in place yet.
const RESTORING: &str = "restoring";

/// Names that may exist in a folder that counts as empty: the lock, the socket of a server that was
/// killed, and a file system's own folder at its top.
const IGNORED_NAMES: [&str; 3] = ["galley.lock", CONTROL_SOCKET, "lost+found"];

const LOCK: &str = IGNORED_NAMES[0];

const FOLDER_MODE: u32 = 0o755;
const PRIVATE_FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o644;
const STORE_MODE: u32 = 0o600;

const CHUNK_BYTES: usize = 128 * 1024;

/// Restores the backup at `path` into the data folder `data`, which must be empty or not exist.
///
/// # Errors
///
/// If the backup cannot be read or is damaged, the folder is not empty or in use, the disk refuses,
/// or `progress` cancels. The folder is then as it was before.
pub fn restore(path: &Path, data: &Path, progress: Progress<'_>) -> Result<Verdict, BackupError> {
    // Checked first, before much is read.
    if let Some(owner) = DataFolder::owner_of(data)? {
        return Err(crate::data_folder::DataFolderError::InUse {
            path: data.to_owned(),
            owner: Some(Box::new(owner)),
        }
        .into());
    }
    if !is_new(data)? {
        return Err(BackupError::NotEmpty(data.to_owned()));
    }
    let mut backup = Backup::open(path)?;
    let verdict = backup.verify(progress)?;
    if !verdict.damages.is_empty() {
        return Err(BackupError::Damaged(verdict.damages));
    }
    let mut created = CreatedPaths::before(data);
    let lock = data.join(LOCK);
    let has_lock = lock.exists();
    let folder = DataFolder::open(data)?;
    created.lock = (!has_lock).then_some(lock);
    clear_abandoned(data).map_err(writing(data))?;
    if !is_new(data)? {
        created.keep();
        return Err(BackupError::NotEmpty(data.to_owned()));
    }
    let restored = extract(&mut backup, data, progress).and_then(|()| move_into_place(data));
    match restored {
        Ok(()) => {
            created.keep();
            drop(folder);
            Ok(verdict)
        }
        Err(error) => {
            // Files that cannot be removed now are removed when the folder is opened again.
            let _ = clear_abandoned(data);
            drop(folder);
            Err(error)
        }
    }
}

/// Returns whether the folder does not exist, or contains nothing that could be mixed up with a
/// site.
fn is_new(data: &Path) -> Result<bool, BackupError> {
    let entries = match fs::read_dir(data) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        entries => entries.map_err(reading(data))?,
    };
    // The remains of an unfinished restore are cleared before this is checked again.
    if data.join(RESTORING).exists() && !data.join(STORE).exists() {
        return Ok(true);
    }
    for entry in entries {
        let name = entry.map_err(reading(data))?.file_name();
        if !IGNORED_NAMES.iter().any(|ignored| name == *ignored) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Files and folders created on the way, and removed on drop unless they are kept.
struct CreatedPaths {
    /// The folders that did not exist, outermost first.
    folders: Vec<PathBuf>,
    lock: Option<PathBuf>,
    is_kept: bool,
}

impl CreatedPaths {
    fn before(data: &Path) -> Self {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let mut folders: Vec<PathBuf> = data
            .ancestors()
            .take_while(is_missing)
            .map(Path::to_owned)
            .collect();
        folders.reverse();
        Self {
            folders,
            lock: None,
            is_kept: false,
        }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for CreatedPaths {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // Files that another process has put there meanwhile stay.
        if let Some(lock) = &self.lock {
            let _ = fs::remove_file(lock);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn extract(backup: &mut Backup, data: &Path, progress: Progress<'_>) -> Result<(), BackupError> {
    let restoring = data.join(RESTORING);
    let mut builder = DirBuilder::new();
    let builder = builder.mode(PRIVATE_FOLDER_MODE);
    builder.create(&restoring).map_err(writing(&restoring))?;
    let files = backup.manifest().files.clone();
    let total = files.iter().map(|file| file.bytes).sum();
    let mut done = 0;
    for file in &files {
        let place = restoring.join(&file.path);
        extract_file(backup, file, &place)?;
        done += file.bytes;
        if progress(done, total).is_break() {
            return Err(BackupError::GivenUp);
        }
    }
    let flushed = File::open(data).and_then(|folder| Ok(syncfs(folder)?));
    flushed.map_err(writing(data))
}

fn extract_file(backup: &mut Backup, file: &FileEntry, place: &Path) -> Result<(), BackupError> {
    if let Some(folder) = place.parent() {
        let mut builder = DirBuilder::new();
        let builder = builder.mode(FOLDER_MODE).recursive(true);
        builder.create(folder).map_err(writing(folder))?;
    }
    let mode = if file.path == STORE {
        STORE_MODE
    } else {
        FILE_MODE
    };
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(place)
        .map_err(writing(place))?;
    let mut content = backup.content(&file.path)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let changed = |what: String| BackupError::Unreadable(format!("{}: {what}", file.path));
    loop {
        let count = content
            .read(&mut chunk)
            .map_err(|error| changed(error.to_string()))?;
        if count == 0 {
            break;
        }
        digest.update(&chunk[..count]);
        out.write_all(&chunk[..count]).map_err(writing(place))?;
    }
    if HEXLOWER.encode(&digest.finalize()) == file.sha256 {
        Ok(())
    } else {
        Err(changed("it changed during the restore".to_owned()))
    }
}

/// Moves everything into place, the store last.
fn move_into_place(data: &Path) -> Result<(), BackupError> {
    let restoring = data.join(RESTORING);
    let move_one = |name: &str| match fs::rename(restoring.join(name), data.join(name)) {
        // The site has no such files.
        Err(error) if error.kind() == io::ErrorKind::NotFound && name != STORE => Ok(()),
        moved => moved,
    };
    let sync = |folder: &Path| File::open(folder).and_then(|folder| folder.sync_all());
    let moved = UPLOADS
        .into_iter()
        .try_for_each(move_one)
        .and_then(|()| sync(data))
        .and_then(|()| move_one(STORE))
        .and_then(|()| sync(data));
    moved.map_err(writing(data))?;
    // It is empty, and removed when the folder is opened again if not now.
    let _ = fs::remove_dir(&restoring);
    Ok(())
}

/// Removes the remains of a restore whose process was killed. No other process may be using the
/// folder.
///
/// # Errors
///
/// If the folder cannot be read or written.
pub fn clear_abandoned(data: &Path) -> io::Result<()> {
    let restoring = data.join(RESTORING);
    if !restoring.try_exists()? {
        return Ok(());
    }
    if !data.join(STORE).try_exists()? {
        // The folder was empty when the restoring began, so these came from the backup.
        for folder in UPLOADS {
            match fs::remove_dir_all(data.join(folder)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    fs::remove_dir_all(restoring)
}
