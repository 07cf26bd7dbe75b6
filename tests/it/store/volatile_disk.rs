//! A simulated disk that loses unflushed writes when its power fails, and can inject other faults.
//!
//! Writes since the last flush are in flight. After a power failure, each sector has its flushed bytes, or the bytes of any later
//! write or of a part of it; the file has any of its lengths since then. Flushed bytes are safe, unless the test makes flushes
//! report a false success.

use std::{
    io,
    ops::Bound,
    path::Path,
    sync::{Arc, Mutex, MutexGuard},
};

use galley::store::{StoreError, redb::RedbStore};
use galley_tests::random::TestRandom;
use redb::{BackendError, StorageBackend};

/// The unit of an atomic write, in bytes.
const SECTOR_BYTES: u64 = 512;

/// A fault of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The disk is full.
    Full,
    /// Writing fails, before or within the data.
    Write,
    /// Flushing fails, and unflushed writes may be lost, although they can be read (as on Linux).
    Flush,
    /// Reading fails.
    Read,
    /// All operations fail, and unflushed writes may be lost.
    PowerCut,
    /// Flushing reports success without flushing.
    LyingFlush,
}

/// The disk. Clones refer to the same disk.
#[derive(Clone, Debug)]
pub struct VolatileDisk(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The flushed bytes, which survive a power failure.
    durable: Vec<u8>,
    /// The bytes that can be read.
    visible: Vec<u8>,
    /// The writes in flight, in order.
    pending: Vec<Pending>,
    fault: Option<Fault>,
    /// The number of calls that still succeed before the fault.
    calls_left: u64,
    chance: TestRandom,
}

#[derive(Clone, Debug)]
enum Pending {
    Sector { offset: u64, data: Vec<u8> },
    Length(u64),
}

impl VolatileDisk {
    /// Returns a disk with the bytes of the file at `path`.
    pub fn with(path: &Path, chance: TestRandom) -> Self {
        let bytes = std::fs::read(path).unwrap();
        Self(Arc::new(Mutex::new(State {
            durable: bytes.clone(),
            visible: bytes,
            pending: Vec::new(),
            fault: None,
            calls_left: 0,
            chance,
        })))
    }

    /// Opens the store on this disk; `path` is used in messages. The page cache is small, so that pages are read from the disk.
    pub fn open(&self, path: &Path) -> Result<RedbStore, StoreError> {
        let disk = self.clone();
        let open_disk =
            move |_: &Path| -> io::Result<Box<dyn StorageBackend>> { Ok(Box::new(disk.clone())) };
        RedbStore::open_on(path, 100_000, Box::new(open_disk))
    }

    /// Injects a fault after `after_calls` successful calls that the fault can affect.
    pub fn begin(&self, fault: Fault, after_calls: u64) {
        let mut state = self.state();
        state.fault = Some(fault);
        state.calls_left = after_calls;
    }

    /// Removes the fault.
    pub fn repair(&self) {
        self.state().fault = None;
    }

    /// Simulates a power failure: each unflushed write is stored, partially stored or lost.
    pub fn lose_power(&self) {
        self.state().lose_power();
    }

    /// Returns the flushed bytes.
    pub fn image(&self) -> Vec<u8> {
        self.state().durable.clone()
    }

    /// Replaces the content of the disk by `image`.
    pub fn restore(&self, image: Vec<u8>) {
        let mut state = self.state();
        state.visible.clone_from(&image);
        state.durable = image;
        state.pending.clear();
        state.fault = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    /// Returns whether one of these faults occurs in this call.
    fn meets(&mut self, faults: &[Fault]) -> bool {
        if !self.fault.is_some_and(|fault| faults.contains(&fault)) {
            return false;
        }
        if self.calls_left > 0 {
            self.calls_left -= 1;
            return false;
        }
        true
    }

    fn fail_if(&mut self, faults: &[Fault]) -> io::Result<()> {
        match self.meets(faults) {
            true if self.fault == Some(Fault::Full) => Err(io::ErrorKind::StorageFull.into()),
            true => Err(io::Error::other("the disk failed")),
            false => Ok(()),
        }
    }

    fn write(&mut self, offset: u64, data: &[u8]) {
        let (mut from, end) = (offset, offset + data.len() as u64);
        if end > self.visible.len() as u64 {
            self.visible.resize(end as usize, 0);
            self.pending.push(Pending::Length(end));
        }
        self.visible[offset as usize..end as usize].copy_from_slice(data);
        while from < end {
            let next = ((from / SECTOR_BYTES + 1) * SECTOR_BYTES).min(end);
            let data = data[(from - offset) as usize..(next - offset) as usize].to_vec();
            self.pending.push(Pending::Sector { offset: from, data });
            from = next;
        }
    }

    fn set_len(&mut self, bytes: u64) {
        self.visible.resize(bytes as usize, 0);
        self.pending.push(Pending::Length(bytes));
    }

    /// Completes all writes in flight. Writes that were already lost stay lost, although they can be read.
    fn flush(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Sector { offset, data } => {
                    let offset = offset as usize;
                    self.durable[offset..offset + data.len()].copy_from_slice(&data);
                }
                Pending::Length(bytes) => self.durable.resize(bytes as usize, 0),
            }
        }
    }

    /// Completes a random part of the writes in flight, and loses the rest. The file gets one of `lengths`, its earlier lengths.
    fn lose_some(&mut self, lengths: &[u64]) {
        let written_percent = self.chance.of(&[0, 10, 50, 90, 100]);
        let mut sectors = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            if let Pending::Sector { offset, data } = pending {
                sectors.push((offset, data));
            }
        }
        let bytes = self.chance.of(lengths) as usize;
        self.durable.resize(bytes, 0);
        self.chance.shuffle(&mut sectors);
        for (offset, data) in sectors {
            if !self.chance.happens(written_percent) {
                continue;
            }
            let torn = if self.chance.happens(10) {
                self.chance.below(data.len() as u64) as usize
            } else {
                data.len()
            };
            let offset = (offset as usize).min(bytes);
            let end = (offset + torn).min(bytes);
            self.durable[offset..end].copy_from_slice(&data[..end - offset]);
        }
    }

    fn lose_power(&mut self) {
        let lengths = self.pending.iter().filter_map(|pending| match pending {
            Pending::Length(bytes) => Some(*bytes),
            Pending::Sector { .. } => None,
        });
        let before = self.durable.len() as u64;
        let lengths: Vec<_> = lengths.chain([before]).collect();
        self.lose_some(&lengths);
        self.visible.clone_from(&self.durable);
        self.fault = None;
    }
}

impl StorageBackend for VolatileDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().visible.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        state.fail_if(&[Fault::Read, Fault::PowerCut])?;
        let end = offset as usize + out.len();
        let bytes = state.visible.get(offset as usize..end);
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        let mut state = self.state();
        if bytes > state.visible.len() as u64 {
            state.fail_if(&[Fault::Full])?;
        }
        state.fail_if(&[Fault::Write, Fault::PowerCut])?;
        state.set_len(bytes);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        state.fail_if(&[Fault::PowerCut])?;
        if state.meets(&[Fault::LyingFlush]) {
            return Ok(());
        }
        if let Err(error) = state.fail_if(&[Fault::Flush]) {
            let now = state.visible.len() as u64;
            state.lose_some(&[now]);
            return Err(error);
        }
        state.flush();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        // On a full disk, blocks that are already allocated can be written, in particular the header.
        if offset > 0 {
            state.fail_if(&[Fault::Full])?;
        }
        if let Err(error) = state.fail_if(&[Fault::Write, Fault::PowerCut]) {
            let written = state.chance.below(data.len() as u64 + 1) as usize;
            state.write(offset, &data[..written]);
            return Err(error);
        }
        state.write(offset, data);
        Ok(())
    }

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }
}
