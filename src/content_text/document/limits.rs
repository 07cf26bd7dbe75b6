//! Limits of documents.

/// Largest front matter or data file, in bytes. Two code injections of full length fit several times.
pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;

/// Deepest nesting of lists and tables.
pub(super) const DEPTH_MAX: usize = 32;

/// Maximum size of a document after expansion of YAML aliases, in bytes: its text, and [`VALUE_BYTES`] for each key and
/// value.
pub(super) const CONTENT_BYTES_MAX: usize = 4 * DOCUMENT_BYTES_MAX;

pub(super) const VALUE_BYTES: usize = 16;
