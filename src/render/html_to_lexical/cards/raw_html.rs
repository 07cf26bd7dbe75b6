//! Raw HTML: the content between the comments of an HTML card, and tables.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::render::html_tree::{Kind, Node};

use super::super::text::Lines;
use super::super::trimmed;
use super::visibility;

/// Reads HTML cards.
#[derive(Default)]
pub(super) struct RawHtmlReader {
    /// The elements without a further end of a card, by number.
    without_end: HashSet<usize>,
}

impl RawHtmlReader {
    /// Returns the card that `comment` begins, if it begins one. The card's content is removed from
    /// `lines`. A card that does not end among its siblings is empty.
    pub(super) fn card(
        &mut self,
        comment: Node<'_>,
        text: &str,
        lines: &mut Lines,
    ) -> Option<Value> {
        if !is_mark(text, "kg-card-begin:") {
            return None;
        }
        let content = self.content(comment).unwrap_or_default();
        let mut parts = Vec::new();
        for node in content {
            lines.take(node);
            match node.kind() {
                Kind::Text(text) => parts.push(text.to_owned()),
                Kind::Element(_) => {
                    let mut html = String::new();
                    node.push_outer_html(&mut html);
                    parts.push(html);
                }
                Kind::Comment(_) | Kind::Root => {}
            }
        }
        Some(card(trimmed(&parts.join("\n"))))
    }

    /// Returns the nodes between `beginning` and the end of the card; `None` without an end.
    fn content<'t>(&mut self, beginning: Node<'t>) -> Option<Vec<Node<'t>>> {
        let parent = beginning.parent()?.number();
        if self.without_end.contains(&parent) {
            return None;
        }
        let mut content = Vec::new();
        for node in std::iter::successors(beginning.next_sibling(), |node| node.next_sibling()) {
            match node.kind() {
                Kind::Comment(text) if is_mark(text, "kg-card-end:") => return Some(content),
                _ => content.push(node),
            }
        }
        self.without_end.insert(parent);
        None
    }
}

/// Returns whether a comment marks the beginning or end of a card of raw HTML.
pub(crate) fn is_mark(comment: &str, mark: &str) -> bool {
    (comment.trim().strip_prefix(mark))
        .is_some_and(|kind| kind.strip_prefix(' ').unwrap_or(kind) == "html")
}

/// Returns the card of a table: the editor has no tables.
pub(super) fn table(table: Node<'_>) -> Value {
    let mut html = String::new();
    table.push_outer_html(&mut html);
    card(&html)
}

/// Returns the card of this HTML.
pub(super) fn card(html: &str) -> Value {
    json!({"type": "html", "version": 1, "html": html, "visibility": visibility()})
}
