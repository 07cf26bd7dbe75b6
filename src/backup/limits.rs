//! Limits of the files in a backup.

/// Most files of a backup, without the manifest.
pub const FILES_MAX: usize = 1_000_000;

/// Most segments in the path of a file.
pub(super) const DEPTH_MAX: usize = 32;
