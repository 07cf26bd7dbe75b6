//! A file that is imported. It is read several times, and may be unlinked by then.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    sync::Arc,
};

use super::ghost::DocumentSource;
use crate::error::Result;

/// Number of bytes at the start of a file that are read to detect its type.
const HEAD_BYTES: usize = 64 << 10;

/// An open file that can be read repeatedly from its start, even after it was unlinked.
#[derive(Clone)]
pub struct ImportFile {
    file: Arc<File>,
    bytes: u64,
    position: u64,
}

impl ImportFile {
    /// Returns its length, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns a file that is read from its start.
    ///
    /// # Errors
    ///
    /// If its length cannot be read.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self {
            file: Arc::new(file),
            bytes,
            position: 0,
        })
    }

    /// Returns the first bytes, without a byte order mark.
    pub(super) fn head(&self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut file = self.clone();
        file.position = 0;
        file.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(match head.strip_prefix(b"\xEF\xBB\xBF") {
            Some(text) => text.to_vec(),
            None => head,
        })
    }
}

impl Read for ImportFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // A positioned read, because all clones share the offset of the open file.
        let count = self.file.read_at(out, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for ImportFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => self.bytes.checked_add_signed(distance),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl DocumentSource for ImportFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn with_content(&self, read: &mut dyn FnMut(&mut dyn Read) -> Result<()>) -> Result<()> {
        let mut file = Self {
            position: 0,
            ..self.clone()
        };
        read(&mut file)
    }
}
