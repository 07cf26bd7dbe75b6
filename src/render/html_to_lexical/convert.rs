//! Conversion of the elements, texts and comments of a tree to nodes.

use std::borrow::Cow;

use crate::render::html_tree::{HtmlNodeKind, Node, Tree};

use super::document::{LexicalDraft, Link, List, ListKind, NodeId, NodeKind};
use super::formats::Formats;
use super::lists;
use super::numbers::leading_integer;
use super::style::Style;
use super::text::{self, Lines, TextPiece};
use crate::render::cards;
use crate::render::limits::Budget;

/// Deepest nesting of nodes. Deeper nodes are moved to this depth. Documents are parsed as JSON
/// with at most 128 levels, and each node takes two of them.
const DEPTH_MAX: usize = 50;

/// The context in which a node is converted.
#[derive(Clone, Default)]
struct Context {
    formats: Formats,
    /// True if white space and line ends are preserved.
    keeps_blanks: bool,
    /// True if the content was copied from Google Docs.
    is_google_doc: bool,
    /// The number of enclosing nodes.
    depth: usize,
}

/// The result of converting an element.
enum ElementConversion<'t> {
    /// The content of the element, without a node.
    Content,
    /// A node with the content of the element.
    Node(NodeKind<'t>),
    /// A node that replaces the whole element, including its content.
    Leaf(NodeKind<'t>),
}

struct Conversion<'t> {
    document: LexicalDraft<'t>,
    lines: Lines,
    cards: cards::CardReader,
}

/// Returns the nodes of a tree, not yet arranged: all nodes without an enclosing node are at the
/// top level.
///
/// Stops when `budget` is exhausted. Recurses into the tree, which is no deeper than
/// [`crate::render::html_tree::DEPTH_MAX`].
pub(super) fn document(tree: &Tree, budget: Budget) -> LexicalDraft<'_> {
    let mut conversion = Conversion {
        document: LexicalDraft::new(budget),
        lines: Lines::new(tree),
        cards: cards::CardReader::default(),
    };
    let mut nodes = Vec::new();
    for child in tree.root().children() {
        conversion.add(child, &Context::default(), &mut nodes);
    }
    for node in nodes {
        conversion.document.append(LexicalDraft::ROOT, node);
    }
    conversion.document
}

impl<'t> Conversion<'t> {
    /// Adds the conversion of `node` to `nodes`.
    fn add(&mut self, node: Node<'t>, context: &Context, nodes: &mut Vec<NodeId>) {
        // A taken node is part of an earlier card, such as a row of its gallery.
        if self.document.excess().is_some() || self.lines.is_taken(node) {
            return;
        }
        match node.kind() {
            HtmlNodeKind::Text(text) => self.add_text(node, text, context, nodes),
            HtmlNodeKind::Comment(text) => {
                if let Some(card) = self.cards.comment(node, text, &mut self.lines) {
                    nodes.push(self.document.add(NodeKind::Card(card)));
                }
            }
            HtmlNodeKind::Element("script" | "style") => {}
            // The content of a template is not part of the document (HTML standard, "the template
            // element").
            HtmlNodeKind::Element(_) if node.is("template") => {}
            HtmlNodeKind::Element(name) => self.add_element(node, name, context, nodes),
            HtmlNodeKind::Root => {}
        }
    }

    fn add_text(
        &mut self,
        node: Node<'t>,
        text: &'t str,
        context: &Context,
        nodes: &mut Vec<NodeId>,
    ) {
        if !context.keeps_blanks {
            let text = self.lines.shown(node, text);
            if !text.is_empty() {
                let format = context.formats.bits();
                nodes.push(self.document.add(NodeKind::Text { text, format }));
            }
            return;
        }
        let mut pieces = text::pieces(text).peekable();
        while let Some(piece) = pieces.next().filter(|_| self.document.excess().is_none()) {
            // Only the last part gets the formats (Ghost 6.65, recorded).
            let is_last = pieces.peek().is_none();
            let format = if is_last { context.formats.bits() } else { 0 };
            let kind = match piece {
                TextPiece::Text(text) => NodeKind::Text {
                    text: Cow::Borrowed(text),
                    format,
                },
                TextPiece::Tab => NodeKind::Tab { format },
                TextPiece::LineBreak => NodeKind::LineBreak,
            };
            nodes.push(self.document.add(kind));
        }
    }

    fn add_element(
        &mut self,
        element: Node<'t>,
        name: &'t str,
        context: &Context,
        nodes: &mut Vec<NodeId>,
    ) {
        let converted = if element.is(name) {
            self.make(element, name, context)
        } else {
            // Elements of SVG and MathML have no meaning for the editor, whatever their names.
            ElementConversion::Content
        };
        let kind = match converted {
            ElementConversion::Leaf(kind) => return nodes.push(self.document.add(kind)),
            ElementConversion::Node(kind) if context.depth < DEPTH_MAX => kind,
            ElementConversion::Node(_) | ElementConversion::Content => {
                // `None` saves a copy of the formats for each element that changes nothing.
                let inside = self.inside(element, context, 0);
                let context = inside.as_ref().unwrap_or(context);
                for child in element.children() {
                    self.add(child, context, nodes);
                }
                return;
            }
        };
        let is_quote = matches!(kind, NodeKind::Quote);
        let levels = match kind {
            // The content of a list is always wrapped in items, which are a second level.
            NodeKind::List(_) => 2,
            NodeKind::Item { .. } if element.parent().is_some_and(is_list) => 0,
            _ => 1,
        };
        let node = self.document.add(kind);
        let inside = self.inside(element, context, levels);
        let mut content = Vec::new();
        for child in element.children() {
            self.add(child, inside.as_ref().unwrap_or(context), &mut content);
        }
        if is_quote {
            content = self.joined_paragraphs(content);
        }
        lists::fill(&mut self.document, node, content);
        nodes.push(node);
    }

    /// Returns the context inside `element`, with `levels` more enclosing nodes; `None` if it is
    /// the same as outside.
    fn inside(&self, element: Node<'t>, context: &Context, levels: usize) -> Option<Context> {
        let formats = if is_google_title(element) {
            None
        } else {
            context.formats.inside(element)
        };
        let keeps_blanks = element.is("pre") || Style::of(element).keeps_blanks();
        let is_google_doc = is_google_doc(element);
        if formats.is_none() && !keeps_blanks && !is_google_doc && levels == 0 {
            return None;
        }
        Some(Context {
            formats: formats.unwrap_or_else(|| context.formats.clone()),
            keeps_blanks: context.keeps_blanks || keeps_blanks,
            is_google_doc: context.is_google_doc || is_google_doc,
            depth: context.depth + levels,
        })
    }

    fn make(
        &mut self,
        element: Node<'t>,
        name: &'t str,
        context: &Context,
    ) -> ElementConversion<'t> {
        let converted = match name {
            "p" => paragraph(element, context),
            "h1" => Some(NodeKind::Heading("h1")),
            "h2" => Some(NodeKind::Heading("h2")),
            "h3" => Some(NodeKind::Heading("h3")),
            "h4" => Some(NodeKind::Heading("h4")),
            "h5" => Some(NodeKind::Heading("h5")),
            "h6" => Some(NodeKind::Heading("h6")),
            "span" if is_google_title(element) => Some(NodeKind::Heading("h1")),
            "blockquote" => Some(NodeKind::Quote),
            "ul" | "ol" => Some(list(element, name)),
            "li" => Some(NodeKind::Item {
                checked: Some(element.attribute("aria-checked") == Some("true")),
                value: 1,
            }),
            "a" => link(element),
            // A paragraph with only a line break is empty (recorded: `block/paragraph-only-br`).
            "br" if is_dropped_line_break(element, context) => None,
            "br" => return ElementConversion::Leaf(NodeKind::LineBreak),
            _ => {
                let card = self.cards.element(element, name, &mut self.lines);
                return card.map_or(ElementConversion::Content, |card| {
                    ElementConversion::Leaf(NodeKind::Card(card))
                });
            }
        };
        converted.map_or(ElementConversion::Content, ElementConversion::Node)
    }

    /// Returns the content of a quote, in which two line breaks precede each paragraph except the
    /// first.
    fn joined_paragraphs(&mut self, content: Vec<NodeId>) -> Vec<NodeId> {
        let mut joined = Vec::new();
        for node in content {
            if !matches!(self.document.kind(node), NodeKind::Paragraph { .. }) {
                joined.push(node);
                continue;
            }
            // Quotes of the editor contain no paragraphs (recorded: `block/blockquote-paragraphs`).
            if !joined.is_empty() {
                joined.extend([(); 2].map(|()| self.document.add(NodeKind::LineBreak)));
            }
            joined.extend(self.document.children(node));
        }
        joined
    }
}

fn paragraph(element: Node<'_>, context: &Context) -> Option<NodeKind<'static>> {
    if element.first_child().is_some_and(is_google_title) {
        return None;
    }
    if element.attribute("role") == Some("heading") {
        let level = element.attribute("aria-level").and_then(leading_integer);
        let tag = match level {
            Some(1) => Some("h1"),
            Some(2) => Some("h2"),
            Some(3) => Some("h3"),
            Some(4) => Some("h4"),
            Some(5) => Some("h5"),
            Some(6) => Some("h6"),
            _ => None,
        };
        if let Some(tag) = tag {
            return Some(NodeKind::Heading(tag));
        }
    }
    // Google Docs puts empty paragraphs between other paragraphs.
    if (context.is_google_doc || is_google_doc(element)) && !has_text(element) {
        return None;
    }
    Some(NodeKind::Paragraph {
        indent: Style::of(element).indent(),
    })
}

fn is_list(element: Node<'_>) -> bool {
    element.is("ul") || element.is("ol")
}

fn list(element: Node<'_>, name: &str) -> NodeKind<'static> {
    let kind = match name {
        "ol" => ListKind::Number,
        _ if element.attribute("__lexicallisttype") == Some("check") => ListKind::Check,
        _ => ListKind::Bullet,
    };
    let start = element.attribute("start").and_then(leading_integer);
    let start = start.filter(|start| kind == ListKind::Number && i32::try_from(*start).is_ok());
    NodeKind::List(List {
        kind,
        start: start.unwrap_or(1),
    })
}

/// Returns a link, unless it is empty.
fn link(element: Node<'_>) -> Option<NodeKind<'_>> {
    let is_empty = !has_text(element) && element.first_element().is_none();
    let link = Link {
        url: element.attribute("href").unwrap_or_default(),
        rel: element.attribute("rel"),
        target: element.attribute("target"),
        title: element.attribute("title"),
    };
    (!is_empty).then_some(NodeKind::Link(link))
}

fn has_text(element: Node<'_>) -> bool {
    element
        .descendants()
        .any(|node| matches!(node.kind(), HtmlNodeKind::Text(_)))
}

/// Returns whether this is the element with which Google Docs encloses copied content.
fn is_google_doc(element: Node<'_>) -> bool {
    let id = element.attribute("id");
    id.is_some_and(|id| id.starts_with("docs-internal-guid-"))
}

/// Returns whether this is the title of a Google Docs document, which is recognised by its font
/// size.
fn is_google_title(node: Node<'_>) -> bool {
    node.is("span") && Style::of(node).has_title_size()
}

fn is_dropped_line_break(line_break: Node<'_>, context: &Context) -> bool {
    is_alone(line_break) || context.is_google_doc && is_between_google_blocks(line_break)
}

/// Returns whether the parent contains nothing else except blank text on either side.
fn is_alone(node: Node<'_>) -> bool {
    let is_blank = |text: Node<'_>| match text.kind() {
        HtmlNodeKind::Text(text) => text
            .bytes()
            .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')),
        _ => false,
    };
    let is_end = |beside: Option<Node<'_>>, beyond: fn(Node<'_>) -> bool| {
        beside.is_none_or(|beside| is_blank(beside) && beyond(beside))
    };
    is_end(node.previous_sibling(), |text| {
        text.previous_sibling().is_none()
    }) && is_end(node.next_sibling(), |text| text.next_sibling().is_none())
}

/// Returns whether this is a line break that Google Docs puts between paragraphs, or between a
/// paragraph and a heading or list. Adjacent line breaks always count as such.
fn is_between_google_blocks(line_break: Node<'_>) -> bool {
    let element_beside = |step: fn(Node<'_>) -> Option<Node<'_>>| {
        std::iter::successors(step(line_break), |node| step(*node))
            .find(|node| node.is_element())
            .and_then(Node::name)
    };
    let before = element_beside(|node| node.previous_sibling());
    let after = element_beside(|node| node.next_sibling());
    let is_block = |name| {
        matches!(
            name,
            "p" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        )
    };
    match (before, after) {
        (Some("br"), _) | (_, Some("br")) => true,
        (Some("p"), Some(other)) | (Some(other), Some("p")) => is_block(other),
        _ => false,
    }
}
