//! Content files as text: where their parts are, and edits that change nothing else.
//!
//! [`edit_keys`] changes values of front matter or of a data file. Comments, order, quoting, indentation, spelling of keys,
//! line ends and a byte order mark stay.

mod alignment;
pub(crate) mod document;
mod error;
pub(crate) mod front_matter;
pub(crate) mod key_names;
mod keys;
pub(crate) mod line_ends;
pub(crate) mod node_equivalence;
mod shape;
mod span;

pub use document::Language;
pub use error::EditError;
pub use keys::{KeyChange, KeyValue, edit_keys};
pub use shape::{FileKind, FileShape, body_of, with_body};
pub use span::{FILE_BYTES_MAX, Span, Spanned};
