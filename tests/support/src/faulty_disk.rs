//! A disk that fails on request.

use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

use galley::store::redb::RedbStore;
use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};

/// Writes that need space fail.
pub const NO_SPACE: u8 = 1;
/// Writes fail.
pub const WRITE_ERROR: u8 = 2;
/// Flushes fail.
pub const FLUSH_ERROR: u8 = 3;
/// Reads fail.
pub const READ_ERROR: u8 = 4;
/// All calls fail.
pub const DEAD: u8 = 5;

/// An injected failure of a disk, and the number of calls before it occurs.
#[derive(Debug, Default)]
pub struct Trouble {
    kind: AtomicU8,
    calls_left: AtomicI64,
}

impl Trouble {
    /// Injects a failure of this kind after `after_calls` calls.
    pub fn start(&self, kind: u8, after_calls: i64) {
        self.calls_left.store(after_calls, Ordering::SeqCst);
        self.kind.store(kind, Ordering::SeqCst);
    }

    /// Ends the failure.
    pub fn stop(&self) {
        self.kind.store(0, Ordering::SeqCst);
    }

    /// Returns whether the failure has occurred.
    pub fn came_up(&self) -> bool {
        self.calls_left.load(Ordering::SeqCst) < 0
    }

    fn meet(&self, kinds: &[u8]) -> io::Result<()> {
        let kind = self.kind.load(Ordering::SeqCst);
        if !kinds.contains(&kind) || self.calls_left.fetch_sub(1, Ordering::SeqCst) > 0 {
            return Ok(());
        }
        Err(match kind {
            NO_SPACE => io::ErrorKind::StorageFull.into(),
            _ => io::Error::other("the disk failed"),
        })
    }
}

/// A file on a faulty disk.
#[derive(Debug)]
struct TroubledDisk {
    file: FileBackend,
    trouble: Arc<Trouble>,
}

impl StorageBackend for TroubledDisk {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.trouble.meet(&[READ_ERROR, DEAD])?;
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        if len > self.file.len()? {
            self.trouble.meet(&[NO_SPACE])?;
        }
        self.trouble.meet(&[WRITE_ERROR, DEAD])?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.trouble.meet(&[FLUSH_ERROR, DEAD])?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        // On a full disk, allocated blocks such as the header can still be written.
        if offset > 0 {
            self.trouble.meet(&[NO_SPACE])?;
        }
        self.trouble.meet(&[WRITE_ERROR, DEAD])?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}

/// Opens the store at `path` on a faulty disk.
pub fn open_on(path: &Path, cache_bytes: usize, trouble: &Arc<Trouble>) -> RedbStore {
    let trouble = Arc::clone(trouble);
    let open_disk = move |path: &Path| -> io::Result<Box<dyn StorageBackend>> {
        let file = std::fs::File::options().read(true).write(true).open(path)?;
        Ok(Box::new(TroubledDisk {
            file: FileBackend::new(file).map_err(io::Error::other)?,
            trouble: Arc::clone(&trouble),
        }))
    };
    RedbStore::open_on(path, cache_bytes, Box::new(open_disk)).unwrap()
}
