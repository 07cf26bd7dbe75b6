//! Reasons to reject a document.

use thiserror::Error;

use crate::render::limits::Excess;

/// Why a document is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentError {
    /// It is not JSON, or JSON that is nested too deeply.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but with an invalid structure.
    #[error("{position} {problem}")]
    Malformed {
        /// The position, such as `sections[2][1]`.
        position: String,
        /// The problem at this position: `is not a list`.
        problem: String,
    },
    /// It has no nodes.
    #[error("the document has no content")]
    Empty,
    /// It, or its rendering, exceeds a limit.
    #[error("the document is too large: {0}")]
    Excess(#[from] Excess),
    /// It is longer than documents may be.
    #[error("the document has {bytes} bytes; the limit is {DOCUMENT_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

/// Longest document, in bytes of JSON.
pub const DOCUMENT_BYTES_MAX: usize = 50 << 20;

/// The document of an empty body: the editor's initial one (Ghost 6.65, recorded).
pub const EMPTY_DOCUMENT: &str = concat!(
    r#"{"root":{"children":[{"children":[],"direction":null,"format":"","indent":0,"type":"paragraph","version":1}],"#,
    r#""direction":null,"format":"","indent":0,"type":"root","version":1}}"#
);
