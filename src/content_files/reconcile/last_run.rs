//! The stored state of the last run.

/// The store's key of the last run.
pub const LAST_RUN_KEY: &[u8] = b"content_files";
