//! The seal: the last 64 bytes of a backup, which contain the SHA-256 of everything before.
//!
//! The seal is the end of the archive's comment, so the file is an ordinary zip archive. Each file
//! in the archive has a separate hash, which identifies a damaged file. The seal also covers the
//! bytes between the files and detects a truncated backup.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::ControlFlow,
};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The length of a seal, in bytes: 64 hexadecimal digits.
pub const SEAL_BYTES: usize = 64;

/// The text before the seal, at the beginning of the archive's comment.
pub const PREFIX: &str = "Galley backup, SHA-256 of all before: ";

/// Size of the read buffer, in bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// Returns the comment of an archive before it is sealed.
pub fn placeholder() -> String {
    format!("{PREFIX}{:0>SEAL_BYTES$}", "")
}

/// A writer that passes on all bytes except the last 64, which the seal replaces at the end.
pub struct SealingWriter<W> {
    inner: W,
    digest: Sha256,
    held: Vec<u8>,
}

impl<W: Write> SealingWriter<W> {
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            digest: Sha256::new(),
            held: Vec::with_capacity(2 * SEAL_BYTES),
        }
    }

    /// Writes the seal in place of the last bytes.
    pub fn finish(mut self) -> io::Result<W> {
        let seal = HEXLOWER.encode(&self.digest.finalize());
        self.inner.write_all(seal.as_bytes())?;
        Ok(self.inner)
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<W: Write> Write for SealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The last 64 bytes may arrive in several writes.
        if bytes.len() < SEAL_BYTES {
            self.held.extend_from_slice(bytes);
            let over = self.held.len().saturating_sub(SEAL_BYTES);
            let passed: Vec<u8> = self.held.drain(..over).collect();
            self.pass(&passed)?;
        } else {
            // At least as long as the seal, so nothing that was held before is among the last
            // bytes.
            let held = std::mem::take(&mut self.held);
            self.pass(&held)?;
            let (passed, held) = bytes.split_at(bytes.len() - SEAL_BYTES);
            self.pass(passed)?;
            self.held.extend_from_slice(held);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns whether the file ends with the seal of everything before it. `advance` receives the
/// number of bytes of each read; its `Break` ends the reading and is returned.
///
/// # Errors
///
/// If the file cannot be read.
pub fn is_intact(
    mut file: &File,
    advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> io::Result<ControlFlow<(), bool>> {
    let bytes = file.metadata()?.len();
    let Some(sealed) = bytes.checked_sub(SEAL_BYTES as u64) else {
        return Ok(ControlFlow::Continue(false));
    };
    file.seek(SeekFrom::Start(0))?;
    let digest = digest_of(file.take(sealed), advance)?;
    let mut seal = Vec::with_capacity(SEAL_BYTES);
    file.take(SEAL_BYTES as u64).read_to_end(&mut seal)?;
    Ok(digest.map_continue(|digest| seal == digest.as_bytes()))
}

/// Returns the SHA-256 of everything read from `from`, in hexadecimal digits. `advance` receives
/// the number of bytes of each read; its `Break` ends the reading and is returned.
pub fn digest_of(
    mut from: impl Read,
    advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> io::Result<ControlFlow<(), String>> {
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match from.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if count == 0 {
            let digest = HEXLOWER.encode(&digest.finalize());
            return Ok(ControlFlow::Continue(digest));
        }
        digest.update(&chunk[..count]);
        if advance(count as u64).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reading_ends_when_it_is_cancelled() {
        let mut advance = |_| ControlFlow::Break(());
        let digest = digest_of(io::repeat(0), &mut advance).unwrap();
        assert_eq!(digest, ControlFlow::Break(()));
    }

    proptest! {
        #[test]
        fn seal_is_independent_of_chunk_boundaries(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..10),
        ) {
            let mut all: Vec<u8> = chunks.concat();
            all.extend([0; SEAL_BYTES]);
            let mut sealing = SealingWriter::new(Vec::new());
            for chunk in &chunks {
                sealing.write_all(chunk).unwrap();
            }
            sealing.write_all(&[0; SEAL_BYTES]).unwrap();
            let sealed = sealing.finish().unwrap();
            let (before, seal) = sealed.split_at(sealed.len() - SEAL_BYTES);
            prop_assert_eq!(before, &all[..all.len() - SEAL_BYTES]);
            let digest = digest_of(before, &mut |_| ControlFlow::Continue(())).unwrap();
            let digest = digest.continue_value().unwrap();
            prop_assert_eq!(seal, digest.as_bytes());
        }
    }
}
