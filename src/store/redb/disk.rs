//! A disk that buffers writes in memory until it is released, and then passes all writes on.
//!
//! With it, a file can be opened, repaired and checked without changing any byte of it. On release,
//! the buffered changes are replayed in order with their flushes, so a crash during that leaves a
//! state that redb itself could have left. Locks always apply to the file.

use std::io;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use ::redb::{BackendError, StorageBackend};

/// A file, and the changes that are written to it once it is accepted.
#[derive(Debug)]
pub(super) struct Disk {
    file: Box<dyn StorageBackend>,
    /// `None` once released.
    held: RwLock<Option<BufferedChanges>>,
}

#[derive(Debug)]
struct BufferedChanges {
    /// Length of the underlying file, in bytes.
    file_bytes: u64,
    /// Length that redb sees, in bytes.
    bytes: u64,
    changes: Vec<DiskChange>,
}

#[derive(Clone, Debug)]
enum DiskChange {
    Write { offset: u64, data: Vec<u8> },
    Resize { bytes: u64 },
    Flush,
}

impl Disk {
    /// Returns a disk over `file` that buffers all changes.
    pub(super) fn buffering(file: Box<dyn StorageBackend>) -> io::Result<Self> {
        let file_bytes = file.len()?;
        Ok(Self {
            file,
            held: RwLock::new(Some(BufferedChanges {
                file_bytes,
                bytes: file_bytes,
                changes: Vec::new(),
            })),
        })
    }

    /// Writes the buffered changes and stops buffering. After an error, the disk still buffers, and
    /// the call can be repeated.
    pub(super) fn release(&self) -> io::Result<()> {
        if self.held().is_none() {
            return Ok(());
        }
        // The changes are dropped only after all of them were applied, so a poisoned lock is safe
        // to use.
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = &*held {
            for change in &held.changes {
                change.apply(&*self.file)?;
            }
        }
        *held = None;
        Ok(())
    }

    fn held(&self) -> RwLockReadGuard<'_, Option<BufferedChanges>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Buffers `change` and returns true, or returns false if the disk was released.
    fn buffers(&self, change: impl FnOnce() -> DiskChange) -> bool {
        // Checked under the read lock first, so that accesses to a released disk do not wait for
        // each other.
        if self.held().is_none() {
            return false;
        }
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        match &mut *held {
            Some(held) => {
                held.push(change());
                true
            }
            None => false,
        }
    }
}

impl BufferedChanges {
    fn push(&mut self, change: DiskChange) {
        match &change {
            DiskChange::Write { offset, data } => {
                self.bytes = self.bytes.max(offset + data.len() as u64);
            }
            DiskChange::Resize { bytes } => self.bytes = *bytes,
            DiskChange::Flush => {}
        }
        self.changes.push(change);
    }

    fn read(&self, file: &dyn StorageBackend, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if offset.saturating_add(out.len() as u64) > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let in_file = span(out, offset, self.file_bytes);
        if in_file > 0 {
            file.read(offset, &mut out[..in_file])?;
        }
        // As in a file that is extended: the bytes after its old end are zero.
        out[in_file..].fill(0);
        for change in &self.changes {
            // In the order in which they were made, because later changes overlap earlier ones.
            change.show(offset, out);
        }
        Ok(())
    }
}

impl DiskChange {
    fn apply(&self, file: &dyn StorageBackend) -> io::Result<()> {
        match self {
            DiskChange::Write { offset, data } => file.write(*offset, data),
            DiskChange::Resize { bytes } => file.set_len(*bytes),
            DiskChange::Flush => file.sync_data(),
        }
    }

    /// Applies the change to `out`, which contains the bytes of the disk from `start` on.
    fn show(&self, start: u64, out: &mut [u8]) {
        match self {
            DiskChange::Write { offset, data } => {
                let from = offset.max(&start);
                let skipped_out = span(out, start, *from);
                let skipped_data = span(data, *offset, *from);
                out[skipped_out..]
                    .iter_mut()
                    .zip(&data[skipped_data..])
                    .for_each(|(shown, written)| *shown = *written);
            }
            DiskChange::Resize { bytes } => {
                let unchanged = span(out, start, *bytes);
                out[unchanged..].fill(0);
            }
            DiskChange::Flush => {}
        }
    }
}

/// Returns how many of `bytes`, the content of the disk from `start` on, are before `end`.
fn span(bytes: &[u8], start: u64, end: u64) -> usize {
    let distance = end.saturating_sub(start);
    usize::try_from(distance).map_or(bytes.len(), |distance| distance.min(bytes.len()))
}

/// The handle that redb owns.
#[derive(Debug)]
pub(super) struct SharedDisk(pub(super) Arc<Disk>);

impl StorageBackend for SharedDisk {
    fn len(&self) -> io::Result<u64> {
        match &*self.0.held() {
            Some(held) => Ok(held.bytes),
            None => self.0.file.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        match &*self.0.held() {
            Some(held) => held.read(&*self.0.file, offset, out),
            None => self.0.file.read(offset, out),
        }
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        if self.0.buffers(|| DiskChange::Resize { bytes }) {
            return Ok(());
        }
        self.0.file.set_len(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.0.buffers(|| DiskChange::Flush) {
            return Ok(());
        }
        self.0.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let held = self.0.buffers(|| DiskChange::Write {
            offset,
            data: data.to_vec(),
        });
        if held {
            return Ok(());
        }
        self.0.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.file.unlock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use redb::backends::InMemoryBackend;

    use super::*;

    const BYTES_MAX: u64 = 40;

    /// Generates a change to a disk of at most `BYTES_MAX` bytes, within the disk's length.
    fn change() -> impl Strategy<Value = DiskChange> {
        let data = prop::collection::vec(1..=u8::MAX, 1..10);
        prop_oneof![
            3 => (0..BYTES_MAX, data).prop_map(|(offset, data)| DiskChange::Write { offset, data }),
            1 => (0..=BYTES_MAX).prop_map(|bytes| DiskChange::Resize { bytes }),
            1 => Just(DiskChange::Flush),
        ]
    }

    fn file(bytes: u64) -> InMemoryBackend {
        let file = InMemoryBackend::new();
        file.set_len(bytes).unwrap();
        let content: Vec<u8> = (100..).take(bytes as usize).collect();
        file.write(0, &content).unwrap();
        file
    }

    fn fits(change: &DiskChange, disk: &dyn StorageBackend) -> bool {
        match change {
            DiskChange::Write { offset, data } => offset + data.len() as u64 <= disk.len().unwrap(),
            DiskChange::Resize { .. } | DiskChange::Flush => true,
        }
    }

    fn content(disk: &dyn StorageBackend, from: u64) -> Vec<u8> {
        let mut content = vec![0; (disk.len().unwrap() - from) as usize];
        disk.read(from, &mut content).unwrap();
        content
    }

    proptest! {
        #[test]
        fn reads_include_buffered_writes(
            bytes in 0..=BYTES_MAX,
            changes in prop::collection::vec(change(), 0..12),
            from in 0..=BYTES_MAX,
        ) {
            let written = file(bytes);
            let disk = Arc::new(Disk::buffering(Box::new(file(bytes))).unwrap());
            let held = SharedDisk(Arc::clone(&disk));

            for change in &changes {
                if fits(change, &written) {
                    change.apply(&written).unwrap();
                    change.apply(&held).unwrap();
                }
            }

            let from = from.min(written.len().unwrap());
            prop_assert_eq!(content(&held, from), content(&written, from));
            prop_assert!(held.read(from, &mut [0; BYTES_MAX as usize + 1]).is_err());
            prop_assert_eq!(content(&*disk.file, 0), content(&file(bytes), 0));

            disk.release().unwrap();
            prop_assert_eq!(content(&*disk.file, 0), content(&written, 0));
        }
    }
}
