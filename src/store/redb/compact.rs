//! Giving space back that a store does not need any more.
//!
//! redb uses free pages again, and gives back those at the end of its file. A file in which much was deleted stays as long
//! as it is, because something always lies near its end. What is kept is copied into a new file, which takes the place of
//! the old one when it is whole and on the disk; until then nothing has changed, and a crash leaves one or the other.

use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ::redb::Error;

use super::super::{Snapshot, Store, StoreError};
use super::copy::{COPY_CACHE_BYTES, write_copy};
use super::open::{new_file, sync_folder_of};
use super::{RedbStore, explain};

/// A new file pays if it has at most this part of the old one's length: one in so many.
const PAYS_AT_ONE_IN: u64 = 2;

/// What became of a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Its length before, in bytes.
    pub bytes_before: u64,
    /// Its length now, in bytes; the same when a new file would not have been at most half as long.
    pub bytes_after: u64,
}

/// Makes the file at `path`, which nobody has open, as short as what it holds, if that halves it. All records keep their
/// revisions. Takes as much space beside the file as it holds.
///
/// # Errors
///
/// Those of [`RedbStore::open`], and `Full` or `Io` if the disk refuses the new file; the store is then as it was.
pub fn compact(path: &Path) -> Result<Compaction, StoreError> {
    let failed = |error: io::Error| explain(path, Error::from(error));
    let store = RedbStore::open(path, COPY_CACHE_BYTES)?;
    let bytes_before = store.size_bytes()?;
    let unfinished = Unfinished(unfinished(path));
    let bytes_after = unfinished.fill(&*store.snapshot()?, path)?;
    // Closing writes a last time, to the old file.
    drop(store);
    if bytes_after > bytes_before / PAYS_AT_ONE_IN {
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

/// Deletes what a process that was killed has left beside the store at `path`, which nobody has open.
///
/// # Errors
///
/// What the operating system says.
pub fn clear_abandoned(path: &Path) -> io::Result<()> {
    match fs::remove_file(unfinished(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where the new file lies until it is whole.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension("new")
}

/// A new file under the name that it has for now. It goes with this unless it was given another name.
struct Unfinished(PathBuf);

impl Unfinished {
    /// Copies `snapshot` into the file, durably, and returns how long it is. `path` is what messages call it.
    fn fill(&self, snapshot: &dyn Snapshot, path: &Path) -> Result<u64, StoreError> {
        let failed = |error: io::Error| explain(path, Error::from(error));
        let file = new_file(&self.0).map_err(failed)?;
        // Nobody asks it to stop.
        let _: ControlFlow<()> = write_copy(snapshot, &file, &mut |_| ControlFlow::Continue(()))?;
        let length = |file: &File| -> io::Result<u64> {
            file.sync_all()?;
            Ok(file.metadata()?.len())
        };
        length(&file).map_err(failed)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is not there when it has its name, and where it cannot be deleted the next start does it.
        let _ = fs::remove_file(&self.0);
    }
}
