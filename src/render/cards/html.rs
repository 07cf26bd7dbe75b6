//! HTML cards: HTML as written by the author.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::{
    Card, CardFailure, CardType,
    UrlContent::Html,
    from_html::{HtmlForm, visible_to_all},
    parsed_cost, visibility,
};
use crate::render::{
    html_to_lexical::{numbers::trimmed, text::Lines},
    html_tree::{HtmlNodeKind, Node},
    lexical::json::Value,
    limits::{Budget, Excess},
};

pub(super) static CARD: CardType = CardType {
    name: "html",
    render,
    cost,
    urls: &[("html", Html)],
    html: &[HtmlForm::of_element("table", |table| {
        Some(from_table(table))
    })],
    mail: None,
};

/// Deducts the cost of the tags, but not of a tree: the HTML is written unchanged, and only mails
/// parse it.
fn cost(node: &Value<'_>, budget: &mut Budget) -> Result<(), Excess> {
    match node.get("html") {
        Some(Value::String(html)) => {
            budget.take(memchr::memchr_iter(b'<', html.as_bytes()).count(), 0)
        }
        _ => parsed_cost(node, budget),
    }
}

fn render(card: Card<'_>, html: &mut String) -> Result<(), CardFailure> {
    let markup = card.properties.text("html");
    // White space alone is shown, unlike in other cards (recorded: `html/whitespace-only`).
    if markup.is_empty() {
        return Ok(());
    }
    visibility::push_gated(card, html, |html| {
        html.push_str("\n<!--kg-card-begin: html-->\n");
        push_with_line_feeds(html, &markup);
        html.push_str("\n<!--kg-card-end: html-->\n");
        Ok(())
    })
}

/// Appends `markup` with line feeds for all line breaks. A carriage return at the very end is
/// dropped (Ghost 6.65, recorded).
fn push_with_line_feeds(html: &mut String, markup: &str) {
    let markup = markup.strip_suffix('\r').unwrap_or(markup);
    let mut lines = markup.split('\r');
    html.extend(lines.next());
    for line in lines {
        if !line.starts_with('\n') {
            html.push('\n');
        }
        html.push_str(line);
    }
}

/// Reads HTML cards between comments, and remembers the elements in which no further card ends.
#[derive(Default)]
pub(super) struct HtmlCardReader {
    /// The numbers of the elements that contain no further end of a card.
    without_end: HashSet<usize>,
}

impl HtmlCardReader {
    /// Returns the card that `comment` begins, if any. The card's content is removed from `lines`.
    /// A card is empty if no sibling of the comment ends it.
    pub(super) fn card(
        &mut self,
        comment: Node<'_>,
        text: &str,
        lines: &mut Lines,
    ) -> Option<Json> {
        if !is_mark(text, "kg-card-begin:") {
            return None;
        }
        // Without an end, the card is empty, and the nodes after the comment stay outside of it
        // (recorded: `comment/kg-card-html-unclosed`).
        let content = self.content(comment).unwrap_or_default();
        let mut parts = Vec::new();
        for node in content {
            lines.take(node);
            match node.kind() {
                HtmlNodeKind::Text(text) => parts.push(text.to_owned()),
                HtmlNodeKind::Element(_) => {
                    let mut html = String::new();
                    node.push_outer_html(&mut html);
                    parts.push(html);
                }
                // Ghost drops comments inside the card (recorded:
                // `comment/kg-card-html-several-nodes`).
                HtmlNodeKind::Comment(_) | HtmlNodeKind::Root => {}
            }
        }
        Some(from_markup(trimmed(&parts.join("\n"))))
    }

    /// Returns the nodes between `beginning` and the end of the card; `None` if it does not end.
    fn content<'t>(&mut self, beginning: Node<'t>) -> Option<Vec<Node<'t>>> {
        let parent = beginning.parent()?.number();
        // Many beginnings without an end would otherwise take quadratic time: each scans its
        // siblings.
        if self.without_end.contains(&parent) {
            return None;
        }
        let mut content = Vec::new();
        for node in std::iter::successors(beginning.next_sibling(), |node| node.next_sibling()) {
            match node.kind() {
                HtmlNodeKind::Comment(text) if is_mark(text, "kg-card-end:") => {
                    return Some(content);
                }
                _ => content.push(node),
            }
        }
        self.without_end.insert(parent);
        None
    }
}

/// Returns whether a comment marks the beginning or end of a card of raw HTML.
pub(in crate::render) fn is_mark(comment: &str, mark: &str) -> bool {
    (comment.trim().strip_prefix(mark))
        // The space is optional (recorded: `comment/kg-card-html-no-space`).
        .is_some_and(|kind| kind.strip_prefix(' ').unwrap_or(kind) == "html")
}

/// Returns an HTML card for a table, since the editor has no tables.
fn from_table(table: Node<'_>) -> Json {
    let mut html = String::new();
    table.push_outer_html(&mut html);
    from_markup(&html)
}

/// Returns an HTML card with this HTML.
pub(in crate::render) fn from_markup(html: &str) -> Json {
    json!({"type": "html", "version": 1, "html": html, "visibility": visible_to_all()})
}
