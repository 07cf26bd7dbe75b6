//! Conversion of HTML to the editor's documents (Lexical).
//!
//! The HTML is parsed as in browsers. `convert` visits the tree and creates nodes: an element
//! with a meaning for the editor becomes a node, any other is replaced by its content. `arrange`
//! wraps loose inline nodes in paragraphs, and moves nodes that are not permitted inside a
//! paragraph, a heading or a list item to the top level. [`write`] writes the JSON.
//!
//! The rules are those of Ghost 6.65, recorded; they are those of its editor for pasted text, and
//! lose much that HTML can express. [`accepted_without_loss`] converts lost content to HTML cards.

mod arrange;
mod content_form;
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

use std::borrow::Cow;

pub use self::faithful::to_lexical_faithfully;
pub use self::lossless::accepted_without_loss;
use self::text::trimmed;
use super::html_tree::{Tree, parse_undeclared};
use super::lexical::DocumentError;
use super::limits::Budget;

/// Returns the Lexical document, as JSON text, for this HTML, as `?source=html` does (Ghost 6.65,
/// recorded).
///
/// It may have no nodes, if the HTML has no visible content.
pub fn to_lexical(html: &str) -> String {
    let budget = Budget::of_stored(html.len());
    let tree = parsed(html, budget);
    written(convert::document(&tree, Budget::UNLIMITED))
}

/// Returns the top-level nodes of the document that [`to_lexical`] returns, as JSON texts.
pub(super) fn nodes(html: &str) -> Vec<String> {
    let tree = parsed(html, Budget::of_stored(html.len()));
    let mut document = convert::document(&tree, Budget::UNLIMITED);
    arrange::arrange(&mut document);
    write::nodes(&document)
}

/// Returns a card with this HTML, as a node.
pub(super) fn html_card(html: &str) -> serde_json::Value {
    super::cards::html_card(html)
}

/// Converts HTML from a client as [`to_lexical`] does, within the [limits](super::limits).
///
/// # Errors
///
/// `Excess` if a limit is exceeded.
pub fn accepted(html: &str) -> Result<String, DocumentError> {
    let budget = Budget::of_sent(html.len())?;
    let tree = parsed(html, budget);
    if let Some(excess) = tree.excess() {
        return Err(excess.into());
    }
    let document = convert::document(&tree, budget);
    match document.excess() {
        Some(excess) => Err(excess.into()),
        None => Ok(written(document)),
    }
}

fn parsed(html: &str, budget: Budget) -> Tree {
    parse_undeclared(&ended(trimmed(html)), budget)
}

fn written(mut document: document::LexicalDraft<'_>) -> String {
    arrange::arrange(&mut document);
    write::json(&document)
}

/// Returns the HTML with an end tag if its last tag is unfinished: that of the enclosing body.
fn ended(html: &str) -> Cow<'_, str> {
    if html.rfind('<') > html.rfind('>') {
        Cow::Owned(format!("{html}</body>"))
    } else {
        Cow::Borrowed(html)
    }
}
