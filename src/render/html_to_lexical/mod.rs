//! Conversion of HTML to the editor's documents (Lexical).
//!
//! The HTML is parsed as in browsers. `convert` visits the tree and creates nodes: an element with
//! a meaning for the editor becomes a node, and any other element is replaced by its content.
//! `arrange` wraps loose inline nodes in paragraphs, and moves nodes that are not permitted inside
//! a paragraph, a heading or a list item to the top level. [`write`] writes the JSON.
//!
//! The rules are those of Ghost 6.65 (recorded), which are those of its editor for pasted text and
//! lose much that HTML can express. [`accepted_without_loss`] converts lost content to HTML cards.

mod arrange;
mod content_form;
mod conversion;
mod convert;
mod document;
mod faithful;
mod formats;
mod lists;
mod lossless;
pub(in crate::render) mod numbers;
pub(in crate::render) mod style;
pub(in crate::render) mod text;
mod write;

pub use self::{
    conversion::{accepted, to_lexical},
    faithful::to_lexical_faithfully,
    lossless::accepted_without_loss,
};

pub(super) use self::conversion::{node_of_text, nodes};
