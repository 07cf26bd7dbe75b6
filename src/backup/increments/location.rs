//! The objects of a location: written once, verified by their hashes when read, listed and deleted.

use std::{
    fmt,
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use rustix::fs::syncfs;
use sha2::{Digest, Sha256};

use super::super::{BackupError, Destination};
use crate::{
    atomic_file::{self, AtomicFile},
    backup::error::{read_error, write_error},
    bucket::{Bucket, BucketErrorKind},
    interruption::Interruption,
    progress::NoProgress,
};

/// Maximum length of a compressed object, in bytes.
pub const STORED_BYTES_MAX: u64 = 1 << 30;

/// Permissions of the folders of a location: only their owner may read them.
const FOLDER_MODE: u32 = 0o700;

/// A folder or a bucket with the objects of incremental backups.
pub struct Location {
    destination: Destination,
    /// A folder for temporary files.
    scratch: PathBuf,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.destination)
    }
}

impl Location {
    /// Returns the location at a destination. Temporary files are written into the folder
    /// `scratch`.
    pub fn new(destination: Destination, scratch: &Path) -> Self {
        Self {
            destination,
            scratch: scratch.to_owned(),
        }
    }

    /// Returns the same location with requests that `interruption` ends.
    pub fn with_interruption(self, interruption: Interruption) -> Self {
        Self {
            destination: self.destination.with_interruption(interruption),
            ..self
        }
    }

    /// Returns an error about an object.
    pub fn error(&self, name: &str, what: impl Into<String>) -> BackupError {
        BackupError::Object {
            location: self.to_string(),
            name: name.to_owned(),
            what: what.into(),
        }
    }

    /// Writes an object, and reads it back if the location is a bucket. In a folder, the object
    /// appears atomically and is durable after [`flush`](Self::flush).
    ///
    /// # Errors
    ///
    /// If it cannot be written, or the content that is read back differs.
    pub fn put(&self, name: &str, stored: &[u8]) -> Result<(), BackupError> {
        match &self.destination {
            Destination::Folder(folder) => {
                let path = folder.join(name);
                self.put_file(&path, stored).map_err(write_error(&path))
            }
            Destination::Bucket(bucket) => self.put_object(bucket, name, stored),
        }
    }

    fn put_file(&self, path: &Path, stored: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut builder = DirBuilder::new();
        builder.mode(FOLDER_MODE).recursive(true).create(folder)?;
        let mut file = AtomicFile::private(folder)?;
        file.write_all(stored)?;
        // Not flushed one by one: `flush` makes all objects durable before a moment refers to them.
        file.replace_unflushed(path)
    }

    fn put_object(&self, bucket: &Bucket, name: &str, stored: &[u8]) -> Result<(), BackupError> {
        let scratch = &self.scratch;
        // In a file, because the client reads a part again from the file for each retry.
        let written = atomic_file::unnamed(scratch).and_then(|mut file| {
            file.write_all(stored)?;
            Ok(file)
        });
        let file = written.map_err(write_error(scratch))?;
        bucket.put(name, &file, stored.len() as u64, &NoProgress)?;
        if self.get(name, stored.len() as u64)?.as_deref() == Some(stored) {
            return Ok(());
        }
        bucket.discard(name);
        Err(self.error(name, "the object read back differs from the one written"))
    }

    /// Returns the device number of the disk that contains the folder, or will contain it; `None`
    /// for a bucket.
    pub fn disk(&self) -> Option<u64> {
        let Destination::Folder(folder) = &self.destination else {
            return None;
        };
        let metadata = folder.ancestors().map(|path| match path.as_os_str() {
            empty if empty.is_empty() => fs::metadata("."),
            _ => fs::metadata(path),
        });
        metadata.flatten().map(|metadata| metadata.dev()).next()
    }

    /// Makes everything that was written durable.
    ///
    /// # Errors
    ///
    /// If the disk refuses.
    pub fn flush(&self) -> Result<(), BackupError> {
        let Destination::Folder(folder) = &self.destination else {
            return Ok(());
        };
        // A single call for the whole file system: flushing many files one by one takes much
        // longer.
        let flushed = File::open(folder).and_then(|folder| Ok(syncfs(folder)?));
        flushed.map_err(write_error(folder))
    }

    /// Returns the stored bytes of an object; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or has more than `bytes_max` bytes.
    pub fn get(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, BackupError> {
        let mut content: Box<dyn Read> = match &self.destination {
            Destination::Folder(folder) => {
                let path = folder.join(name);
                match File::open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                    file => Box::new(file.map_err(read_error(&path))?),
                }
            }
            Destination::Bucket(bucket) => match bucket.get(name) {
                Err(error) if error.kind == BucketErrorKind::Missing => return Ok(None),
                response => Box::new(response?.body),
            },
        };
        let mut stored = Vec::new();
        let read = content
            .by_ref()
            // One more byte shows that the object is too long.
            .take(bytes_max + 1)
            .read_to_end(&mut stored);
        read.map_err(|error| self.error(name, error.to_string()))?;
        if stored.len() as u64 > bytes_max {
            return Err(self.error(name, format!("it has more than {bytes_max} bytes")));
        }
        Ok(Some(stored))
    }

    /// Returns whether an object with this name exists.
    ///
    /// # Errors
    ///
    /// If the disk or the bucket cannot be read.
    pub fn has(&self, name: &str) -> Result<bool, BackupError> {
        match &self.destination {
            Destination::Folder(folder) => {
                let path = folder.join(name);
                path.try_exists().map_err(read_error(&path))
            }
            Destination::Bucket(bucket) => Ok(bucket.has(name)?),
        }
    }

    /// Returns the uncompressed content of an object, which must have this hash.
    ///
    /// # Errors
    ///
    /// If it is missing, damaged, or longer than `bytes_max`.
    pub fn read(&self, name: &str, sha256: &str, bytes_max: u64) -> Result<Vec<u8>, BackupError> {
        let stored = self
            .get(name, STORED_BYTES_MAX)?
            .ok_or_else(|| self.error(name, "it is missing"))?;
        let content = uncompressed(&stored, bytes_max)
            .map_err(|error| self.error(name, format!("it is damaged: {error}")))?;
        if hash(&content) == sha256 {
            Ok(content)
        } else {
            Err(self.error(name, "its content has changed"))
        }
    }

    /// Returns the names and lengths of the objects whose names begin with `folder`, sorted.
    ///
    /// # Errors
    ///
    /// If the folder or the bucket cannot be read.
    pub fn list(&self, folder: &str) -> Result<Vec<(String, u64)>, BackupError> {
        let mut names: Vec<(String, u64)> = match &self.destination {
            Destination::Folder(top) => {
                let path = top.join(folder);
                files_in(&path, folder).map_err(read_error(&path))?
            }
            Destination::Bucket(bucket) => {
                let objects = bucket.list(folder)?.into_iter();
                objects.map(|object| (object.name, object.bytes)).collect()
            }
        };
        names.sort();
        Ok(names)
    }

    /// Deletes an object, if it exists.
    ///
    /// # Errors
    ///
    /// If the disk or the bucket refuses.
    pub fn delete(&self, name: &str) -> Result<(), BackupError> {
        match &self.destination {
            Destination::Folder(folder) => {
                let path = folder.join(name);
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        Err(write_error(&path)(error))
                    }
                    _ => Ok(()),
                }
            }
            Destination::Bucket(bucket) => Ok(bucket.delete(name)?),
        }
    }

    /// Removes the temporary files of a process that was killed.
    ///
    /// # Errors
    ///
    /// If the disk refuses.
    pub fn clear_abandoned(&self, folders: &[&str]) -> Result<(), BackupError> {
        let Destination::Folder(top) = &self.destination else {
            return Ok(());
        };
        for folder in folders.iter().map(|folder| top.join(folder)) {
            if folder.is_dir() {
                let cleared = atomic_file::clear_abandoned(&folder, |_| true);
                cleared.map_err(write_error(&folder))?;
            }
        }
        Ok(())
    }
}

fn files_in(path: &Path, folder: &str) -> io::Result<Vec<(String, u64)>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if let (Ok(name), true) = (entry.file_name().into_string(), metadata.is_file()) {
            names.push((format!("{folder}{name}"), metadata.len()));
        }
    }
    Ok(names)
}

/// Returns the SHA-256 of `content`, in hexadecimal digits.
pub fn hash(content: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(content))
}

/// Compresses `content` with gzip.
///
/// # Errors
///
/// Does not fail in practice: writing to memory succeeds.
pub fn compressed(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

/// Returns the content of a compressed object.
fn uncompressed(stored: &[u8], bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let decoder = MultiGzDecoder::new(stored);
    // Bounded, because a small object can decompress to any length.
    decoder.take(bytes_max + 1).read_to_end(&mut content)?;
    if content.len() as u64 > bytes_max {
        let message = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::other(message));
    }
    Ok(content)
}
