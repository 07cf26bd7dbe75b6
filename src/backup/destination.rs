//! The destination of backups: a folder or a bucket. The names of the backups contain their times.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Backup, BackupError, BackupTarget, seal};
use crate::{
    backup::error::{read_error, write_error},
    bucket::{Bucket, BucketError, BucketErrorKind, BucketOptions},
    interruption::Interruption,
    progress::Progress,
};

/// The scheme of a bucket.
const SCHEME: &str = "s3://";

/// The prefix and suffix of a name around the time.
const NAME_START: &str = "galley-";
const NAME_END: &str = ".galley.zip";

/// Maximum number of backups that are deleted after a new one: usually one is too old, and a listing may be wrong.
const DELETIONS_MAX: usize = 3;

/// Format of the time in a name. A number follows, so that no two backups have the same name.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// Size of the read buffer, in bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// The destination of backups.
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
    /// Time of writing.
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
    /// A description of the missing or invalid part. Any other text that begins like a URL is an error, not a folder.
    pub fn new(text: &str, options: &BucketOptions) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix(SCHEME) {
            return Ok(Self::Bucket(Box::new(Bucket::new(path, options)?)));
        }
        if Self::is_url(text) {
            return Err(format!(
                "a folder or a bucket such as s3://my-bucket/my-site. If a folder has this name, write ./{text}"
            ));
        }
        let folder = std::path::absolute(text).map_err(|error| error.to_string())?;
        Ok(Self::Folder(folder))
    }

    /// Returns whether a text begins like a URL, such as `s3://`, even if it is mistyped: `s3:/`, `S3:name`.
    pub fn is_url(text: &str) -> bool {
        let Some((scheme, rest)) = text.split_once(':') else {
            return false;
        };
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_part);
        is_scheme && (rest.starts_with('/') || scheme.eq_ignore_ascii_case("s3"))
    }

    /// Checks that the destination can be used, like [`Bucket::check_key`].
    pub fn check_key(&self) -> Result<(), BucketError> {
        match self {
            Self::Folder(_) => Ok(()),
            Self::Bucket(bucket) => bucket.check_key(),
        }
    }

    /// Returns a new name for a backup that is written at `time`. Names are unique, also among several processes.
    pub fn new_name(time: Timestamp) -> String {
        let (number, ..) = Uuid::new_v4().as_fields();
        let time = time.strftime(TIME);
        format!("{NAME_START}{time}-{number:08x}{NAME_END}")
    }

    /// Returns whether `name` has the form of [`new_name`](Self::new_name).
    pub fn is_name(name: &str) -> bool {
        time_of(name).is_some()
    }

    /// Returns the same destination with requests that `interruption` ends.
    pub fn with_interruption(self, interruption: Interruption) -> Self {
        match self {
            Self::Folder(folder) => Self::Folder(folder),
            Self::Bucket(bucket) => Self::Bucket(Box::new(bucket.with_interruption(interruption))),
        }
    }

    /// Returns the target of a new backup: its final path, or a temporary file to upload.
    pub fn target(&self, name: &str) -> BackupTarget {
        match self {
            Self::Folder(folder) => BackupTarget::Collected(folder.join(name)),
            Self::Bucket(_) => BackupTarget::passed_on(),
        }
    }

    /// Moves the backup at `path`, which is the target, to the destination and verifies the result: by its hashes and,
    /// in a bucket, by reading all of it back. A backup that cannot be verified is deleted.
    ///
    /// # Errors
    ///
    /// If the backup is damaged, the bucket refuses, or `progress` cancels.
    pub fn accept(
        &self,
        name: &str,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<StoredBackup, BackupError> {
        let accepted = self.verified(name, path, progress);
        // In a folder, the file is the backup itself; for a bucket, it is only the copy to upload.
        if matches!(self, Self::Bucket(_)) || accepted.is_err() {
            let _ = fs::remove_file(path);
        }
        accepted
    }

    fn verified(
        &self,
        name: &str,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<StoredBackup, BackupError> {
        // Verified before the upload, so that a damaged backup never reaches the bucket.
        let verdict = Backup::open(path)?.verify(progress)?;
        if !verdict.damages.is_empty() {
            return Err(BackupError::Damaged(verdict.damages));
        }
        let file = File::open(path).map_err(read_error(path))?;
        let bytes = file.metadata().map_err(read_error(path))?.len();
        if let Self::Bucket(bucket) = self {
            // Of the local file: an entity tag is calculated by the service and proves nothing
            // about later reads.
            let mut done = 0;
            let mut advance = |count: u64| {
                done += count;
                progress.step(done, bytes)
            };
            let digest = seal::digest_of(&file, &mut advance).map_err(read_error(path))?;
            let digest = digest.continue_value().ok_or(BackupError::Cancelled)?;
            let put = bucket.put(name, &file, bytes, progress);
            let read_back = put
                .map_err(BackupError::from)
                .and_then(|()| self.read_back(bucket, name, (bytes, &digest), progress));
            if read_back.is_err() {
                // A damaged object would count as a backup when old ones are deleted. No other backup has this name.
                bucket.discard(name);
            }
            read_back?;
        }
        Ok(StoredBackup {
            name: name.to_owned(),
            // The time in the name, because a later list has no other.
            created_at: time_of(name).unwrap_or(verdict.created_at),
            bytes,
        })
    }

    fn read_back(
        &self,
        bucket: &Bucket,
        name: &str,
        (bytes, digest): (u64, &str),
        progress: &dyn Progress,
    ) -> Result<(), BackupError> {
        let mut read_back = Sha256::new();
        let mut content = bucket.get(name)?.body;
        for_each_chunk(&mut content, bytes, progress, |chunk| {
            read_back.update(chunk);
            Ok(())
        })?;
        if HEXLOWER.encode(&read_back.finalize()) != digest {
            return Err(BackupError::Bucket(BucketError {
                location: self.to_string(),
                message: "the object read back differs from the one written".to_owned(),
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
            Self::Folder(folder) => in_folder(folder).map_err(read_error(folder))?,
            Self::Bucket(bucket) => {
                let objects = bucket.list(NAME_START)?.into_iter();
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

    /// Deletes the oldest backups except the newest `keep`, a few each time. Never deletes `last`, which has just been
    /// verified. Backups later than `last` neither count nor are deleted: a clock was wrong, or the listing is.
    ///
    /// # Errors
    ///
    /// If `last` is not listed, or a backup cannot be deleted.
    pub fn delete_old(&self, keep: usize, last: &str) -> Result<(), BackupError> {
        for backup in too_old(self.list()?, keep, last).ok_or_else(|| BackupError::NotListed {
            destination: self.to_string(),
            name: last.to_owned(),
        })? {
            self.delete(&backup)?;
        }
        Ok(())
    }

    /// Deletes backups from before `oldest`, a few each time. The caller has verified a newer one.
    ///
    /// # Errors
    ///
    /// If the backups cannot be listed, or one cannot be deleted.
    pub fn delete_before(&self, oldest: Timestamp) -> Result<(), BackupError> {
        let is_old = |backup: &StoredBackup| backup.created_at < oldest;
        let backups = self.list()?.into_iter().filter(is_old);
        backups
            .take(DELETIONS_MAX)
            .try_for_each(|backup| self.delete(&backup))
    }

    fn delete(&self, backup: &StoredBackup) -> Result<(), BackupError> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(&backup.name);
                fs::remove_file(&path).map_err(write_error(&path))
            }
            Self::Bucket(bucket) => Ok(bucket.delete(&backup.name)?),
        }
    }

    /// Copies a backup from the destination into `file`.
    ///
    /// # Errors
    ///
    /// If the backup does not exist or cannot be read, if `file` cannot be written, or `progress` cancels.
    pub fn fetch(
        &self,
        backup: &StoredBackup,
        (path, file): (&Path, &mut impl Write),
        progress: &dyn Progress,
    ) -> Result<(), BackupError> {
        let mut content: Box<dyn Read> = match self {
            Self::Folder(folder) => {
                let source = folder.join(&backup.name);
                Box::new(File::open(&source).map_err(read_error(&source))?)
            }
            Self::Bucket(bucket) => Box::new(bucket.get(&backup.name)?.body),
        };
        for_each_chunk(&mut content, backup.bytes, progress, |chunk| {
            file.write_all(chunk).map_err(write_error(path))
        })?;
        file.flush().map_err(write_error(path))
    }
}

/// Returns the listed backups to delete, oldest first; `None` if `last` is not listed.
fn too_old(mut backups: Vec<StoredBackup>, keep: usize, last: &str) -> Option<Vec<StoredBackup>> {
    let newest = time_of(last)?;
    let is_listed = backups.iter().any(|backup| backup.name == last);
    backups.retain(|backup| backup.created_at <= newest && backup.name != last);
    // `last` itself is one of the `keep`.
    backups.truncate(backups.len().saturating_sub(keep.max(1) - 1));
    backups.truncate(DELETIONS_MAX);
    is_listed.then_some(backups)
}

/// Reads all of `content`, which must have `total` bytes, and passes it to `receive` in chunks.
///
/// # Errors
///
/// `Unreadable` if `content` cannot be read or has another length; the errors of `receive`; `Cancelled` if `progress`
/// cancels.
fn for_each_chunk(
    content: &mut dyn Read,
    total: u64,
    progress: &dyn Progress,
    mut receive: impl FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<(), BackupError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut done = 0;
    loop {
        let count = content
            .read(&mut chunk)
            .map_err(|error| BackupError::Unreadable(error.to_string()))?;
        done += count as u64;
        // Checked before the bytes are written, so that a service cannot fill the disk.
        if done > total || (count == 0 && done < total) {
            let than = if done > total { "more" } else { "less" };
            let message = format!("the backup has {than} than {total} bytes");
            return Err(BackupError::Unreadable(message));
        }
        if count == 0 {
            return Ok(());
        }
        receive(&chunk[..count])?;
        if progress.step(done, total).is_break() {
            return Err(BackupError::Cancelled);
        }
    }
}

fn in_folder(folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let entries = match fs::read_dir(folder) {
        // The folder is created with the first backup.
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
    let name = name.strip_prefix(NAME_START)?.strip_suffix(NAME_END)?;
    // Names from earlier versions have no number.
    let time = match name.split_once('-') {
        Some((time, number)) if is_number(number) => time,
        Some(_) => return None,
        None => name,
    };
    let time = DateTime::strptime(TIME, time).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn is_number(text: &str) -> bool {
    text.len() == 8
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;

    fn stored(name: &str) -> StoredBackup {
        StoredBackup {
            name: name.to_owned(),
            created_at: time_of(name).unwrap(),
            bytes: 1,
        }
    }

    #[test]
    fn names_contain_their_time_and_other_names_are_not_backups() {
        let time: Timestamp = "2026-01-31T03:00:00Z".parse().unwrap();
        let name = Destination::new_name(time);
        assert!(name.starts_with("galley-20260131T030000Z-") && name.ends_with(".galley.zip"));
        assert_ne!(name, Destination::new_name(time));
        assert_eq!(time_of(&name), Some(time));
        let of_earlier_version = "galley-20260131T030000Z.galley.zip";
        assert_eq!(time_of(of_earlier_version), Some(time));
        for other in [
            "galley-20260131T030000Z-mine.galley.zip",
            "galley-20260131T030000Z-.galley.zip",
            "galley.zip",
            "galley-.galley.zip",
            "x-20260131T030000Z.galley.zip",
        ] {
            assert_eq!(time_of(other), None, "{other}");
        }
    }

    #[test]
    fn wrong_list_deletes_little_and_never_the_verified_backup() {
        let day = |day: u32| format!("galley-202601{day:02}T030000Z.galley.zip");
        let days = |days: std::ops::RangeInclusive<u32>| -> Vec<StoredBackup> {
            days.map(|number| stored(&day(number))).collect()
        };
        let deleted = |listed, keep, last: u32| {
            let too_old = too_old(listed, keep, &day(last))?;
            Some(too_old.into_iter().map(|backup| backup.name).collect())
        };
        let names = |days: &[u32]| Some(days.iter().map(|number| day(*number)).collect::<Vec<_>>());
        assert_eq!(deleted(days(1..=4), 3, 4), names(&[1]));
        assert_eq!(deleted(days(1..=4), 1, 4), names(&[1, 2, 3]));
        assert_eq!(deleted(days(1..=4), 0, 4), names(&[1, 2, 3]));
        assert_eq!(deleted(days(1..=4), 9, 4), names(&[]));
        // Many at the same time.
        assert_eq!(deleted(days(1..=20), 2, 20), names(&[1, 2, 3]));
        // From the future.
        assert_eq!(deleted(days(1..=20), 3, 3), names(&[]));
        // Without the backup that was written.
        assert_eq!(deleted(days(1..=20), 2, 21), None::<Vec<String>>);
    }

    /// A file on a full disk.
    struct FullFile;

    impl Write for FullFile {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn full_disk_is_not_reported_as_a_damaged_backup() {
        let folder = tempfile::tempdir().unwrap();
        let backup = stored("galley-20260131T030000Z.galley.zip");
        fs::write(folder.path().join(&backup.name), "x").unwrap();
        let destination = Destination::Folder(folder.path().to_owned());
        let copy = Path::new("restored/copy");
        let failed = destination.fetch(&backup, (copy, &mut FullFile), &NoProgress);
        assert!(matches!(failed, Err(BackupError::Write { path, .. }) if path == copy));
    }

    #[test]
    fn bucket_needs_a_name_and_for_requests_a_key() {
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
        let refused = without.unwrap().check_key().unwrap_err().to_string();
        assert!(refused.contains("backup.access_key and backup.secret_key"));
    }

    #[test]
    fn mistyped_url_is_not_a_folder() {
        let new = |text| Destination::new(text, &BucketOptions::default());
        for text in [
            "s3:/box/site",
            "s3:box",
            "S3://box/site",
            "https://s3.example.com/box",
            "file:///var/backups",
        ] {
            let refused = new(text).unwrap_err();
            assert!(refused.contains(&format!("write ./{text}")), "{refused}");
        }
        for text in [
            "./s3:/box",
            "/var/s3:/x",
            "12:30",
            "monday: full",
            "backups",
        ] {
            assert!(new(text).is_ok(), "{text}");
        }
    }
}
