//! Rendering of the blocks of a document.

use super::json::Value;

use super::cards::{Card, Render, Target};
use super::inline::Line;
use super::nodes::{self, Kind, children};
use super::properties::{self, Properties};
use super::{Context, DocumentError, LOSSES_MAX, Loss, Rendering};
use crate::render::heading_id::{self, HeadingIds};
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
        match Kind::of(node) {
            Kind::Paragraph if is_last => {
                let line = Line::read(self, children(node));
                if !properties::is_blank(&line.text()) {
                    self.line_in("<p>", &line, "</p>");
                }
            }
            // These have no element of their own here.
            Kind::Link | Kind::ListItem => {
                let line = Line::read(self, children(node));
                line.write(&mut self.html);
            }
            _ => self.block(node),
        }
    }

    /// Writes a block.
    fn block(&mut self, node: &Value) {
        match Kind::of(node) {
            Kind::Paragraph => self.text_block("<p>", node, "</p>"),
            Kind::Quote => self.text_block("<blockquote>", node, "</blockquote>"),
            Kind::Aside => self.text_block(
                "<blockquote class=\"kg-blockquote-alt\">",
                node,
                "</blockquote>",
            ),
            Kind::Heading => self.heading(node),
            Kind::List => self.list(node),
            Kind::Card(render) => self.card(render, node),
            Kind::AtLink => {}
            Kind::Unknown if !nodes::has_content(node) => self.lose(nodes::unknown_reason(node)),
            Kind::Unknown => self.unknown_block(node),
            Kind::Text | Kind::LineBreak | Kind::Link | Kind::AutoLink | Kind::ListItem => {
                let line = Line::read_one(self, node);
                self.line_in("<p>", &line, "</p>");
            }
        }
    }

    fn text_block(&mut self, start: &str, node: &Value, end: &str) {
        let line = Line::read(self, children(node));
        self.line_in(start, &line, end);
    }

    fn line_in(&mut self, start: &str, line: &Line<'_>, end: &str) {
        self.html.push_str(start);
        line.write(&mut self.html);
        self.html.push_str(end);
    }

    fn heading(&mut self, node: &Value) {
        let line = Line::read(self, children(node));
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
            let line = Line::read_one(self, node);
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
                let line = Line::read_from(self, index, &nodes[index..index + inline]);
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
    match Kind::of(node) {
        Kind::Unknown => nodes::unknown_text(node).is_some(),
        kind => kind.is_inline(),
    }
}

/// Assigns the ids of one document.
#[derive(Default)]
struct Ids {
    ids: HeadingIds,
    /// The number of headings with the text "constructor".
    constructors: usize,
}

/// Longest suffix that distinguishes headings with the text "constructor"; further ones get the
/// same id.
const CONSTRUCTOR_SUFFIX_MAX: usize = 100;

impl Ids {
    /// Returns the id of a heading with this text.
    ///
    /// Ghost 6.65 counts headings in a JavaScript object, which has a `constructor` from the start;
    /// the result is recorded, and existing links use it.
    fn assign(&mut self, text: &str) -> String {
        let id = heading_id::from_text(text);
        if id != "constructor" {
            return self.ids.number(id);
        }
        let suffix = "1".repeat(self.constructors.min(CONSTRUCTOR_SUFFIX_MAX));
        self.constructors += 1;
        format!("constructor-function Object() {{ [native code] }}{suffix}")
    }
}
