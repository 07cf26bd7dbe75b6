//! The errors of backups, and the damage that verification finds.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    archive::ArchiveError,
    atomic_file::OutputFileError,
    backup::limits::FILES_MAX,
    bucket::{BucketError, BucketErrorKind},
    data_folder::DataFolderError,
    error::Error,
    store::StoreError,
};

/// A damaged part of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// The file in the archive, or the archive.
    #[serde(rename = "place")]
    pub location: String,
    /// A description of the damage.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location.escape_debug(), self.what)
    }
}

/// The reason why a backup was not written or not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file cannot be created.
    #[error(transparent)]
    File(#[from] OutputFileError),
    /// The site has more files than a backup can contain.
    #[error("there are more than {FILES_MAX} files to back up")]
    TooMany,
    /// A theme was replaced during each attempt.
    #[error("a theme was replaced while it was being backed up. Try again")]
    ThemeReplaced,
    /// A folder of uploads is gone.
    #[error(
        "{folder} is missing, but the last backup has files from it ({files}). Mount its disk; if they were deleted on purpose, create the folder"
    )]
    FolderGone {
        /// The folder.
        folder: String,
        /// Number of its files in the last backup.
        files: usize,
    },
    /// Many uploads existed, and all are gone.
    #[error(
        "{folder} has no files, but the last backup has {files} from it. Mount its disk; if they were deleted on purpose, put any file there"
    )]
    FilesGone {
        /// The folder.
        folder: String,
        /// Number of its files in the last backup.
        files: usize,
    },
    /// The backup was cancelled.
    #[error("it was cancelled")]
    Cancelled,
    /// The process stops: a backup was being written, or there is no time left to write one.
    #[error("the server stopped before the backup was written")]
    Interrupted,
    /// The store cannot be read or copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The site cannot be read.
    #[error("{}", .0.cause())]
    Site(#[from] Error),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a backup.
    #[error("{} is not a backup of Galley: {why}", path.display())]
    NotABackup {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The backup was written by a newer Galley.
    #[error("Galley {galley} wrote this backup in a newer format. Use that version or a newer one")]
    Newer {
        /// The version.
        galley: String,
    },
    /// The archive cannot be read.
    #[error("the backup is damaged or truncated: {0}")]
    Unreadable(String),
    /// Some files are damaged.
    #[error("the backup is damaged, and nothing was restored:{}", listed(.0))]
    Damaged(Vec<Damage>),
    /// The data folder is not empty.
    #[error("{} is not empty. A backup is restored into an empty folder: choose another with --data, or move this one away", .0.display())]
    NotEmpty(PathBuf),
    /// The folder of uploads is not empty.
    #[error("{} is not empty. The uploads of a backup are restored into an empty folder only: set another folder for uploads.folder, or move this one away", .0.display())]
    UploadsExist(PathBuf),
    /// The bucket refuses the request or does not respond.
    #[error(transparent)]
    Bucket(BucketError),
    /// The listing of the destination is incomplete.
    #[error(
        "{destination} does not list {name}, which was written there just now, so no old backup was deleted"
    )]
    NotListed {
        /// The destination.
        destination: String,
        /// The name of the backup.
        name: String,
    },
    /// An object of incremental backups is missing or damaged.
    #[error("{location}: {name}: {what}")]
    Object {
        /// The location.
        location: String,
        /// The name of the object.
        name: String,
        /// The problem.
        what: String,
    },
    /// A moment cannot be restored, but an earlier one can.
    #[error("`--at {time}` restores the last moment before this damage: {source}")]
    EarlierIsWhole {
        /// The damage.
        source: Box<BackupError>,
        /// The time of the earlier moment.
        time: Timestamp,
    },
    /// Another process writes to the location.
    #[error(
        "{location} now belongs to another process: {by}. Use one folder or prefix for each site"
    )]
    OtherWriter {
        /// The location.
        location: String,
        /// The other process.
        by: String,
    },
    /// The claim of this process was deleted, possibly with everything else.
    #[error(
        "{0}: the claim of this process is gone: the folder was emptied, or its disk is not mounted"
    )]
    ClaimGone(String),
    /// The folder is empty and on a different disk than before.
    #[error(
        "{0} is on a different disk than before and contains no backups. Mount the disk with the backups; to use the new disk instead, restart Galley"
    )]
    OtherDisk(String),
    /// There is no backup from this time or before.
    #[error(
        "there is no backup in {location} from {time} or before; the first one is from {first}"
    )]
    NoneBefore {
        /// The location.
        location: String,
        /// The time.
        time: Timestamp,
        /// The time of the first backup.
        first: Timestamp,
    },
    /// The site cannot be backed up now.
    #[error("{0}")]
    Refused(String),
    /// There is no backup at the destination.
    #[error("there is no backup in {0}")]
    NoneThere(String),
    /// The data folder cannot be used.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
}

impl From<ArchiveError> for BackupError {
    fn from(error: ArchiveError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Returns the damage as the further lines of a message.
pub(super) fn listed(damages: &[Damage]) -> String {
    damages
        .iter()
        .map(|damage| format!("\n  {damage}"))
        .collect()
}

/// Returns a function that adds `path` to an error of reading it.
pub(super) fn read_error(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
    |source| BackupError::Read {
        path: path.to_owned(),
        source,
    }
}

/// Returns a function that adds `path` to an error of writing it.
pub(super) fn write_error(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
    |source| BackupError::Write {
        path: path.to_owned(),
        source,
    }
}

impl From<BucketError> for BackupError {
    fn from(error: BucketError) -> Self {
        match error.kind {
            BucketErrorKind::Cancelled => Self::Cancelled,
            _ => Self::Bucket(error),
        }
    }
}
