//! Compaction: returning space that a store no longer needs.
//!
//! redb reuses free pages, and returns those at the end of its file. A file in which much was
//! deleted keeps its length, because some page is always near its end. So the records are copied
//! into a new file, which replaces the old one once it is complete and on disk; until then nothing
//! has changed, and a crash leaves one or the other.

use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ::redb::Error;

use super::super::{Snapshot, Store, StoreError};
use super::RedbStore;
use super::copy::{COPY_CACHE_BYTES, write_copy};
use super::open::{new_file, open_file, sync_folder_of, unfinished};
use crate::store::redb::tables::explain;

/// A new file is used if it is at most this fraction (one in two) of the old one's length.
const WORTHWHILE_FRACTION: u64 = 2;

/// The result of compacting a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Its length before, in bytes.
    pub bytes_before: u64,
    /// Its length after, in bytes; unchanged if a new file would not have been at most half as
    /// long.
    pub bytes_after: u64,
}

/// Compacts the file at `path`, which no process has open, if that halves it. All records keep
/// their revisions. Takes as much space in addition to the file as the records need.
///
/// # Errors
///
/// The errors of [`RedbStore::open`], and `Full` or `Io` if the disk refuses the new file; the store is
/// unchanged then.
pub fn compact(path: &Path) -> Result<Compaction, StoreError> {
    let failed = |error: io::Error| explain(path, Error::from(error));
    // Verified as a whole, since the old file is deleted afterwards.
    let store = RedbStore::open_on(path, COPY_CACHE_BYTES, Box::new(open_file))?;
    let bytes_before = store.size_bytes()?;
    let unfinished = UnfinishedFile(unfinished(path));
    let bytes_after = unfinished.fill(&*store.snapshot()?, path)?;
    // Closing writes a last time, to the old file.
    drop(store);
    if bytes_after > bytes_before / WORTHWHILE_FRACTION {
        return Ok(Compaction {
            bytes_before,
            bytes_after: bytes_before,
        });
    }
    fs::rename(&unfinished.0, path).map_err(failed)?;
    sync_folder_of(path).map_err(failed)?;
    Ok(Compaction {
        bytes_before,
        bytes_after,
    })
}

/// Deletes the temporary files of a killed process next to the store at `path`, which no process has open.
///
/// # Errors
///
/// The error of the operating system.
pub fn clear_abandoned(path: &Path) -> io::Result<()> {
    match fs::remove_file(unfinished(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A new file under its temporary name. It is deleted when this is dropped, unless it was renamed.
struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Copies `snapshot` into the file, durably, and returns its length. `path` is its name in
    /// messages.
    fn fill(&self, snapshot: &dyn Snapshot, path: &Path) -> Result<u64, StoreError> {
        let failed = |error: io::Error| explain(path, Error::from(error));
        let file = new_file(&self.0).map_err(failed)?;
        // Cannot break: the callback always continues.
        let _: ControlFlow<()> = write_copy(snapshot, &file, &mut |_| ControlFlow::Continue(()))?;
        let length = |file: &File| -> io::Result<u64> {
            file.sync_all()?;
            Ok(file.metadata()?.len())
        };
        length(&file).map_err(failed)
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        // Missing after the rename; a file that cannot be deleted is deleted by the next start.
        let _ = fs::remove_file(&self.0);
    }
}
