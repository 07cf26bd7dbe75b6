//! Zip archives from strangers: what is in them, told by their directory before anything is unpacked.
//!
//! An archive may be made to harm: names that lead out of a folder, links, contents that unpack to a thousand times their
//! size. All of that is refused here, and everything has a bound, which whoever opens the archive names.

use std::{
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::{CompressionMethod, ZipArchive, result::ZipError};

/// How many times its packed size a content may have, once it is larger than [`RATIO_FREE_BYTES`]. Text packs to a
/// twentieth, pictures hardly.
const RATIO_MAX: u64 = 200;

/// Contents up to this size may be packed as well as they can be, in bytes.
const RATIO_FREE_BYTES: u64 = 16 << 20;

/// Longest name of an entry, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// Longest part of such a name, in bytes: what file systems take.
const NAME_PART_BYTES_MAX: usize = 255;

/// Characters of a name that a message shows.
const SHOWN_CHARACTERS_MAX: usize = 80;

/// What systems put beside files for themselves.
pub const OF_SYSTEMS: [&str; 3] = ["__MACOSX", "Thumbs.db", "desktop.ini"];

/// How much an archive may hold.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most that is read of its directory, in bytes.
    pub directory_bytes_max: u64,
    /// Most entries.
    pub entries_max: usize,
    /// Most that all contents may have unpacked, in bytes.
    pub unpacked_bytes_max: u64,
    /// Most folders that a file may lie in, one in the other.
    pub depth_max: usize,
}

/// Why an archive is not taken.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ArchiveError {
    #[error("it is no archive, or a damaged one: {0}")]
    Damaged(String),
    #[error("its directory is longer than {} MB", .0 >> 20)]
    DirectoryTooLong(u64),
    #[error("it has more than {0} entries")]
    TooMany(usize),
    #[error("two entries of it have the same name")]
    SameName,
    #[error("two entries of it share their content, as no program packs it")]
    Overlapping,
    #[error("its contents have more than {} MB unpacked", .0 >> 20)]
    TooLarge(u64),
    #[error("\"{name}\" unpacks to more than {RATIO_MAX} times its size")]
    Bomb { name: String },
    #[error("\"{name}\" leads out of the archive, or to no certain place: {why}")]
    Leading { name: String, why: &'static str },
    #[error("\"{name}\" lies in more than {depth_max} folders")]
    TooDeep { name: String, depth_max: usize },
    #[error("\"{name}\" is a link; only files and folders are taken")]
    Link { name: String },
    #[error("\"{name}\" is locked with a password")]
    Locked { name: String },
    #[error("\"{name}\" cannot be unpacked: {reason}")]
    Unpackable { name: String, reason: String },
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// An archive whose directory was read and found to be good. A copy reads by itself.
#[derive(Clone)]
pub struct Zip<R>(ZipArchive<Metered<R>>);

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    index: usize,
    /// Its name, with the folders that it lies in.
    pub name: String,
    /// Its size unpacked, in bytes.
    pub bytes: u64,
}

/// Reads no more than it may.
#[derive(Clone)]
struct Metered<R> {
    inner: R,
    left: Arc<AtomicU64>,
}

impl<R: Read> Read for Metered<R> {
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

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// A content that ends in an error where it is shorter than it was said to be.
struct Whole<R> {
    inner: R,
    /// Bytes that were said to be there and have not come.
    missing: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        if count == 0 && !out.is_empty() && self.missing > 0 {
            let reason = format!("it is {} bytes shorter than it says", self.missing);
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        self.missing = self.missing.saturating_sub(count as u64);
        Ok(count)
    }
}

impl<R: Read + Seek> Zip<R> {
    /// Reads the directory of an archive. Returns the archive and its files, in the order of their names; what systems put
    /// beside files for themselves is passed over.
    ///
    /// # Errors
    ///
    /// When it is damaged, made to harm, or holds more than `bounds` allow.
    pub fn open(inner: R, bounds: &Bounds) -> Result<(Self, Vec<Entry>), ArchiveError> {
        let left = Arc::new(AtomicU64::new(bounds.directory_bytes_max));
        let metered = Metered {
            inner,
            left: Arc::clone(&left),
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
        left.store(u64::MAX, Ordering::Relaxed);
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

    /// The content of `entry`. What unpacks to more than the directory says, or to less, ends in an error there.
    ///
    /// # Errors
    ///
    /// When it is packed in a way that is not known here.
    pub fn content(&mut self, entry: &Entry) -> Result<impl Read, ArchiveError> {
        Ok(Whole {
            inner: self.0.by_index(entry.index)?,
            missing: entry.bytes,
        })
    }

    /// Where the content of `entry` lies in the archive, or `None` if it is packed.
    ///
    /// # Errors
    ///
    /// When the archive contradicts itself.
    pub fn place(&mut self, entry: &Entry) -> Result<Option<Range<u64>>, ArchiveError> {
        let content = self.0.by_index(entry.index)?;
        let is_packed = content.compression() != CompressionMethod::Stored
            || content.compressed_size() != entry.bytes;
        let begin = content.data_start().filter(|_| !is_packed);
        let end = begin.and_then(|begin| begin.checked_add(entry.bytes));
        Ok(begin.zip(end).map(|(begin, end)| begin..end))
    }

    /// All files, each checked by what the directory says.
    fn entries(&self, bounds: &Bounds) -> Result<Vec<Entry>, ArchiveError> {
        let metadata = self.0.metadata();
        let mut unpacked_bytes: u64 = 0;
        let mut entries = Vec::new();
        for index in 0..metadata.len() {
            let entry = metadata.entry(index)?;
            let name = entry.name()?.into_owned();
            if name.split('/').any(|part| OF_SYSTEMS.contains(&part)) {
                continue;
            }
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
            let (packed, bytes) = (entry.compressed_size(), entry.size());
            if bytes > RATIO_FREE_BYTES && bytes / RATIO_MAX > packed {
                return Err(ArchiveError::Bomb { name });
            }
            unpacked_bytes = unpacked_bytes.saturating_add(bytes);
            if unpacked_bytes > bounds.unpacked_bytes_max {
                return Err(ArchiveError::TooLarge(bounds.unpacked_bytes_max));
            }
            entries.push(Entry { index, name, bytes });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }
}

/// As much of a name as a message can hold.
fn shown(name: &str) -> String {
    let beginning: String = name.chars().take(SHOWN_CHARACTERS_MAX).collect();
    beginning.escape_debug().to_string()
}

/// Whether a file may have this name in an archive: a path that stays where it is, in characters that everybody reads alike.
///
/// # Errors
///
/// `Leading`, which tells why not.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "../a", "a/../b", "/etc/a", "C:/a", "a\\b", "a//b", "a/./b", "a\0b", "",
        ] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name("content/images/2024/night ferry.jpg").is_ok());
        assert!(check_name("content/images/").is_ok());
    }
}
