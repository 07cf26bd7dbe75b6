//! Limits of documents.

/// Maximum size of front matter or a data file, in bytes: several times that of two code injections of full length.
pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;

/// Maximum nesting of lists and tables.
pub(super) const DEPTH_MAX: usize = 32;

/// Maximum size of a document after expansion of YAML aliases, in bytes: its text, and [`VALUE_BYTES`] for each key and
/// value.
pub(super) const CONTENT_BYTES_MAX: usize = 4 * DOCUMENT_BYTES_MAX;

/// Size that is counted for each key and each value, in bytes.
pub(super) const VALUE_BYTES: usize = 16;
