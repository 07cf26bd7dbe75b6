//! All of a site in one file, made while it is served, and a data folder made of it again.
//!
//! A backup is a zip archive with the store as one commit left it, the uploads and the themes, and `manifest.json`, which
//! lists them with their lengths and hashes. It lies there as in the data folder, and nothing is packed: the store in a
//! backup can be looked at where it is, pictures would not get smaller, and whoever wants to packs the whole. The end of
//! the file is a hash of all that stands before it, so no damage goes unnoticed.
//!
//! The store comes from one snapshot, by a copy of its own ([`write_copy`](crate::store::redb::write_copy)); uploads are
//! there before a commit names them and are never changed, so those that are there afterwards are all that it names.
//! Readers and writers go on meanwhile. What a theme is made of is taken together, or the backup is begun anew.

mod manifest;
mod read;
mod restore;
mod seal;
mod uploads;
mod write;

use std::{
    fmt, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
pub use manifest::{FORMAT, FileEntry, Manifest};
pub use read::{Backup, Contents, Verdict};
pub use restore::{clear_abandoned, restore};
use serde::{Deserialize, Serialize};
pub use write::write;

use crate::{
    archive::ArchiveError, data_folder::DataFolderError, error::Error, new_file::NewFileError,
    store::StoreError,
};

/// What the store is called, in the archive and in the data folder.
const STORE: &str = "galley.redb";

/// Most files of a backup, beside the list of them.
pub const FILES_MAX: usize = 1_000_000;

/// Most names that make up the path of a file.
const DEPTH_MAX: usize = 32;

/// What is to be backed up, and where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Where the backup is written.
    pub target: Target,
    /// Whether what is there already may be replaced.
    pub overwrites: bool,
}

/// Where a backup is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A file: an absolute path.
    File(PathBuf),
    /// A file at the top of the data folder for a moment, for the process of this number to pass on.
    PassedOn(u32),
}

impl Target {
    /// The path of the file, of a site whose data folder is `data`.
    pub fn path(&self, data: &Path) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            // One that stays behind is deleted when the folder is opened again.
            Self::PassedOn(process) => data.join(format!("waiting-backup-{process}")),
        }
    }
}

/// What was backed up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The number of the commit that the store in the backup shows.
    pub revision: u64,
    /// When it was written.
    pub created_at: Timestamp,
    /// How many files are in it, beside the list of them.
    pub files: usize,
    /// How long the backup is.
    pub bytes: u64,
    /// Files of the data folder that could not be taken along, and why.
    pub left_out: Vec<String>,
}

/// Is told how much is done, of how much, and says with `Break` that nobody wants it any more.
pub type Progress<'a> = &'a dyn Fn(u64, u64) -> ControlFlow<()>;

/// Something in a backup that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// The file in the archive, or what else.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place.escape_debug(), self.what)
    }
}

/// Why a backup was not written, or not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file cannot be made.
    #[error(transparent)]
    File(#[from] NewFileError),
    /// The site has more files than a backup takes.
    #[error("there are more than {FILES_MAX} files to back up")]
    TooMany,
    /// A theme was replaced, again and again.
    #[error("a theme was replaced while it was being backed up. Try again")]
    ThemeReplaced,
    /// Nobody wants it any more.
    #[error("it was given up")]
    GivenUp,
    /// The store cannot be read, or copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The site cannot be read.
    #[error(transparent)]
    Site(#[from] Error),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// It is something else.
    #[error("{} is no backup of Galley: {why}", path.display())]
    NoBackup {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A newer Galley wrote it.
    #[error(
        "Galley {galley} wrote this backup, in a form that this program does not know. Use that version, or a newer one"
    )]
    Newer {
        /// The version.
        galley: String,
    },
    /// The archive cannot be read.
    #[error("the backup is damaged or was cut off: {0}")]
    Unreadable(String),
    /// Not all is as it was written.
    #[error("the backup is damaged, and nothing was restored:{}", listed(.0))]
    Damaged(Vec<Damage>),
    /// There is something where the site is to be.
    #[error("{} is not empty. A backup is restored into a folder of its own: name another with --data, or move that one away", .0.display())]
    NotEmpty(PathBuf),
    /// The folder cannot be had.
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
