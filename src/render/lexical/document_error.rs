//! Reasons to reject a document.

use thiserror::Error;

use crate::render::limits::Excess;

/// The reason why a document is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// The document is not JSON, or nested too deeply.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// The document is JSON, but its structure is invalid.
    #[error("{position} {problem}")]
    Malformed {
        /// The position, such as `sections[2][1]`.
        position: String,
        /// The problem at this position: `is not a list`.
        problem: String,
    },
    /// The document has no nodes.
    #[error("the document has no content")]
    Empty,
    /// The document or its rendering exceeds a limit.
    #[error("the document is too large: {0}")]
    Excess(#[from] Excess),
    /// The document is longer than [`DOCUMENT_BYTES_MAX`].
    #[error("the document has {bytes} bytes; the limit is {DOCUMENT_BYTES_MAX}")]
    TooLong {
        /// The length of the document in bytes.
        bytes: usize,
    },
}

/// Longest document, in bytes of JSON.
pub const DOCUMENT_BYTES_MAX: usize = 50 << 20;

/// The document of an empty body, which is the initial document of the editor (Ghost 6.65,
/// recorded).
pub const EMPTY_DOCUMENT: &str = concat!(
    r#"{"root":{"children":[{"children":[],"direction":null,"format":"","indent":0,"type":"paragraph","version":1}],"#,
    r#""direction":null,"format":"","indent":0,"type":"root","version":1}}"#
);
