//! Compaction: releases space that a store no longer needs.
//!
//! redb reuses free pages, and releases only those at the end of its file. A file with many deleted
//! records keeps its length, because some page near its end is always in use. So the records are copied
//! into a new file, which replaces the old one once it is complete and on disk. Nothing changes before
//! that, and a crash leaves either the old file or the new one.

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

/// A new file replaces the old one only if its length is at most this fraction (one in two).
const WORTHWHILE_FRACTION: u64 = 2;

/// The result of compacting a store's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Length before compaction, in bytes.
    pub bytes_before: u64,
    /// Length after compaction, in bytes; unchanged if the new file would have been longer than half of
    /// the old one.
    pub bytes_after: u64,
}

/// Compacts the file at `path`, which no process may have open, if that halves its length. All records
/// keep their revisions. Temporarily needs disk space for a second copy of the records.
///
/// # Errors
///
/// The errors of [`RedbStore::open`], and `Full` or `Io` if the new file cannot be written. The store is
/// then unchanged.
pub fn compact(path: &Path) -> Result<Compaction, StoreError> {
    let failed = |error: io::Error| explain(path, Error::from(error));
    // The whole file is verified, because it is deleted afterwards.
    let store = RedbStore::open_on(path, COPY_CACHE_BYTES, Box::new(open_file))?;
    let bytes_before = store.size_bytes()?;
    let unfinished = UnfinishedFile(unfinished(path));
    let bytes_after = unfinished.fill(&*store.snapshot()?, path)?;
    // Closed before the rename, because closing writes to the old file.
    drop(store);
    if bytes_after > bytes_before / WORTHWHILE_FRACTION {
        return Ok(Compaction {
            bytes_before,
            bytes_after: bytes_before,
        });
    }
    // `fill` has flushed the content, so the new name is never that of an incomplete file.
    fs::rename(&unfinished.0, path).map_err(failed)?;
    sync_folder_of(path).map_err(failed)?;
    Ok(Compaction {
        bytes_before,
        bytes_after,
    })
}

/// Deletes temporary files that a killed process left next to the store at `path`, which no process may
/// have open.
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

/// A new file under its temporary name. Dropping this deletes the file, unless it was renamed.
struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Copies `snapshot` into the file, durably, and returns its length. `path` is the name of the file in
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
        // The file is missing after the rename. If it cannot be deleted, the next start deletes it.
        let _ = fs::remove_file(&self.0);
    }
}
