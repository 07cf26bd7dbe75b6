//! Opens and creates the file, with the checks that are made before redb may write to it.
//!
//! redb writes to any file that it opens. So it opens the file on a [`Disk`] that buffers all
//! writes in memory. They reach the file only if it is undamaged, a Galley store and of a known
//! format, and not before the first commit. A new store is created under a temporary name and
//! renamed when complete. So a file is never half created, and an empty file is a damaged one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::redb::backends::FileBackend;
use ::redb::{Builder, Database, Error, ReadableDatabase, StorageBackend, TableError};

use super::super::StoreError;
use super::super::format::{FORMAT_KEY, FORMAT_VERSION, REVISION_KEY};
use super::clean_shutdown;
use super::disk::{Disk, SharedDisk};
use crate::{
    atomic_file::give_to_owner_of,
    store::redb::{
        panics::{close, guarded},
        tables::{MARK, explain},
    },
};

/// Opens the file at a path as a disk for redb. Tests substitute a disk that fails.
pub type OpenDisk = dyn Fn(&Path) -> io::Result<Box<dyn StorageBackend>> + Send + Sync;

/// First bytes of every redb file, from the description of redb's file format.
const REDB_MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";

/// Permissions of a new file: read and write for its owner only.
const FILE_MODE: u32 = 0o600;

/// The location of the store and how to open it.
pub(super) struct StoreLocation {
    pub(super) path: Arc<Path>,
    pub(super) cache_bytes: usize,
    pub(super) open_disk: Box<OpenDisk>,
    /// True if the file is marked when it is closed, and verification is skipped if the mark is
    /// valid.
    pub(super) uses_mark: bool,
}

/// A store that passed every check.
pub(super) struct OpenStore {
    pub(super) database: Database,
    pub(super) disk: Arc<Disk>,
}

/// Opens the file at `path` for reading and writing.
pub(super) fn open_file(path: &Path) -> io::Result<Box<dyn StorageBackend>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let disk = FileBackend::new(file).map_err(io::Error::other)?;
    Ok(Box::new(disk))
}

impl StoreLocation {
    /// Opens the file if it is an undamaged Galley store. The disk still buffers all writes.
    pub(super) fn open(&self) -> Result<OpenStore, StoreError> {
        let file = (self.open_disk)(&self.path).map_err(|error| self.explain(error))?;
        self.check_magic(&*file)?;
        let disk = Disk::buffering(file).map_err(|error| self.explain(error))?;
        let disk = Arc::new(disk);
        let database =
            guarded(|| self.open_verified(&disk)).map_err(|error| self.explain(error))?;
        let opened = OpenStore { database, disk };
        match self.check_format(&opened.database) {
            Ok(()) => Ok(opened),
            Err(error) => {
                close(opened.database);
                Err(error)
            }
        }
    }

    /// Rejects a file that is not a redb file, or was truncated within its first nine bytes.
    fn check_magic(&self, file: &dyn StorageBackend) -> Result<(), StoreError> {
        let read = || {
            let length = usize::try_from(file.len()?).unwrap_or(usize::MAX);
            let mut head = vec![0; length.min(REDB_MAGIC.len())];
            file.read(0, &mut head)?;
            Ok(head)
        };
        let head: Vec<u8> = read().map_err(|error: io::Error| self.explain(error))?;
        // Checked before redb opens the file, because redb writes to any file that it opens.
        if !REDB_MAGIC.starts_with(&head) {
            return Err(self.not_a_store());
        }
        if head.len() < REDB_MAGIC.len() {
            return Err(self.damaged(&format!("it ends after {} bytes", head.len())));
        }
        Ok(())
    }

    /// Opens the file on `disk` and verifies every checksum. Skipped if redb has already done that
    /// because the file was not closed, or if the file is unchanged since it was closed.
    fn open_verified(&self, disk: &Arc<Disk>) -> Result<Database, Error> {
        let is_unchanged = self.uses_mark && clean_shutdown::is_unchanged_since_mark(&self.path);
        let is_verified = Arc::new(AtomicBool::new(is_unchanged));
        let is_repaired = Arc::clone(&is_verified);
        let mut database = Builder::new()
            .set_cache_size(self.cache_bytes)
            // redb repairs a file that was not closed by verifying every checksum; a second
            // verification would be superfluous.
            .set_repair_callback(move |_| is_repaired.store(true, Ordering::Release))
            .create_with_backend(SharedDisk(Arc::clone(disk)))?;
        // Pairs with the store in the repair callback.
        if !is_verified.load(Ordering::Acquire)
            && let Err(error) = guarded(|| database.check_integrity())
        {
            close(database);
            return Err(error.into());
        }
        Ok(database)
    }

    /// Marks the file as verified and closed.
    pub(super) fn mark(&self) {
        if self.uses_mark {
            // Without a mark the next opening verifies the file, as on file systems without
            // attributes.
            let _ = clean_shutdown::mark(&self.path);
        }
    }

    /// Makes the next opening verify the file, even if it is marked.
    pub(super) fn invalidate_mark(&self) {
        if self.uses_mark {
            // A file that was written to after it was marked is verified anyway.
            let _ = clean_shutdown::invalidate_mark(&self.path);
        }
    }

    fn check_format(&self, database: &Database) -> Result<(), StoreError> {
        match guarded(|| read_format(database)).map_err(|error| self.explain(error))? {
            Some(FORMAT_VERSION) => Ok(()),
            Some(found) if found > FORMAT_VERSION => Err(StoreError::Newer {
                store: super::tables::name(&self.path),
                found,
            }),
            _ => Err(self.not_a_store()),
        }
    }

    /// Creates an empty store unless the file exists. The new file is durable when this returns.
    pub(super) fn create_if_missing(&self) -> Result<(), StoreError> {
        if fs::exists(&self.path).map_err(|error| self.explain(error))? {
            return Ok(());
        }
        let unfinished = unfinished(&self.path);
        let created = self
            .create(&unfinished)
            .and_then(|()| Ok(fs::rename(&unfinished, &self.path)?))
            // The name becomes durable when its folder is flushed; otherwise a crash could lose the
            // name and with it later commits.
            .and_then(|()| Ok(sync_folder_of(&self.path)?));
        created.map_err(|error| {
            // The first error is the one to report.
            let _ = fs::remove_file(&unfinished);
            self.explain(error)
        })
    }

    fn create(&self, unfinished: &Path) -> Result<(), Error> {
        let file = new_file(unfinished)?;
        let database = Builder::new()
            .set_cache_size(self.cache_bytes)
            .create_file(file)?;
        let mut transaction = database.begin_write()?;
        transaction.set_two_phase_commit(true);
        {
            let mut mark = transaction.open_table(MARK)?;
            mark.insert(FORMAT_KEY, FORMAT_VERSION)?;
            mark.insert(REVISION_KEY, 0)?;
        }
        transaction.commit()?;
        // Dropping the database writes to the file a last time, so the file is flushed afterwards.
        drop(database);
        Ok(File::open(unfinished)?.sync_all()?)
    }

    fn not_a_store(&self) -> StoreError {
        StoreError::NotAStore {
            store: super::tables::name(&self.path),
        }
    }

    fn damaged(&self, detail: &str) -> StoreError {
        StoreError::Damaged {
            store: super::tables::name(&self.path),
            detail: detail.to_owned(),
        }
    }

    fn explain(&self, error: impl Into<Error>) -> StoreError {
        explain(&self.path, error.into())
    }
}

/// Returns the format version of the file, or `None` if the file lacks Galley's mark.
fn read_format(database: &Database) -> Result<Option<u64>, Error> {
    let transaction = database.begin_read()?;
    match transaction.open_table(MARK) {
        Ok(mark) => Ok(mark.get(FORMAT_KEY)?.map(|format| format.value())),
        Err(TableError::Storage(error)) => Err(error.into()),
        // A redb file of another program has no such table, or one with other types.
        Err(_) => Ok(None),
    }
}

/// Returns the temporary path of a file that is not yet complete.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension("new")
}

/// Creates an empty file at `path` for its owner only, replacing any file there.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)?;
    give_to_owner_of(folder_of(path), &file)?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Makes the name of a new file in its folder durable.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}
