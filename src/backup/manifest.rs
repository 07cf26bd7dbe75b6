//! The list of what is in a backup, `manifest.json`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::BackupError;
use crate::store::FORMAT_VERSION as STORE_FORMAT;

/// The version of the form of backups that this program writes, and the newest that it reads.
pub const FORMAT: u64 = 1;

/// What the list is called in the archive.
pub const NAME: &str = "manifest.json";

/// Longest list that is read, in bytes.
pub const BYTES_MAX: u64 = 256 << 20;

/// What is in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the form of the backup.
    pub format: u64,
    /// The version of Galley that wrote it.
    pub galley: String,
    /// The version of the form of the store.
    pub store_format: u64,
    /// The number of the commit that the store shows.
    pub revision: u64,
    /// When it was written.
    pub created_at: Timestamp,
    /// Every other file of the archive, in the order in which they stand there.
    pub files: Vec<FileEntry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Where it lies in the data folder.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// What a newer manifest is asked first.
#[derive(Deserialize)]
struct Head {
    format: u64,
    galley: String,
    #[serde(default)]
    store_format: u64,
}

impl Manifest {
    /// Reads the text of a manifest.
    ///
    /// # Errors
    ///
    /// `Newer` when a newer Galley wrote it, `Unreadable` when it is none.
    pub fn read(text: &[u8]) -> Result<Self, BackupError> {
        let unreadable =
            |error: serde_json::Error| BackupError::Unreadable(format!("{NAME}: {error}"));
        let head: Head = serde_json::from_slice(text).map_err(unreadable)?;
        if head.format > FORMAT || head.store_format > STORE_FORMAT {
            return Err(BackupError::Newer {
                galley: head.galley,
            });
        }
        serde_json::from_slice(text).map_err(unreadable)
    }
}
