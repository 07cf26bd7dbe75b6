//! Converts HTML as Ghost does.

use std::borrow::Cow;

use super::{
    arrange, convert,
    document::{LexicalDraft, NodeKind},
    numbers::trimmed,
    write,
};
use crate::render::{
    html_tree::{Tree, parse_in_quirks_mode},
    lexical::DocumentError,
    limits::Budget,
};

/// Returns the Lexical document for this HTML as JSON text. The conversion is that of
/// `?source=html` (Ghost 6.65, recorded).
///
/// The document has no nodes if the HTML has no visible content.
pub fn to_lexical(html: &str) -> String {
    let budget = Budget::of_stored(html.len());
    let tree = parsed(html, budget);
    written(convert::document(&tree, Budget::UNLIMITED), html.len())
}

/// Returns the top-level nodes of the document that [`to_lexical`] returns, as JSON texts.
pub(in crate::render) fn nodes(html: &str) -> Vec<String> {
    let tree = parsed(html, Budget::of_stored(html.len()));
    let mut document = convert::document(&tree, Budget::UNLIMITED);
    arrange::arrange(&mut document);
    write::nodes(&document)
}

/// Returns a paragraph with a text, as JSON text; with a `tag`, a heading.
pub(in crate::render) fn node_of_text(tag: Option<&'static str>, text: &str) -> String {
    let mut document = LexicalDraft::new(Budget::UNLIMITED);
    let block = document.add(tag.map_or(NodeKind::Paragraph { indent: 0.0 }, NodeKind::Heading));
    let text = document.add(NodeKind::Text {
        text: Cow::Borrowed(text),
        format: 0,
    });
    document.append(block, text);
    write::node(&document, block)
}

/// Converts HTML from a client as [`to_lexical`] does, within the [limits](crate::render::limits).
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
    // A budget is for one form: the tree of the HTML and the nodes are counted separately.
    let document = convert::document(&tree, budget);
    match document.excess() {
        Some(excess) => Err(excess.into()),
        None => Ok(written(document, html.len())),
    }
}

fn parsed(html: &str, budget: Budget) -> Tree {
    parse_in_quirks_mode(&ended(trimmed(html)), budget)
}

fn written(mut document: LexicalDraft<'_>, html_bytes: usize) -> String {
    arrange::arrange(&mut document);
    // Too much rather than too little: while a text grows, it is in memory twice.
    write::json(&document, html_bytes + html_bytes / 2)
}

/// Returns the HTML, followed by the end tag of the body if its last tag is unfinished.
fn ended(html: &str) -> Cow<'_, str> {
    // The parser drops a tag that the input does not finish; here it has to survive (recorded:
    // `malformed/truncated-tag`).
    if html.rfind('<') > html.rfind('>') {
        Cow::Owned(format!("{html}</body>"))
    } else {
        Cow::Borrowed(html)
    }
}
