//! The report of a finished backup.

use std::ops;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
    /// True if the disk of the data folder cannot be written to, so that the last commit on the disk is in the
    /// backup.
    #[serde(default, skip_serializing_if = "ops::Not::not")]
    pub is_rescue: bool,
}
