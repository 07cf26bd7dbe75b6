//! Content files as text: finds their parts, and edits these without changing anything else.
//!
//! [`edit_keys`] changes values of front matter or of a data file. Comments, order, quoting, indentation, spelling of keys,
//! line ends and a byte order mark are preserved. [`BodyReader`] converts a body to a document of the editor, and writes an
//! edit of the document into the blocks that it changed. [`merge`] merges two edits of a file.

mod alignment;
mod body;
mod diagnostic;
pub(crate) mod document;
mod error;
pub(crate) mod front_matter;
pub(crate) mod key_names;
mod keys;
pub(crate) mod line_ends;
mod line_map;
pub(crate) mod markdown;
mod merge;
pub(crate) mod node_equivalence;
pub(crate) mod rendering;
mod shape;
mod source;
mod span;
pub(crate) mod url_form;

pub use body::{BodyFormat, BodyReader, EditorDocument, Expansion};
pub use diagnostic::{Diagnostic, DiagnosticGroup, Severity, SourcePosition};
pub use document::Language;
pub use error::EditError;
pub use keys::{KeyChange, KeyValue, edit_keys};
pub(crate) use line_map::LineMap;
pub use merge::{Conflict, MergedText, merge};
pub use shape::{FileKind, FileShape, body_of, with_body};
pub use source::Source;
pub use span::{FILE_BYTES_MAX, Span, Spanned};
