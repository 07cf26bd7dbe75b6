//! The target and the options of a backup.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

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
    /// A file that is written in a folder which is created if it is missing.
    Collected(PathBuf),
    /// A temporary file in the data folder with this number in its name. The process that chose the
    /// number moves the file to its destination.
    PassedOn(u32),
}

impl BackupTarget {
    /// Returns a temporary file with a new random number. Process identifiers are not used, because
    /// a process in another container may have the same one.
    pub fn passed_on() -> Self {
        let (number, ..) = Uuid::new_v4().as_fields();
        Self::PassedOn(number)
    }

    /// Returns the path of the file, for a site whose data folder is `data`.
    pub fn path(&self, data: &Path) -> PathBuf {
        match self {
            Self::File(path) | Self::Collected(path) => path.clone(),
            // A leftover file is deleted when the data folder is opened again.
            Self::PassedOn(number) => data.join(format!("waiting-backup-{number}")),
        }
    }
}
