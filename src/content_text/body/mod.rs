//! Bodies of content files as documents of the editor, and edits of these documents in the text of the body.
//!
//! [`BodyReader::document`] shows each block of a body as ordinary nodes if these render equally, and else as a card of
//! Markdown, HTML or code. [`BodyReader::write`] returns the body with an edit: blocks with unchanged nodes have the same
//! bytes, also when they were moved.

mod body_reader;
mod compose;
mod editor_document;
mod pieces;
mod read;
mod urls;
mod write;

pub use self::body_reader::{BodyFormat, BodyReader, Expansion};
pub use self::editor_document::EditorDocument;

pub(super) use self::read::ReadBody;
