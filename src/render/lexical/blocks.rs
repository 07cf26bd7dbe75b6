//! Rendering of the blocks of a document.

use super::json::Value;

use super::cards::{Card, Render, Target};
use super::headings::Ids;
use super::inline::InlineLine;
use super::nodes::{self, LexicalKind, children};
use super::properties::{self, Properties};
use super::{Context, DocumentError, LOSSES_MAX, Loss, Rendering};
use crate::render::html_escape;
use crate::render::limits::{Budget, Excess};

/// The renderer of a document, with the HTML so far.
pub(super) struct Writer<'a> {
    pub(super) html: String,
    context: Context<'a>,
    target: Target,
    losses: Vec<Loss>,
    heading_ids: Ids,
    /// The path of the current node: its index in its parent, preceded by those of its ancestors.
    path: Vec<usize>,
    /// Longest HTML, in bytes; it is copied once. A short card can produce much HTML.
    html_bytes_max: usize,
}

impl<'a> Writer<'a> {
    /// Returns a writer for a document of `document_bytes` bytes.
    pub(super) fn new(context: Context<'a>, target: Target, document_bytes: usize) -> Self {
        Self {
            // JSON has more overhead than HTML.
            html: String::with_capacity(document_bytes / 2),
            context,
            target,
            losses: Vec::new(),
            heading_ids: Ids::default(),
            path: Vec::new(),
            html_bytes_max: Budget::of(document_bytes).bytes() / 2,
        }
    }

    /// Returns the rendering.
    ///
    /// # Errors
    ///
    /// `Excess` if the cards produced too much HTML.
    pub(super) fn finish(self) -> Result<Rendering, DocumentError> {
        if self.is_full() {
            return Err(Excess::Form.into());
        }
        Ok(Rendering {
            html: self.html,
            losses: self.losses,
        })
    }

    fn is_full(&self) -> bool {
        self.html.len() > self.html_bytes_max
    }

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
                if !properties::is_blank(&line.text()) {
                    self.line_in("<p>", &line, "</p>");
                }
            }
            // These have no element of their own here.
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
            LexicalKind::Card(render) => self.card(render, node),
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
            self.html.truncate(before);
            let kind = nodes::type_of(node);
            self.lose(format!("the {kind} card cannot be rendered: {}", failure.0));
        }
    }

    /// Writes the content of a block of an unknown type: its blocks unchanged, its text in a
    /// paragraph.
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

    /// Calls `act` with the child at `index` as the current node.
    pub(super) fn at<T>(&mut self, index: usize, act: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(index);
        let result = act(self);
        self.path.pop();
        result
    }

    /// Records that the current node is not rendered.
    pub(super) fn lose(&mut self, reason: impl Into<String>) {
        let reason = match self.losses.len() {
            LOSSES_MAX.. => return,
            length if length + 1 == LOSSES_MAX => {
                format!(
                    "{}; further nodes that are not rendered are not listed",
                    reason.into()
                )
            }
            _ => reason.into(),
        };
        let place = nodes::place(&self.path);
        self.losses.push(Loss { place, reason });
    }
}

/// Returns whether a node in a block of an unknown type is inline.
fn is_inline_node(node: &Value) -> bool {
    match LexicalKind::of(node) {
        LexicalKind::Unknown => nodes::unknown_text(node).is_some(),
        kind => kind.is_inline(),
    }
}
