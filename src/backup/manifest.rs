//! The manifest of a backup, `manifest.json`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::BackupError;
use crate::store::FORMAT_VERSION as STORE_FORMAT;

/// The version of the backup format that this program writes, and the newest that it can read.
pub const FORMAT: u64 = 1;

/// The name of the manifest in the archive.
pub const NAME: &str = "manifest.json";

/// Maximum length of a manifest, in bytes.
pub const BYTES_MAX: u64 = 256 << 20;

/// The content of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the backup format.
    pub format: u64,
    /// The version of Galley that wrote the backup.
    pub galley: String,
    /// The version of the store format.
    pub store_format: u64,
    /// The revision of the commit in the store.
    pub revision: u64,
    /// Time of writing.
    pub created_at: Timestamp,
    /// Every other file of the archive, in the archive's order.
    pub files: Vec<FileEntry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The path in the data folder.
    pub path: String,
    /// The length.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// The fields that are checked before the rest of a manifest is read.
#[derive(Deserialize)]
struct Head {
    format: u64,
    galley: String,
    #[serde(default)]
    store_format: u64,
}

impl Manifest {
    /// Parses a manifest.
    ///
    /// # Errors
    ///
    /// `Newer` if a newer Galley wrote it, `Unreadable` if it is invalid.
    pub fn read(text: &[u8]) -> Result<Self, BackupError> {
        let unreadable =
            |error: serde_json::Error| BackupError::Unreadable(format!("{NAME}: {error}"));
        // A newer format may have other fields, so the version is read separately first.
        let head: Head = serde_json::from_slice(text).map_err(unreadable)?;
        if head.format > FORMAT || head.store_format > STORE_FORMAT {
            return Err(BackupError::Newer {
                galley: head.galley,
            });
        }
        let manifest: Self = serde_json::from_slice(text).map_err(unreadable)?;
        let mut files = manifest.files.iter();
        // Checked once here, so that later sums of these lengths cannot overflow.
        let total = files.try_fold(0u64, |sum, file| sum.checked_add(file.bytes));
        if total.is_none() {
            return Err(BackupError::Unreadable(format!(
                "{NAME}: the lengths of its files overflow"
            )));
        }
        Ok(manifest)
    }
}
