//! Where backups are collected: a folder, or a bucket, with backups that are named by their time.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process,
};

use data_encoding::HEXLOWER;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Backup, BackupError, BackupTarget, Progress, reading, seal, writing};
use crate::bucket::{Bucket, BucketError, BucketErrorKind, BucketOptions};

/// The scheme of a bucket.
const SCHEME: &str = "s3://";

/// The parts of a name around the time.
const NAME_START: &str = "galley-";
const NAME_END: &str = ".galley.zip";

/// The time in a name.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// Bytes read at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// Where backups are collected.
#[derive(Clone)]
pub enum Destination {
    /// A folder.
    Folder(PathBuf),
    /// A bucket.
    Bucket(Box<Bucket>),
}

/// A backup at a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBackup {
    /// Its name.
    pub name: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// Its length in bytes.
    pub bytes: u64,
}

impl fmt::Display for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(formatter, "{}", path.display()),
            Self::Bucket(bucket) => write!(formatter, "{bucket:?}"),
        }
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl Destination {
    /// Parses the path of a folder, or `s3://bucket/prefix`.
    ///
    /// # Errors
    ///
    /// A description of what is missing or invalid.
    pub fn new(text: &str, options: &BucketOptions) -> Result<Self, String> {
        Ok(match text.strip_prefix(SCHEME) {
            Some(place) => Self::Bucket(Box::new(Bucket::new(place, options)?)),
            None => Self::Folder(std::path::absolute(text).map_err(|error| error.to_string())?),
        })
    }

    /// Returns the name of a backup that is written at `time`.
    pub fn name_at(time: Timestamp) -> String {
        format!("{NAME_START}{}{NAME_END}", time.strftime(TIME))
    }

    /// Returns the target of a new backup: its final place, or a temporary file to upload.
    pub fn target(&self, name: &str) -> BackupTarget {
        match self {
            Self::Folder(folder) => BackupTarget::Collected(folder.join(name)),
            Self::Bucket(_) => BackupTarget::PassedOn(process::id()),
        }
    }

    /// Takes the backup at `path`, the target, and verifies what it has become: by its hashes, and
    /// in a bucket by reading all of it again. What cannot be verified is deleted.
    ///
    /// # Errors
    ///
    /// If the backup is damaged, the bucket refuses, or `progress` cancels.
    pub fn accept(
        &self,
        name: &str,
        path: &Path,
        progress: Progress<'_>,
    ) -> Result<StoredBackup, BackupError> {
        let accepted = self.verified(name, path, progress);
        if matches!(self, Self::Bucket(_)) || accepted.is_err() {
            let _ = fs::remove_file(path);
        }
        accepted
    }

    fn verified(
        &self,
        name: &str,
        path: &Path,
        progress: Progress<'_>,
    ) -> Result<StoredBackup, BackupError> {
        let verdict = Backup::open(path)?.verify(progress)?;
        if !verdict.damages.is_empty() {
            return Err(BackupError::Damaged(verdict.damages));
        }
        let file = File::open(path).map_err(reading(path))?;
        let bytes = file.metadata().map_err(reading(path))?.len();
        if let Self::Bucket(bucket) = self {
            let digest = seal::digest_of(&file, &mut |_| {}).map_err(reading(path))?;
            bucket.put(name, &file, bytes, progress)?;
            let read_back = self.read_back(bucket, name, (bytes, &digest), progress);
            if read_back.is_err() {
                // Otherwise it would count as a backup when old ones are deleted. The first reason
                // is the one to report.
                let _ = bucket.delete(name);
            }
            read_back?;
        }
        Ok(StoredBackup {
            name: name.to_owned(),
            created_at: time_of(name).unwrap_or(verdict.created_at),
            bytes,
        })
    }

    fn read_back(
        &self,
        bucket: &Bucket,
        name: &str,
        (bytes, digest): (u64, &str),
        progress: Progress<'_>,
    ) -> Result<(), BackupError> {
        let mut digester = DigestWriter(Sha256::new());
        if copy(&mut *bucket.get(name)?, &mut digester, bytes, progress)?.is_break() {
            return Err(BackupError::Cancelled);
        }
        if HEXLOWER.encode(&digester.0.finalize()) != digest {
            return Err(BackupError::Bucket(BucketError {
                place: self.to_string(),
                message: "what was read back is not what was written".to_owned(),
                kind: BucketErrorKind::Refused,
            }));
        }
        Ok(())
    }

    /// Returns the backups, oldest first. Other files are ignored.
    ///
    /// # Errors
    ///
    /// If the folder or the bucket cannot be read.
    pub fn list(&self) -> Result<Vec<StoredBackup>, BackupError> {
        let names = match self {
            Self::Folder(folder) => in_folder(folder).map_err(reading(folder))?,
            Self::Bucket(bucket) => {
                let objects = bucket.list("")?.into_iter();
                objects.map(|object| (object.name, object.bytes)).collect()
            }
        };
        let backups = names.into_iter().filter_map(|(name, bytes)| {
            let created_at = time_of(&name)?;
            Some(StoredBackup {
                name,
                created_at,
                bytes,
            })
        });
        let mut backups: Vec<StoredBackup> = backups.collect();
        backups.sort_by_key(|backup| backup.created_at);
        Ok(backups)
    }

    /// Deletes all but the newest `keep` backups, and never `last`, which was verified just now.
    ///
    /// # Errors
    ///
    /// If one cannot be deleted.
    pub fn delete_old(&self, keep: usize, last: &str) -> Result<(), BackupError> {
        let mut backups = self.list()?;
        backups.truncate(backups.len().saturating_sub(keep.max(1)));
        for backup in backups.iter().filter(|backup| backup.name != last) {
            match self {
                Self::Folder(folder) => {
                    let path = folder.join(&backup.name);
                    fs::remove_file(&path).map_err(writing(&path))?;
                }
                Self::Bucket(bucket) => bucket.delete(&backup.name)?,
            }
        }
        Ok(())
    }

    /// Copies a backup from here into `file`.
    ///
    /// # Errors
    ///
    /// If it does not exist, cannot be read or written, or `progress` cancels.
    pub fn fetch(
        &self,
        backup: &StoredBackup,
        (path, file): (&Path, &mut impl Write),
        progress: Progress<'_>,
    ) -> Result<(), BackupError> {
        let mut content: Box<dyn Read> = match self {
            Self::Folder(folder) => {
                let source = folder.join(&backup.name);
                Box::new(File::open(&source).map_err(reading(&source))?)
            }
            Self::Bucket(bucket) => bucket.get(&backup.name)?,
        };
        if copy(&mut *content, file, backup.bytes, progress)?.is_break() {
            return Err(BackupError::Cancelled);
        }
        file.flush().map_err(writing(path))
    }
}

/// The digest of what is written to it.
struct DigestWriter(Sha256);

impl Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies all of `content`.
fn copy(
    content: &mut dyn Read,
    out: &mut impl Write,
    total: u64,
    progress: Progress<'_>,
) -> Result<ControlFlow<()>, BackupError> {
    let failed = |error: io::Error| BackupError::Unreadable(error.to_string());
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut done = 0;
    loop {
        let count = content.read(&mut chunk).map_err(failed)?;
        if count == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        out.write_all(&chunk[..count]).map_err(failed)?;
        done += count as u64;
        if progress(done, total).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

fn in_folder(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string() {
            names.push((name, entry.metadata()?.len()));
        }
    }
    Ok(names)
}

/// Returns the time in the name of a backup; `None` for other names.
fn time_of(name: &str) -> Option<Timestamp> {
    let time = name.strip_prefix(NAME_START)?.strip_suffix(NAME_END)?;
    let time = DateTime::strptime(TIME, time).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_their_time_and_other_names_are_no_backups() {
        let time: Timestamp = "2026-01-31T03:00:00Z".parse().unwrap();
        let name = Destination::name_at(time);
        assert_eq!(name, "galley-20260131T030000Z.galley.zip");
        assert_eq!(time_of(&name), Some(time));
        for other in [
            "galley.zip",
            "galley-.galley.zip",
            "x-20260131T030000Z.galley.zip",
        ] {
            assert_eq!(time_of(other), None, "{other}");
        }
    }

    #[test]
    fn bucket_needs_a_name_and_keys() {
        let keys = BucketOptions {
            table: "backup",
            region: "eu-west-1".to_owned(),
            access_key: "a".to_owned(),
            secret_key: "s".to_owned(),
            endpoint: None,
        };
        let shown = |text: &str| Destination::new(text, &keys).map(|to| to.to_string());
        assert_eq!(shown("s3://box/site").as_deref(), Ok("s3://box/site"));
        assert!(shown("s3://").is_err() && shown("s3://box/../other").is_err());
        let without = Destination::new(
            "s3://box",
            &BucketOptions {
                table: "backup",
                ..BucketOptions::default()
            },
        );
        assert!(without.is_err_and(|why| why.contains("backup.access_key")));
    }
}
