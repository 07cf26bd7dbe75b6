//! Backs up a whole site into one file while it is served, and restores it into a data folder.
//!
//! A backup is a zip archive of the store as of one commit, the uploads, the themes, and
//! `manifest.json`, which lists them with their lengths and hashes. The files are laid out as in
//! the data folder, and nothing is compressed: the store can be opened inside the backup, images
//! would not shrink, and the whole file can be compressed afterwards. The end of the file is a hash
//! of everything before it, so no damage goes unnoticed.
//!
//! The store is from one snapshot, by a separate copy
//! ([`write_copy`](crate::store::redb::write_copy)). Uploads exist before a commit names them and
//! never change, so the uploads found afterwards include all that the commit names. Readers and
//! writers continue meanwhile. The files of a theme are read together, or the backup starts again.
//!
//! Backups can be collected at a [`Destination`], a folder or a bucket. Each is verified there before
//! older ones are deleted. [`BackupSchedule`] writes the regular ones, which share unchanged content
//! (`increments`).

mod destination;
mod folder_times;
mod increments;
mod manifest;
mod named_files;
mod read;
mod restore;
mod restore_point;
mod schedule;
mod seal;
mod transfer;
mod uploads;
mod write;

use std::{
    fmt, io, ops,
    path::{Path, PathBuf},
};

pub use destination::{Destination, StoredBackup};
pub use increments::{
    AHEAD_MAX, FORMAT as INCREMENTS_FORMAT, History, IncrementalWriter, Location, LocationVerdict,
    Moment, MomentName, RetentionTime, SegmentOutcome, Source, WrittenMoment,
    check as check_location, is_location,
};
use jiff::Timestamp;
pub use manifest::{FORMAT, FileEntry, Manifest};
pub use read::{Backup, Contents, Verdict};
pub use restore::{BegunRestore, clear_abandoned, refuse_unfinished, restore};
pub use restore_point::{RestorePoint, restore_points};
pub use schedule::{
    BackedUpSite, BackupFailure, BackupSchedule, BackupStatus, PrepareBackup, ScheduleOptions,
};
use serde::{Deserialize, Serialize};
pub use transfer::{CopiedUploads, CopyUploadsError, copy_uploads};
use uuid::Uuid;
pub use write::write;

use crate::{
    archive::ArchiveError,
    atomic_file::OutputFileError,
    bucket::{BucketError, BucketErrorKind},
    data_folder::{DataFolderError, STORE},
    error::Error,
    store::StoreError,
};

/// Most files of a backup, without the manifest.
pub const FILES_MAX: usize = 1_000_000;

/// Most segments in the path of a file.
const DEPTH_MAX: usize = 32;

/// The options of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupOptions {
    /// The target of the backup.
    pub target: BackupTarget,
    /// True if an existing file may be replaced.
    pub overwrites: bool,
}

/// The target of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackupTarget {
    /// A file: an absolute path.
    File(PathBuf),
    /// The same, in a folder that is created if it is missing.
    Collected(PathBuf),
    /// A temporary file at the top of the data folder with this number in its name, which the
    /// process that chose it passes on.
    PassedOn(u32),
}

impl BackupTarget {
    /// Returns a temporary file with a new number: a process identifier may be that of another
    /// process too, in another container.
    pub fn passed_on() -> Self {
        let (number, ..) = Uuid::new_v4().as_fields();
        Self::PassedOn(number)
    }

    /// Returns the path of the file, for a site whose data folder is `data`.
    pub fn path(&self, data: &Path) -> PathBuf {
        match self {
            Self::File(path) | Self::Collected(path) => path.clone(),
            // A leftover file is deleted when the folder is opened again.
            Self::PassedOn(number) => data.join(format!("waiting-backup-{number}")),
        }
    }
}

/// The result of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupReport {
    /// The revision of the commit in the backup.
    pub revision: u64,
    /// Time of writing.
    pub created_at: Timestamp,
    /// Number of files, without the manifest.
    pub files: usize,
    /// Length of the backup, in bytes.
    pub bytes: u64,
    /// Files of the data folder that could not be included, with the reason.
    pub left_out: Vec<String>,
    /// True if the disk of the data folder cannot be written to, so that this is the last commit that is on it.
    #[serde(default, skip_serializing_if = "ops::Not::not")]
    pub is_rescue: bool,
}

/// A damaged part of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// The file in the archive, or the archive itself.
    #[serde(rename = "place")]
    pub location: String,
    /// The damage.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location.escape_debug(), self.what)
    }
}

/// Why a backup was not written or not restored.
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
        "{folder} is missing, and the last backup has files of it ({files}). Mount its disk; if they were deleted on purpose, create the folder"
    )]
    FolderGone {
        /// The folder.
        folder: String,
        /// Number of its files in the last backup.
        files: usize,
    },
    /// All of many uploads are gone at once.
    #[error(
        "{folder} has no file, and the last backup has {files} of it. Mount its disk; if they were deleted on purpose, put any file there"
    )]
    FilesGone {
        /// The folder.
        folder: String,
        /// Number of its files in the last backup.
        files: usize,
    },
    /// It was cancelled.
    #[error("it was cancelled")]
    Cancelled,
    /// The process stops, and a backup was being written, or the time to stop is over.
    #[error("the server stopped before they were written")]
    Interrupted,
    /// The store cannot be read, or copied.
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
        /// The system's error.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a backup.
    #[error("{} is not a backup of Galley: {why}", path.display())]
    NoBackup {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A newer Galley wrote it.
    #[error(
        "Galley {galley} wrote this backup in a newer format. Use that version, or a newer one"
    )]
    Newer {
        /// The version.
        galley: String,
    },
    /// The archive cannot be read.
    #[error("the backup is damaged or was cut off: {0}")]
    Unreadable(String),
    /// Some files are damaged.
    #[error("the backup is damaged, and nothing was restored:{}", listed(.0))]
    Damaged(Vec<Damage>),
    /// The data folder is not empty.
    #[error("{} is not empty. A backup is restored into an empty folder: choose another with --data, or move this one away", .0.display())]
    NotEmpty(PathBuf),
    /// The folder of uploads has some.
    #[error("{} is not empty. The uploads of a backup are restored into an empty folder only: set another folder for uploads.folder, or move this one away", .0.display())]
    UploadsExist(PathBuf),
    /// The bucket refuses, or does not respond.
    #[error(transparent)]
    Bucket(BucketError),
    /// The list of the destination is invalid.
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
    /// A moment cannot be restored, and an earlier one can.
    #[error("`--at {time}` restores the last moment before this damage: {source}")]
    EarlierIsWhole {
        /// The damage.
        source: Box<BackupError>,
        /// The time of the earlier moment.
        time: Timestamp,
    },
    /// Another process writes to the location.
    #[error(
        "{location} belongs to another process now: {by}. Use one folder or prefix for each site"
    )]
    OtherWriter {
        /// The location.
        location: String,
        /// The other process.
        by: String,
    },
    /// The claim of this process was deleted, with or without everything else.
    #[error(
        "{0}: the claim of this process is gone: the folder was emptied, or its disk is not mounted"
    )]
    ClaimGone(String),
    /// The folder is on another disk than before, and empty.
    #[error(
        "{0} is on another disk than before, without any backup. Mount the disk with the backups; to begin again there, restart Galley"
    )]
    OtherDisk(String),
    /// There is no backup that is old enough.
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
    /// The site does not allow it now.
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

fn listed(damages: &[Damage]) -> String {
    damages
        .iter()
        .map(|damage| format!("\n  {damage}"))
        .collect()
}

fn reading(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
    |source| BackupError::Read {
        path: path.to_owned(),
        source,
    }
}

fn writing(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
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
