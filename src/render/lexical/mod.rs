//! Rendering of the editor's documents (Lexical) as HTML.
//!
//! A document is a tree of nodes: blocks of text, lists, and cards, which are rendered from their
//! properties alone. The HTML equals that of Ghost 6.65 for the same document, byte for byte
//! (recorded), with one exception. In Ghost, a node that cannot be rendered also removes everything
//! after it or the whole document. Here, only that node is lost, its text remains, and a [`Loss`]
//! reports its position.
//!
//! The HTML is written into a single string from beginning to end. Recursion follows the nesting of
//! the document, which the JSON parser limits to 127 levels of values. Each level of a nested list
//! takes four of them.

mod blocks;
mod document_error;
mod documents;
mod formats;
mod inline;
pub(in crate::render) mod json;
mod lists;
mod nodes;
pub(in crate::render) mod properties;
mod rendered;
mod writer;

pub use self::{
    document_error::{DOCUMENT_BYTES_MAX, DocumentError, EMPTY_DOCUMENT},
    documents::{ParsedDocument, accepted, are_equivalent, check, minified, to_html, to_mail_html},
    rendered::{Loss, Rendering},
};
pub use super::cards::Context;

pub(super) use self::documents::accepted_within;
