//! Bodies of content files as documents of the editor, and edits of these documents in the text of the body.
//!
//! [`BodyReader::document`] converts each block of a body to ordinary nodes if these render equally, and otherwise to a
//! card of Markdown, HTML or code. [`BodyReader::write`] applies an edit to the body: blocks with unchanged nodes retain
//! their bytes, even if they were moved.

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
