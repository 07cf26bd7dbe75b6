//! Pictures in other sizes, and SVG images that were cleaned: made when somebody asks, and kept in the data folder.
//!
//! The copies of a picture lie in a folder of its name, in there in one for the version it was made from, which its length
//! and the time of its last change tell: `images/size/2026/11/ferry.jpg/2f1a0-18c…/w600.webp`. When the picture changes,
//! its copies are made anew and the old ones taken away. Beside a copy there may be an empty file `w600.webp.none`: nothing
//! smaller can be made of the picture.

use std::{
    collections::HashSet,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, UNIX_EPOCH},
};

use super::{
    FILE_BYTES_MAX, Format, Header, ImageError, ImageKind, ImageSize, Memory, memory_bytes, rework,
    svg::{self, SVG_BYTES_MAX},
};
use crate::whole_file::WholeFile;

/// Where copies are kept, below the data folder.
const COPIES: &str = "images/size";

/// Where those of SVG images are kept that were cleaned, below the other copies.
const CLEANED: &str = "cleaned";

/// How many times as long as an SVG image the memory is that cleaning it takes.
const CLEANING_FACTOR: u64 = 4;

/// Most copies that are remembered to be there. Beyond that all are forgotten, and found again on the disk.
const KNOWN_MAX: usize = 1 << 14;

/// Longest address that is remembered, in bytes.
const KNOWN_BYTES_MAX: usize = 512;

/// Longest wait for somebody else who makes the same copy.
const WAIT: Duration = Duration::from_secs(20);

/// The copies of one site's pictures.
#[derive(Debug)]
pub struct Copies {
    data: PathBuf,
    memory: Arc<Memory>,
    /// Places of the copies that are being made.
    making: Mutex<HashSet<PathBuf>>,
    made: Condvar,
    /// Addresses that were answered since the start.
    known: Mutex<HashSet<String>>,
}

/// What answers a request for a picture in another size.
#[derive(Debug, PartialEq, Eq)]
pub enum Copy {
    /// This file.
    File(PathBuf),
    /// The picture as it is: nothing smaller can be made of it.
    Original,
}

impl Copies {
    /// Copies in the data folder `data`, for which this memory may be taken.
    pub fn new(data: &Path, memory: Arc<Memory>) -> Self {
        Self {
            data: data.to_owned(),
            memory,
            making: Mutex::default(),
            made: Condvar::new(),
            known: Mutex::default(),
        }
    }

    /// Whether the copy at this address was answered before, so that it will be answered quickly again.
    pub fn is_known(&self, address: &str) -> bool {
        locked(&self.known).contains(address)
    }

    /// Remembers that the copy at this address is there.
    pub fn remember(&self, address: &str) {
        let mut known = locked(&self.known);
        if address.len() > KNOWN_BYTES_MAX || known.contains(address) {
            return;
        }
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(address.to_owned());
    }

    /// Finds the copy of `original` in this size and format, or makes it. `name` is its path below `images/`.
    ///
    /// # Errors
    ///
    /// `Busy` when others need the memory for too long, `File` when a file cannot be read or written.
    pub fn find_or_make(
        &self,
        original: &Path,
        name: &str,
        size: ImageSize,
        format: Format,
    ) -> Result<Copy, ImageError> {
        let copies = self.data.join(COPIES).join(name);
        let file = format!("{}.{}", size.name(), format.extension());
        self.find_or_keep(original, &copies, &file, |metadata| {
            self.make(original, metadata, size, format)
        })
    }

    /// Finds the cleaned copy of an SVG image, compressed if that is, or makes it. `name` is its path below `/content/`.
    ///
    /// # Errors
    ///
    /// As [`find_or_make`](Self::find_or_make). What cannot be cleaned has no copy: `Original`.
    pub fn find_or_clean(&self, original: &Path, name: &str) -> Result<Copy, ImageError> {
        let copies = self.data.join(COPIES).join(CLEANED).join(name);
        let is_compressed = ImageKind::of_name(name) == Some(ImageKind::PackedSvg);
        let (file, clean): (_, fn(&[u8]) -> _) = if is_compressed {
            ("cleaned.svgz", svg::clean_packed)
        } else {
            ("cleaned.svg", svg::clean)
        };
        self.find_or_keep(original, &copies, file, |metadata| {
            if metadata.len() > SVG_BYTES_MAX as u64 {
                return Err(ImageError::TooLarge(format!(
                    "its file has more than {SVG_BYTES_MAX} bytes"
                )));
            }
            let bytes = if is_compressed {
                SVG_BYTES_MAX as u64
            } else {
                metadata.len()
            };
            let _memory = self.memory.take(bytes * CLEANING_FACTOR)?;
            clean(&read(original)?).map(Made::Bytes)
        })
    }

    /// Finds this file in the folder of the copies of `original`, or makes it.
    fn find_or_keep(
        &self,
        original: &Path,
        copies: &Path,
        file: &str,
        make: impl FnOnce(&Metadata) -> Result<Made, ImageError>,
    ) -> Result<Copy, ImageError> {
        let metadata = fs::metadata(original)?;
        let folder = copies.join(version(&metadata));
        let place = folder.join(file);
        let none = folder.join(format!("{file}.none"));
        if let Some(copy) = found(&place, &none) {
            return Ok(copy);
        }
        let _making = self.begin(place.clone())?;
        if let Some(copy) = found(&place, &none) {
            return Ok(copy);
        }
        if !folder.exists() {
            forget_other_versions(copies);
        }
        match make(&metadata) {
            Ok(Made::Same) => self.keep_original(original, &place)?,
            Ok(Made::Bytes(bytes)) => {
                WholeFile::with_content(&self.data, &bytes)?.replace(&place)?
            }
            // That may be otherwise after the next start.
            Err(ImageError::NeedsMemory { .. }) => return Ok(Copy::Original),
            Err(error @ (ImageError::Busy | ImageError::File(_))) => return Err(error),
            Err(ImageError::Unreadable(_) | ImageError::TooLarge(_)) => {
                WholeFile::create(&self.data)?.replace(&none)?;
                return Ok(Copy::Original);
            }
        }
        Ok(Copy::File(place))
    }

    /// Waits until nobody else makes the copy in this place.
    fn begin(&self, place: PathBuf) -> Result<Making<'_>, ImageError> {
        let until = Instant::now() + WAIT;
        let mut making = locked(&self.making);
        while making.contains(&place) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ImageError::Busy);
            }
            let waited = self.made.wait_timeout(making, left);
            making = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        making.insert(place.clone());
        Ok(Making {
            copies: self,
            place,
        })
    }

    fn make(
        &self,
        original: &Path,
        metadata: &Metadata,
        size: ImageSize,
        format: Format,
    ) -> Result<Made, ImageError> {
        if metadata.len() > FILE_BYTES_MAX {
            return Err(ImageError::TooLarge(format!(
                "its file has more than {FILE_BYTES_MAX} bytes"
            )));
        }
        let header = {
            let _memory = self.memory.take(metadata.len())?;
            Header::read(&read(original)?)?
        };
        let fitted = size.fit(header.width, header.height);
        let is_same_size = (fitted.width, fitted.height) == (header.width, header.height);
        if is_same_size && header.format() == Some(format) {
            return Ok(Made::Same);
        }
        if header.is_animated || header.format().is_none() {
            return Err(ImageError::Unreadable("it moves".to_owned()));
        }
        // While this waits, it has nothing of the file in memory; so it is read once more.
        let needed = |header: &Header| memory_bytes(metadata.len(), header, size);
        let _memory = self.memory.take(needed(&header))?;
        let content = read(original)?;
        let current = Header::read(&content)?;
        if needed(&current) > needed(&header) || content.len() as u64 > metadata.len() {
            Err(io::Error::other("the file changes").into())
        } else {
            rework(&content, &current, size, format).map(Made::Bytes)
        }
    }

    /// Gives a picture that is small enough a second name, or copies it where that cannot be done.
    fn keep_original(&self, original: &Path, place: &Path) -> io::Result<()> {
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::hard_link(original, place).or_else(|_| {
            let mut copy = WholeFile::create(&self.data)?;
            io::copy(&mut File::open(original)?, &mut copy)?;
            copy.replace(place)
        })
    }
}

/// What comes of a picture.
enum Made {
    /// Itself.
    Same,
    /// Another one.
    Bytes(Vec<u8>),
}

/// The right to make one copy.
struct Making<'a> {
    copies: &'a Copies,
    place: PathBuf,
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        locked(&self.copies.making).remove(&self.place);
        self.copies.made.notify_all();
    }
}

/// Names only, which a panic leaves as they are.
fn locked<T>(names: &Mutex<T>) -> MutexGuard<'_, T> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

fn found(place: &Path, none: &Path) -> Option<Copy> {
    if place.is_file() {
        Some(Copy::File(place.to_owned()))
    } else {
        none.is_file().then_some(Copy::Original)
    }
}

/// What tells one version of a file from another.
fn version(metadata: &Metadata) -> String {
    let modified = metadata.modified().ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = modified.map_or(0, |time| time.as_nanos());
    format!("{:x}-{nanoseconds:x}", metadata.len())
}

/// Takes away the copies of earlier versions. What cannot be taken away harms nobody.
fn forget_other_versions(copies: &Path) {
    for entry in fs::read_dir(copies).into_iter().flatten().flatten() {
        let _ = fs::remove_dir_all(entry.path());
    }
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(file)?
        .take(FILE_BYTES_MAX)
        .read_to_end(&mut content)?;
    Ok(content)
}
