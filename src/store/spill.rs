//! The temporary file for the values of a large batch: an anonymous file that is deleted with the
//! batch.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{StoreError, is_out_of_space};
use crate::atomic_file;

/// A file of values, created when the first value is added.
#[derive(Debug)]
pub(super) struct Spill {
    folder: PathBuf,
    opened: Mutex<Option<SpillFile>>,
}

#[derive(Debug)]
struct SpillFile {
    file: File,
    end: u64,
}

/// The location of a value in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpilledValue {
    offset: u64,
    bytes: usize,
}

impl SpilledValue {
    /// Returns the length of the value, in bytes.
    pub(super) fn bytes(self) -> usize {
        self.bytes
    }
}

impl Spill {
    /// Returns a spill whose file will be created in `folder`.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            opened: Mutex::new(None),
        }
    }

    /// Appends a value to the file.
    ///
    /// # Errors
    ///
    /// `Full` or `Io`, naming the folder.
    pub(super) fn add(&self, value: &[u8]) -> Result<SpilledValue, StoreError> {
        self.write(value).map_err(|source| {
            let store = self.folder.display().to_string().into();
            match source.kind() {
                kind if is_out_of_space(kind) => StoreError::Full { store },
                _ => StoreError::Io { store, source },
            }
        })
    }

    fn write(&self, value: &[u8]) -> io::Result<SpilledValue> {
        // `end` moves only after a complete write, so a poisoned lock is safe to use.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *opened {
            Some(opened) => opened,
            none => none.insert(SpillFile {
                file: atomic_file::unnamed(&self.folder)?,
                end: 0,
            }),
        };
        // At an offset, because the file has one position for all its readers and writers.
        opened.file.write_all_at(value, opened.end)?;
        let spilled = SpilledValue {
            offset: opened.end,
            bytes: value.len(),
        };
        opened.end += value.len() as u64;
        Ok(spilled)
    }

    /// Appends a spilled value to `out`.
    pub(super) fn read(&self, spilled: SpilledValue, out: &mut Vec<u8>) -> io::Result<()> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let file = opened.as_ref().map(|opened| &opened.file);
        let file = file.ok_or(ErrorKind::NotFound)?;
        let start = out.len();
        out.resize(start + spilled.bytes, 0);
        file.read_exact_at(&mut out[start..], spilled.offset)
    }
}
