//! HTML to the editor's documents (Lexical).
//!
//! The HTML is parsed as a browser parses it. [`convert`] walks the tree and makes nodes: each
//! element that says something to the editor becomes one, every other is replaced by what is in it.
//! [`arrange`] gathers into paragraphs what has none around it and lifts what may not stand inside a
//! paragraph, a heading or an item of a list to the top of the document. [`write`] writes the JSON.
//!
//! The rules are those of Ghost 6.65, recorded; they are those of its editor for pasted text, and
//! lose much that HTML can say.

mod arrange;
mod cards;
mod convert;
mod document;
mod faithful;
mod formats;
mod lists;
mod numbers;
mod style;
mod text;
mod write;

use std::borrow::Cow;

pub(crate) use self::cards::is_html_card_mark;
pub use self::faithful::to_lexical_faithfully;
use super::html_tree::{Tree, parse_undeclared};
use super::lexical::DocumentError;
use super::limits::Budget;

/// The Lexical document, as JSON text, that says what this HTML says: what `?source=html` does (Ghost 6.65, recorded).
///
/// It may have no nodes, when nothing in the HTML shows.
pub fn to_lexical(html: &str) -> String {
    let budget = Budget::of_stored(html.len());
    let tree = parsed(html, budget);
    written(convert::document(&tree, Budget::UNLIMITED))
}

/// The nodes at the top of the document that [`to_lexical`] makes, as JSON texts.
pub(super) fn nodes(html: &str) -> Vec<String> {
    let tree = parsed(html, Budget::of_stored(html.len()));
    let mut document = convert::document(&tree, Budget::UNLIMITED);
    arrange::arrange(&mut document);
    write::nodes(&document)
}

/// The card of this HTML, as a node.
pub(super) fn html_card(html: &str) -> serde_json::Value {
    cards::of_raw_html(html)
}

/// The document of HTML that a client sends, as [`to_lexical`] makes it, held to the [limits](super::limits).
///
/// # Errors
///
/// `Excess` when it is too much.
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

fn written(mut document: document::Document<'_>) -> String {
    arrange::arrange(&mut document);
    write::json(&document)
}

/// The HTML with an end for its last tag, if it has none: it is that of the body around it.
fn ended(html: &str) -> Cow<'_, str> {
    if html.rfind('<') > html.rfind('>') {
        Cow::Owned(format!("{html}</body>"))
    } else {
        Cow::Borrowed(html)
    }
}

/// The text without the blanks at its ends that JavaScript takes away.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}
