//! Opens a store that is a part of another file, for reading only.

use std::fs::File;
use std::io;
use std::ops::{Bound, Range};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use ::redb::{BackendError, StorageBackend};

use super::disk::{Disk, SharedDisk};

/// A part of a file, as a disk that accepts no writes.
#[derive(Debug)]
struct Section {
    file: File,
    range: Range<u64>,
}

/// Opens the range `range` of the file at `path`. Writes are retained in memory.
pub(super) fn open(path: &Path, range: Range<u64>) -> io::Result<Box<dyn StorageBackend>> {
    let file = File::open(path)?;
    let section = Section { file, range };
    let disk = Disk::buffering(Box::new(section))?;
    Ok(Box::new(SharedDisk(Arc::new(disk))))
}

impl StorageBackend for Section {
    fn len(&self) -> io::Result<u64> {
        Ok(self.range.end.saturating_sub(self.range.start))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset.saturating_add(out.len() as u64) > self.len()? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Without a shared position, because redb reads in several threads.
        self.file.read_exact_at(out, self.range.start + offset)
    }

    fn set_len(&self, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, _offset: u64, _data: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    // The file is never written to, so no lock is needed.
    fn try_lock_range(&self, _start: Bound<u64>, _end: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn unlock_range(&self, _start: Bound<u64>, _end: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }
}
