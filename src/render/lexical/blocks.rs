//! Rendering of the blocks of a document.

use super::json::Value;

use super::inline::InlineLine;
use super::nodes::{self, LexicalKind, children};
use super::properties::{self, Properties};
use super::writer::HtmlWriter;
use crate::render::cards::{Card, Render};
use crate::render::html_escape;

impl HtmlWriter<'_> {
    /// Writes the blocks of the document.
    pub(super) fn document(&mut self, blocks: &[Value]) {
        for (index, node) in blocks.iter().enumerate() {
            if nodes::ends_document(node) {
                let reason = "a text outside of blocks ends the document";
                self.at(index, |writer| writer.lose(reason));
                return;
            }
            let is_last = index + 1 == blocks.len();
            self.at(index, |writer| writer.top_level(node, is_last));
        }
    }

    /// Writes a top-level node. An empty paragraph at the end of the document is not shown.
    fn top_level(&mut self, node: &Value, is_last: bool) {
        match LexicalKind::of(node) {
            LexicalKind::Paragraph if is_last => {
                let line = InlineLine::read(self, children(node));
                // Blank as in JavaScript: no-break spaces are, zero-width spaces are not (recorded:
                // `paragraph/trailing-nbsp-only-dropped`).
                if !properties::is_blank(&line.text()) {
                    self.line_in("<p>", &line, "</p>");
                }
            }
            // At the top level, links and list items have no element around them.
            LexicalKind::Link | LexicalKind::ListItem => {
                let line = InlineLine::read(self, children(node));
                line.write(&mut self.html);
            }
            _ => self.block(node),
        }
    }

    /// Writes a block.
    fn block(&mut self, node: &Value) {
        match LexicalKind::of(node) {
            LexicalKind::Paragraph => self.text_block("<p>", node, "</p>"),
            LexicalKind::Quote => self.text_block("<blockquote>", node, "</blockquote>"),
            LexicalKind::Aside => self.text_block(
                "<blockquote class=\"kg-blockquote-alt\">",
                node,
                "</blockquote>",
            ),
            LexicalKind::Heading => self.heading(node),
            LexicalKind::List => self.list(node),
            LexicalKind::Card(card) => self.card(card.render, node),
            // An unfinished mention is never shown, so it is not a loss.
            LexicalKind::AtLink => {}
            LexicalKind::Unknown if !nodes::has_content(node) => {
                self.lose(nodes::unknown_reason(node))
            }
            LexicalKind::Unknown => self.unknown_block(node),
            LexicalKind::Text
            | LexicalKind::LineBreak
            | LexicalKind::Link
            | LexicalKind::AutoLink
            | LexicalKind::ListItem => {
                let line = InlineLine::read_one(self, node);
                self.line_in("<p>", &line, "</p>");
            }
        }
    }

    fn text_block(&mut self, start: &str, node: &Value, end: &str) {
        let line = InlineLine::read(self, children(node));
        self.line_in(start, &line, end);
    }

    fn line_in(&mut self, start: &str, line: &InlineLine<'_>, end: &str) {
        self.html.push_str(start);
        line.write(&mut self.html);
        self.html.push_str(end);
    }

    fn heading(&mut self, node: &Value) {
        let line = InlineLine::read(self, children(node));
        let id = self.heading_ids.assign(&line.text());
        let tag = node.get("tag").and_then(Value::as_str);
        let tag = tag
            .filter(|tag| matches!(*tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
            .unwrap_or("h2");
        self.html.push('<');
        self.html.push_str(tag);
        html_escape::push_attribute(&mut self.html, "id", &id);
        self.html.push('>');
        line.write(&mut self.html);
        self.html.push_str("</");
        self.html.push_str(tag);
        self.html.push('>');
    }

    fn card(&mut self, render: Render, node: &Value) {
        // Once the HTML is too long, `finish` returns the error, so further cards are not worth
        // their time.
        let Some(properties) = node.as_object().filter(|_| !self.is_full()) else {
            return;
        };
        let card = Card {
            properties: Properties(properties),
            context: self.context,
            target: self.target,
        };
        let before = self.html.len();
        if let Err(failure) = render(card, &mut self.html) {
            // A card may fail after it has written its start.
            self.html.truncate(before);
            let kind = nodes::type_of(node);
            self.lose(format!("the {kind} card cannot be rendered: {}", failure.0));
        }
    }

    /// Writes the content of a block of an unknown type. Its blocks are written as usual, and its
    /// text as paragraphs.
    fn unknown_block(&mut self, node: &Value) {
        self.lose(nodes::unknown_reason(node));
        if nodes::unknown_text(node).is_some() {
            let line = InlineLine::read_one(self, node);
            return self.line_in("<p>", &line, "</p>");
        }
        let nodes = children(node);
        let mut index = 0;
        while index < nodes.len() {
            let inline = nodes[index..]
                .iter()
                .take_while(|node| is_inline_node(node))
                .count();
            if inline == 0 {
                self.at(index, |writer| writer.block(&nodes[index]));
                index += 1;
            } else {
                let line = InlineLine::read_from(self, index, &nodes[index..index + inline]);
                self.line_in("<p>", &line, "</p>");
                index += inline;
            }
        }
    }
}

/// Returns whether a node in a block of an unknown type is inline.
fn is_inline_node(node: &Value) -> bool {
    match LexicalKind::of(node) {
        LexicalKind::Unknown => nodes::unknown_text(node).is_some(),
        kind => kind.is_inline(),
    }
}
