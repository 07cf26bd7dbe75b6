//! Reads untrusted zip archives, checking their directories before anything is extracted, and writes
//! archives.
//!
//! An archive may be malicious: names outside of the folder, links, contents that expand to a
//! thousand times their size. All of that is refused here, and everything is limited by bounds that
//! the caller sets.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::{
    CompressionMethod, DateTime, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions,
};

/// Maximum compression ratio of a file larger than [`RATIO_FREE_BYTES`]. Text compresses to about a
/// twentieth of its size, images hardly at all.
const RATIO_MAX: u64 = 200;

/// Maximum size of files with any compression ratio, in bytes.
const RATIO_FREE_BYTES: u64 = 16 << 20;

/// Maximum length of the name of an entry, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// Maximum length of a segment of such a name, in bytes: the limit of file systems.
const NAME_PART_BYTES_MAX: usize = 255;

/// Maximum number of characters of a name that are shown in a message.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// Files that operating systems add for their use.
pub const SYSTEM_FILES: [&str; 3] = ["__MACOSX", "Thumbs.db", "desktop.ini"];

/// Limits for an archive.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of bytes of its directory that are read.
    pub directory_bytes_max: u64,
    /// Maximum number of entries.
    pub entries_max: usize,
    /// Maximum total size of all files when extracted, in bytes.
    pub unpacked_bytes_max: u64,
    /// Maximum number of nested folders that a file is in.
    pub depth_max: usize,
}

/// The reason why an archive is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ArchiveError {
    #[error("not a zip archive, or a damaged one: {0}")]
    Damaged(String),
    #[error("its directory is longer than {} MB", .0 >> 20)]
    DirectoryTooLong(u64),
    #[error("it has more than {0} entries")]
    TooMany(usize),
    #[error("two entries of it have the same name")]
    SameName,
    #[error("two entries of it share their content")]
    Overlapping,
    #[error("its files have more than {} MB when extracted", .0 >> 20)]
    TooLarge(u64),
    #[error("\"{name}\" expands to more than {RATIO_MAX} times its size")]
    Bomb { name: String },
    #[error("\"{name}\" is not a safe path: {why}")]
    Leading { name: String, why: &'static str },
    #[error("\"{name}\" is in more than {depth_max} nested folders")]
    TooDeep { name: String, depth_max: usize },
    #[error("\"{name}\" is a link; only files and folders are accepted")]
    Link { name: String },
    #[error("\"{name}\" is encrypted")]
    Locked { name: String },
    #[error("\"{name}\" cannot be extracted: {reason}")]
    Unpackable { name: String, reason: String },
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// An archive whose directory has been read and checked. Clones read independently of each other.
#[derive(Clone)]
pub struct Zip<R>(ZipArchive<LimitedReader<R>>);

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct ArchiveEntry {
    index: usize,
    /// The file's name, including its folders.
    pub name: String,
    /// Its size when extracted, in bytes.
    pub bytes: u64,
}

/// A reader with a limit.
#[derive(Clone)]
struct LimitedReader<R> {
    inner: R,
    left: Arc<AtomicU64>,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        let spend = |left: u64| left.checked_sub(count as u64);
        match self
            .left
            .try_update(Ordering::Relaxed, Ordering::Relaxed, spend)
        {
            Ok(_) => Ok(count),
            Err(_) => Err(io::ErrorKind::QuotaExceeded.into()),
        }
    }
}

impl<R: Seek> Seek for LimitedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// File content that ends in an error if it is shorter than announced.
struct ExactReader<R> {
    inner: R,
    /// Number of announced bytes that have not been read yet.
    missing: u64,
}

impl<R: Read> Read for ExactReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        // A read into an empty buffer also returns 0, which is not the end.
        if count == 0 && !out.is_empty() && self.missing > 0 {
            let reason = format!("it is {} bytes shorter than announced", self.missing);
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        self.missing = self.missing.saturating_sub(count as u64);
        Ok(count)
    }
}

impl<R: Read + Seek> Zip<R> {
    /// Reads the directory of an archive. Returns the archive and its files, sorted by name; files
    /// that operating systems add for their use are ignored.
    ///
    /// # Errors
    ///
    /// If it is damaged, malicious, or exceeds `bounds`.
    pub fn open(inner: R, bounds: &Bounds) -> Result<(Self, Vec<ArchiveEntry>), ArchiveError> {
        // The archive takes the reader, so a second handle changes its limit later. Relaxed
        // ordering is enough: the number protects no other memory.
        let directory_bytes_left = Arc::new(AtomicU64::new(bounds.directory_bytes_max));
        let metered = LimitedReader {
            inner,
            left: Arc::clone(&directory_bytes_left),
        };
        let zip = ZipArchive::new(metered).map_err(|error| match error {
            ZipError::Io(error) if error.kind() == io::ErrorKind::QuotaExceeded => {
                ArchiveError::DirectoryTooLong(bounds.directory_bytes_max)
            }
            error => ArchiveError::from(error),
        })?;
        if zip.len() > bounds.entries_max {
            return Err(ArchiveError::TooMany(bounds.entries_max));
        }
        // The limit protects memory, which holds only the directory: contents are streamed, and
        // `bounds` limits their sizes.
        directory_bytes_left.store(u64::MAX, Ordering::Relaxed);
        if zip.has_duplicate_names() {
            return Err(ArchiveError::SameName);
        }
        let mut zip = Self(zip);
        if zip.0.has_overlapping_entries()? {
            return Err(ArchiveError::Overlapping);
        }
        let entries = zip.entries(bounds)?;
        Ok((zip, entries))
    }

    /// Returns the content of `entry`. Reading returns an error if the content is longer or shorter
    /// than the directory announces.
    ///
    /// # Errors
    ///
    /// If its compression method is not supported.
    pub fn content(&mut self, entry: &ArchiveEntry) -> Result<impl Read, ArchiveError> {
        Ok(ExactReader {
            inner: self.0.by_index(entry.index)?,
            missing: entry.bytes,
        })
    }

    /// Returns the byte range of the content of `entry` in the archive, or `None` if it is
    /// compressed.
    ///
    /// # Errors
    ///
    /// If the archive is inconsistent.
    pub fn stored_range(
        &mut self,
        entry: &ArchiveEntry,
    ) -> Result<Option<Range<u64>>, ArchiveError> {
        let content = self.0.by_index(entry.index)?;
        let is_compressed = content.compression() != CompressionMethod::Stored
            || content.compressed_size() != entry.bytes;
        let begin = content.data_start().filter(|_| !is_compressed);
        let end = begin.and_then(|begin| begin.checked_add(entry.bytes));
        Ok(begin.zip(end).map(|(begin, end)| begin..end))
    }

    /// Returns all files, after checking each in the directory.
    fn entries(&self, bounds: &Bounds) -> Result<Vec<ArchiveEntry>, ArchiveError> {
        let metadata = self.0.metadata();
        let mut unpacked_bytes: u64 = 0;
        let mut entries = Vec::new();
        for index in 0..metadata.len() {
            let entry = metadata.entry(index)?;
            let name = entry.name()?.into_owned();
            if name.split('/').any(|part| SYSTEM_FILES.contains(&part)) {
                continue;
            }
            // First, because the errors below show the name, which is now short and without control
            // characters.
            check_name(&name)?;
            if entry.is_symlink() {
                return Err(ArchiveError::Link { name });
            }
            if entry.is_dir() {
                continue;
            }
            if name.split('/').count() > bounds.depth_max + 1 {
                return Err(ArchiveError::TooDeep {
                    name: shown(&name),
                    depth_max: bounds.depth_max,
                });
            }
            if entry.encrypted() {
                return Err(ArchiveError::Locked { name });
            }
            let (compressed_bytes, bytes) = (entry.compressed_size(), entry.size());
            // Divides the announced size, because multiplying the other one could overflow.
            if bytes > RATIO_FREE_BYTES && bytes / RATIO_MAX > compressed_bytes {
                return Err(ArchiveError::Bomb { name });
            }
            // The announced sizes suffice: reading fails if a content is longer than announced.
            unpacked_bytes = unpacked_bytes.saturating_add(bytes);
            if unpacked_bytes > bounds.unpacked_bytes_max {
                return Err(ArchiveError::TooLarge(bounds.unpacked_bytes_max));
            }
            entries.push(ArchiveEntry { index, name, bytes });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }
}

/// Returns a prefix of a name, short enough for a message.
fn shown(name: &str) -> String {
    let beginning: String = name.chars().take(SHOWN_CHARACTERS_MAX).collect();
    beginning.escape_debug().to_string()
}

/// Checks that a file in an archive may have this name: a relative path without `..`, with
/// characters that all systems treat alike.
///
/// # Errors
///
/// `Leading`, with the reason.
pub fn check_name(name: &str) -> Result<(), ArchiveError> {
    let leading = |why| {
        let name = shown(name);
        Err(ArchiveError::Leading { name, why })
    };
    let path = name.strip_suffix('/').unwrap_or(name);
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return leading("it is absolute");
    }
    if path.contains('\\') {
        return leading("it has a backslash");
    }
    if path.chars().any(char::is_control) {
        return leading("it has control characters");
    }
    if path.len() > NAME_BYTES_MAX || path.split('/').any(|part| part.len() > NAME_PART_BYTES_MAX) {
        return leading("it is too long");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return leading("a part of it is empty, \".\" or \"..\"");
    }
    Ok(())
}

/// An archive (zip) that is written into a file. The same contents produce the same bytes.
pub struct ArchiveWriter<'a>(ZipWriter<BufWriter<&'a File>>);

impl<'a> ArchiveWriter<'a> {
    /// Begins an archive in an empty file.
    pub fn new(file: &'a File) -> Self {
        Self(ZipWriter::new(BufWriter::new(file)))
    }

    /// Adds a file with this content.
    ///
    /// # Errors
    ///
    /// If the content cannot be read, or the archive cannot be written.
    pub fn add(&mut self, name: &str, mut content: impl Read) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            // The time carries no information about the file, and would change the archive's bytes.
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        self.0.start_file(name, options)?;
        io::copy(&mut content, &mut self.0).map(drop)
    }

    /// Completes the archive.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.0.finish()?.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_are_refused() {
        for name in [
            "../a", "a/../b", "/etc/a", "C:/a", "a\\b", "a//b", "a/./b", "a\0b", "",
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name("content/images/2024/night ferry.jpg").is_ok());
        assert!(check_name("content/images/").is_ok());
    }
}
