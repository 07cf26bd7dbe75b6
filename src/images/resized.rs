//! Resized images and cleaned SVG images: created on request, and stored in the data folder.
//!
//! The copies of an image are in a folder with its name, which contains a folder for the version that they
//! were created from, named after its length and modification time:
//! `images/size/2026/11/ferry.jpg/2f1a0-18c…/w600.webp`. When the image changes, new copies are created and
//! the old ones removed. An empty file `w600.webp.none` instead of a copy means that the image cannot be
//! resized, so the original is served.

use std::{
    collections::HashSet,
    fs::{self, File, Metadata},
    io::{self, Read},
    os::{fd::AsRawFd, unix::fs::FileExt},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, UNIX_EPOCH},
};

use rustix::fs::{AtFlags, CWD, linkat};

use super::{
    FILE_BYTES_MAX, Format, Header, ImageError, ImageKind, ImageSize, Memory, memory_bytes,
    reencode, svg,
};
use crate::atomic_file::AtomicFile;

/// The folder of copies, below the data folder.
const COPIES: &str = "images/size";

/// The folder of cleaned SVG images, below the folder of copies.
const CLEANED: &str = "cleaned";

/// Maximum number of URLs that are remembered. When it is reached, all are forgotten and looked up on disk
/// again.
const KNOWN_MAX: usize = 1 << 14;

/// Longest URL that is remembered, in bytes.
const KNOWN_BYTES_MAX: usize = 512;

/// Longest wait for another request that creates the same copy.
const WAIT: Duration = Duration::from_secs(20);

/// The copies of one site's images.
#[derive(Debug)]
pub struct Copies {
    data: PathBuf,
    memory: Arc<Memory>,
    /// Paths of the copies being created.
    in_progress: Mutex<HashSet<PathBuf>>,
    finished: Condvar,
    /// URLs of copies that were served since the start.
    known: Mutex<HashSet<String>>,
}

/// The response to a request for a resized image.
#[derive(Debug, PartialEq, Eq)]
pub enum Copy {
    /// The copy in this file.
    File(PathBuf),
    /// The original image, since it cannot be resized or cleaned.
    Original,
}

impl Copies {
    /// Returns the copies in the data folder `data`. Creating them takes memory from `memory`.
    pub fn new(data: &Path, memory: Arc<Memory>) -> Self {
        Self {
            data: data.to_owned(),
            memory,
            in_progress: Mutex::default(),
            finished: Condvar::new(),
            known: Mutex::default(),
        }
    }

    /// Returns whether the copy at this URL was served before, so that it can be served without checks
    /// again.
    pub fn is_known(&self, url: &str) -> bool {
        locked(&self.known).contains(url)
    }

    /// Remembers that the copy at this URL exists.
    pub fn remember(&self, url: &str) {
        let mut known = locked(&self.known);
        if url.len() > KNOWN_BYTES_MAX || known.contains(url) {
            return;
        }
        // Clearing everything needs no order of use, and a forgotten URL only costs a check on
        // disk.
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(url.to_owned());
    }

    /// Returns the copy of `original` in this size and format, creating it if necessary. `name` is the path
    /// of the original below `images/`.
    ///
    /// # Errors
    ///
    /// `Busy` if others hold the memory for too long, `Changing` if the image was replaced meanwhile,
    /// `File` if a file cannot be read or written.
    pub fn find_or_resize(
        &self,
        original: &File,
        name: &str,
        size: ImageSize,
        format: Format,
    ) -> Result<Copy, ImageError> {
        let copies = self.data.join(COPIES).join(name);
        let file = format!("{}.{}", size.name(), format.extension());
        self.find_or_store(original, &copies, &file, |metadata| {
            self.make(original, metadata, size, format)
        })
    }

    /// Returns the cleaned copy of an SVG image, compressed if the original is, creating it if necessary.
    /// `name` is the path of the original below `/content/`.
    ///
    /// # Errors
    ///
    /// The errors of [`find_or_resize`](Self::find_or_resize). For an image that cannot be cleaned, the
    /// result is `Original`.
    pub fn find_or_clean(&self, original: &File, name: &str) -> Result<Copy, ImageError> {
        let copies = self.data.join(COPIES).join(CLEANED).join(name);
        let is_compressed = ImageKind::of_name(name) == Some(ImageKind::CompressedSvg);
        let file = if is_compressed {
            "cleaned.svgz"
        } else {
            "cleaned.svg"
        };
        self.find_or_store(original, &copies, file, |_| {
            let open = || Ok(FileReader::new(original));
            let cleaned = if is_compressed {
                svg::clean_compressed(open, &self.memory)
            } else {
                svg::clean(open, &self.memory)
            };
            cleaned.map(ReworkResult::Bytes)
        })
    }

    /// Returns this file in the folder of the copies of `original`, creating it with `make` if necessary.
    fn find_or_store(
        &self,
        original: &File,
        copies: &Path,
        file: &str,
        make: impl FnOnce(&Metadata) -> Result<ReworkResult, ImageError>,
    ) -> Result<Copy, ImageError> {
        // Of the open file, because its path may be that of a new version by now.
        let metadata = original.metadata()?;
        let version = version(&metadata);
        let folder = copies.join(&version);
        let path = folder.join(file);
        let none = folder.join(format!("{file}.none"));
        if let Some(copy) = found(&path, &none) {
            return Ok(copy);
        }
        // Checked again below, since another request may have created the copy in between.
        let _making = self.begin(path.clone())?;
        if let Some(copy) = found(&path, &none) {
            return Ok(copy);
        }
        // This is the first copy of a new version, so copies of earlier versions are no longer requested.
        if !folder.exists() {
            remove_other_versions(copies, &version);
        }
        match make(&metadata) {
            Ok(ReworkResult::Same) => self.store_original(original, &path)?,
            Ok(ReworkResult::Bytes(bytes)) => {
                AtomicFile::with_content(&self.data, &bytes)?.replace(&path)?
            }
            // Not stored as `.none`, since the memory limit may be higher after the next start.
            Err(ImageError::NeedsMemory { .. }) => return Ok(Copy::Original),
            Err(error @ (ImageError::Busy | ImageError::Changing | ImageError::File(_))) => {
                return Err(error);
            }
            Err(ImageError::Unreadable(_) | ImageError::TooLarge(_)) => {
                // Remembered on disk, so that the following requests do not decode the image again.
                AtomicFile::create(&self.data)?.replace(&none)?;
                return Ok(Copy::Original);
            }
        }
        Ok(Copy::File(path))
    }

    /// Waits until no other request is creating the copy at this path.
    fn begin(&self, path: PathBuf) -> Result<CopyClaim<'_>, ImageError> {
        let until = Instant::now() + WAIT;
        let mut in_progress = locked(&self.in_progress);
        while in_progress.contains(&path) {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return Err(ImageError::Busy);
            }
            let waited = self.finished.wait_timeout(in_progress, remaining);
            in_progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        in_progress.insert(path.clone());
        Ok(CopyClaim { copies: self, path })
    }

    fn make(
        &self,
        original: &File,
        metadata: &Metadata,
        size: ImageSize,
        format: Format,
    ) -> Result<ReworkResult, ImageError> {
        if metadata.len() > FILE_BYTES_MAX {
            return Err(ImageError::TooLarge(format!(
                "its file has more than {FILE_BYTES_MAX} bytes"
            )));
        }
        let header = {
            // Released after the header: a request that holds one reservation while it waits for
            // another could block other requests that do the same.
            let _memory = self.memory.take(metadata.len())?;
            Header::read(&read(original)?)?
        };
        let fitted = size.fit(header.width, header.height);
        let is_same_size = (fitted.width, fitted.height) == (header.width, header.height);
        // Before the check for animations, because one that is small enough is served as it is.
        if is_same_size && header.format() == Some(format) {
            return Ok(ReworkResult::Same);
        }
        if header.is_animated || header.format().is_none() {
            return Err(ImageError::Unreadable("it is animated".to_owned()));
        }
        // The content is not held in memory during this wait, so the file is read again.
        let needed = |header: &Header| memory_bytes(metadata.len(), header, size, format);
        let _memory = self.memory.take(needed(&header))?;
        let content = read(original)?;
        let current = Header::read(&content)?;
        if needed(&current) > needed(&header) || content.len() as u64 > metadata.len() {
            Err(ImageError::Changing)
        } else {
            reencode(&content, &current, size, format).map(ReworkResult::Bytes)
        }
    }

    /// Hard-links an image that is already small enough, or copies it if that is not possible.
    fn store_original(&self, original: &File, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Links the open file, since its path may have become a symbolic link.
        let opened = format!("/proc/self/fd/{}", original.as_raw_fd());
        linkat(CWD, opened, CWD, path, AtFlags::SYMLINK_FOLLOW).or_else(|_| {
            let mut copy = AtomicFile::create(&self.data)?;
            io::copy(&mut FileReader::new(original), &mut copy)?;
            copy.replace(path)
        })
    }
}

/// The result of resizing or cleaning an image.
enum ReworkResult {
    /// The original image.
    Same,
    /// A new image.
    Bytes(Vec<u8>),
}

/// The right to create one copy.
struct CopyClaim<'a> {
    copies: &'a Copies,
    path: PathBuf,
}

impl Drop for CopyClaim<'_> {
    fn drop(&mut self) {
        locked(&self.copies.in_progress).remove(&self.path);
        self.copies.finished.notify_all();
    }
}

/// Locks a set. It contains only names, so it is valid even after a panic.
fn locked<T>(names: &Mutex<T>) -> MutexGuard<'_, T> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

fn found(path: &Path, none: &Path) -> Option<Copy> {
    if path.is_file() {
        Some(Copy::File(path.to_owned()))
    } else {
        none.is_file().then_some(Copy::Original)
    }
}

/// Returns the name of a version of a file.
fn version(metadata: &Metadata) -> String {
    let modified = metadata.modified().ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = modified.map_or(0, |time| time.as_nanos());
    format!("{:x}-{nanoseconds:x}", metadata.len())
}

/// Removes the copies of other versions than `current`. Copies that cannot be removed do no harm.
fn remove_other_versions(copies: &Path, current: &str) {
    for entry in fs::read_dir(copies).into_iter().flatten().flatten() {
        // A request for another size may have stored the first copy of the current version meanwhile.
        if entry.file_name() != current {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Reads a file from its beginning with positioned reads, which leave its offset unchanged for serving it
/// later.
struct FileReader<'a> {
    file: &'a File,
    position: u64,
}

impl<'a> FileReader<'a> {
    fn new(file: &'a File) -> Self {
        Self { file, position: 0 }
    }
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

fn read(file: &File) -> io::Result<Vec<u8>> {
    // Reserves exactly the length of the file, so that no more memory is used than was reserved.
    let bytes = file.metadata()?.len().min(FILE_BYTES_MAX);
    let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    FileReader::new(file)
        .take(FILE_BYTES_MAX)
        .read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_copies_of_other_versions_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["1-a", "1-b", "2-a"] {
            fs::create_dir(folder.path().join(version)).unwrap();
            fs::write(folder.path().join(version).join("w600.webp"), "").unwrap();
        }
        remove_other_versions(folder.path(), "1-b");
        let remaining: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert_eq!(remaining.len(), 1);
        assert!(folder.path().join("1-b/w600.webp").is_file());
    }
}
