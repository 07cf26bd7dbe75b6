//! Making a data folder of a backup: all of it, or nothing.
//!
//! Nothing is written before all of the backup was found whole. Then everything is put into a folder of its own within the
//! data folder, `restoring`, flushed, and moved to its place: the uploads first, the store last. As long as `restoring` is
//! there, the data folder is not a site yet; whoever opens it takes away what is there so far.

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

/// The folder within the data folder for what is not in its place yet.
const RESTORING: &str = "restoring";

/// What may lie in a folder that counts as empty: the lock, the socket of a server that was killed, and what file systems
/// have at their top.
const NOTHING: [&str; 3] = ["galley.lock", CONTROL_SOCKET, "lost+found"];

const LOCK: &str = NOTHING[0];

const FOLDER_MODE: u32 = 0o755;
const PRIVATE_FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o644;
const STORE_MODE: u32 = 0o600;

const CHUNK_BYTES: usize = 128 * 1024;

/// Makes the data folder `data`, which is not there yet or empty, of the backup at `path`.
///
/// # Errors
///
/// When the backup cannot be read or is damaged, the folder is not empty or in use, the disk refuses, or `progress` says that
/// nobody wants it any more. Nothing is there then that was not there before.
pub fn restore(path: &Path, data: &Path, progress: Progress<'_>) -> Result<Verdict, BackupError> {
    // Quickly said, before much is read.
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
    let mut made = Made::before(data);
    let lock = data.join(LOCK);
    let has_lock = lock.exists();
    let folder = DataFolder::open(data)?;
    made.lock = (!has_lock).then_some(lock);
    clear_abandoned(data).map_err(writing(data))?;
    if !is_new(data)? {
        made.keep();
        return Err(BackupError::NotEmpty(data.to_owned()));
    }
    let restored = unpack(&mut backup, data, progress).and_then(|()| move_in(data));
    match restored {
        Ok(()) => {
            made.keep();
            drop(folder);
            Ok(verdict)
        }
        Err(error) => {
            // What cannot be taken away now is taken away when the folder is opened again.
            let _ = clear_abandoned(data);
            drop(folder);
            Err(error)
        }
    }
}

/// Whether there is nothing in the folder that a site could be mixed up with, or no such folder.
fn is_new(data: &Path) -> Result<bool, BackupError> {
    let entries = match fs::read_dir(data) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        entries => entries.map_err(reading(data))?,
    };
    // What an unfinished restoring left is cleared before it is asked again.
    if data.join(RESTORING).exists() && !data.join(STORE).exists() {
        return Ok(true);
    }
    for entry in entries {
        let name = entry.map_err(reading(data))?.file_name();
        if !NOTHING.iter().any(|nothing| name == *nothing) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is made on the way, and taken away again unless it is kept.
struct Made {
    /// The folders that were not there, the outermost first.
    folders: Vec<PathBuf>,
    lock: Option<PathBuf>,
    is_kept: bool,
}

impl Made {
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

impl Drop for Made {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        // What somebody else has put there meanwhile stays.
        if let Some(lock) = &self.lock {
            let _ = fs::remove_file(lock);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn unpack(backup: &mut Backup, data: &Path, progress: Progress<'_>) -> Result<(), BackupError> {
    let restoring = data.join(RESTORING);
    let mut builder = DirBuilder::new();
    let builder = builder.mode(PRIVATE_FOLDER_MODE);
    builder.create(&restoring).map_err(writing(&restoring))?;
    let files = backup.manifest().files.clone();
    let total = files.iter().map(|file| file.bytes).sum();
    let mut done = 0;
    for file in &files {
        let place = restoring.join(&file.path);
        unpack_file(backup, file, &place)?;
        done += file.bytes;
        if progress(done, total).is_break() {
            return Err(BackupError::GivenUp);
        }
    }
    let flushed = File::open(data).and_then(|folder| Ok(syncfs(folder)?));
    flushed.map_err(writing(data))
}

fn unpack_file(backup: &mut Backup, file: &FileEntry, place: &Path) -> Result<(), BackupError> {
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
        Err(changed("it changed while it was being restored".to_owned()))
    }
}

/// Moves everything to its place, the store last.
fn move_in(data: &Path) -> Result<(), BackupError> {
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
    // It is empty, and taken away by whoever opens the folder if not now.
    let _ = fs::remove_dir(&restoring);
    Ok(())
}

/// Takes away what a process left in the data folder that was killed while it restored a backup. Nobody else may be using the
/// folder.
///
/// # Errors
///
/// When the folder cannot be read or written.
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
