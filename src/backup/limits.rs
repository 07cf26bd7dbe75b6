//! Limits of the files in a backup.

/// Maximum number of files in a backup, without the manifest.
pub const FILES_MAX: usize = 1_000_000;

/// Maximum number of segments in the path of a file.
pub(super) const DEPTH_MAX: usize = 32;
