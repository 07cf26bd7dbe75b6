//! Makes nodes of the elements, texts and comments of a tree.

use std::borrow::Cow;

use crate::render::html_tree::{Kind as TreeKind, Node, Tree};

use super::cards;
use super::document::{Document, Id, Kind, Link, List, ListKind};
use super::formats::Formats;
use super::lists;
use super::numbers::leading_integer;
use super::style::Style;
use super::text::{self, Lines, Piece};
use crate::render::limits::Budget;

/// Most nodes inside each other. What would lie deeper is put where the deepest is. Documents are read
/// as JSON that may nest 128 deep, and each node takes two levels.
const DEPTH_MAX: usize = 50;

/// What the elements around a node make of it.
#[derive(Clone, Default)]
struct Surroundings {
    formats: Formats,
    /// Whether blanks and line ends show as they are written.
    keeps_blanks: bool,
    /// Whether this was copied from Google Docs.
    is_google_doc: bool,
    /// How many nodes are around it.
    depth: usize,
}

/// What an element becomes.
enum Made<'t> {
    /// What is in it, in its place.
    Content,
    /// A node with what is in it.
    Node(Kind<'t>),
    /// A node that says all of it.
    Whole(Kind<'t>),
}

struct Conversion<'t> {
    document: Document<'t>,
    lines: Lines,
    cards: cards::Reader,
}

/// The nodes that a tree makes, all at the top that are in no other, still where they may not stand.
///
/// It ends when `budget` has no room for more. It recurses into the tree, which is no deeper than [`crate::render::html_tree::DEPTH_MAX`].
pub(super) fn document(tree: &Tree, budget: Budget) -> Document<'_> {
    let mut conversion = Conversion {
        document: Document::new(budget),
        lines: Lines::new(tree),
        cards: cards::Reader::default(),
    };
    let mut nodes = Vec::new();
    for child in tree.root().children() {
        conversion.add(child, &Surroundings::default(), &mut nodes);
    }
    for node in nodes {
        conversion.document.append(Document::ROOT, node);
    }
    conversion.document
}

impl<'t> Conversion<'t> {
    /// Adds what `node` becomes to `nodes`.
    fn add(&mut self, node: Node<'t>, around: &Surroundings, nodes: &mut Vec<Id>) {
        if self.document.excess().is_some() || self.lines.is_taken(node) {
            return;
        }
        match node.kind() {
            TreeKind::Text(text) => self.add_text(node, text, around, nodes),
            TreeKind::Comment(text) => {
                if let Some(card) = self.cards.comment(node, text, &mut self.lines) {
                    nodes.push(self.document.add(Kind::Card(card)));
                }
            }
            TreeKind::Element("script" | "style") => {}
            // What it holds is no part of the document (HTML standard, "the template element").
            TreeKind::Element(_) if node.is("template") => {}
            TreeKind::Element(name) => self.add_element(node, name, around, nodes),
            TreeKind::Root => {}
        }
    }

    fn add_text(
        &mut self,
        node: Node<'t>,
        text: &'t str,
        around: &Surroundings,
        nodes: &mut Vec<Id>,
    ) {
        if !around.keeps_blanks {
            let text = self.lines.shown(node, text);
            if !text.is_empty() {
                let format = around.formats.bits();
                nodes.push(self.document.add(Kind::Text { text, format }));
            }
            return;
        }
        let mut pieces = text::pieces(text).peekable();
        while let Some(piece) = pieces.next().filter(|_| self.document.excess().is_none()) {
            // Only the last piece gets its formats (Ghost 6.65, recorded).
            let is_last = pieces.peek().is_none();
            let format = if is_last { around.formats.bits() } else { 0 };
            let kind = match piece {
                Piece::Text(text) => Kind::Text {
                    text: Cow::Borrowed(text),
                    format,
                },
                Piece::Tab => Kind::Tab { format },
                Piece::LineBreak => Kind::LineBreak,
            };
            nodes.push(self.document.add(kind));
        }
    }

    fn add_element(
        &mut self,
        element: Node<'t>,
        name: &'t str,
        around: &Surroundings,
        nodes: &mut Vec<Id>,
    ) {
        let made = if element.is(name) {
            self.make(element, name, around)
        } else {
            // SVG and MathML say nothing to the editor, whatever their elements are called.
            Made::Content
        };
        let kind = match made {
            Made::Whole(kind) => return nodes.push(self.document.add(kind)),
            Made::Node(kind) if around.depth < DEPTH_MAX => kind,
            Made::Node(_) | Made::Content => {
                let inside = self.inside(element, around, 0);
                let around = inside.as_ref().unwrap_or(around);
                for child in element.children() {
                    self.add(child, around, nodes);
                }
                return;
            }
        };
        let is_quote = matches!(kind, Kind::Quote);
        let levels = match kind {
            // Whatever is in a list gets an item around it.
            Kind::List(_) => 2,
            Kind::Item { .. } if element.parent().is_some_and(is_list) => 0,
            _ => 1,
        };
        let node = self.document.add(kind);
        let inside = self.inside(element, around, levels);
        let mut content = Vec::new();
        for child in element.children() {
            self.add(child, inside.as_ref().unwrap_or(around), &mut content);
        }
        if is_quote {
            content = self.joined_paragraphs(content);
        }
        lists::fill(&mut self.document, node, content);
        nodes.push(node);
    }

    /// The surroundings of what is in `element`, which has so many nodes around it more than the element;
    /// `None` when they are those of the element.
    fn inside(
        &self,
        element: Node<'t>,
        around: &Surroundings,
        levels: usize,
    ) -> Option<Surroundings> {
        let formats = if is_google_title(element) {
            None
        } else {
            around.formats.inside(element)
        };
        let keeps_blanks = element.is("pre") || Style::of(element).keeps_blanks();
        let is_google_doc = is_google_doc(element);
        if formats.is_none() && !keeps_blanks && !is_google_doc && levels == 0 {
            return None;
        }
        Some(Surroundings {
            formats: formats.unwrap_or_else(|| around.formats.clone()),
            keeps_blanks: around.keeps_blanks || keeps_blanks,
            is_google_doc: around.is_google_doc || is_google_doc,
            depth: around.depth + levels,
        })
    }

    fn make(&mut self, element: Node<'t>, name: &'t str, around: &Surroundings) -> Made<'t> {
        let made = match name {
            "p" => paragraph(element, around),
            "h1" => Some(Kind::Heading("h1")),
            "h2" => Some(Kind::Heading("h2")),
            "h3" => Some(Kind::Heading("h3")),
            "h4" => Some(Kind::Heading("h4")),
            "h5" => Some(Kind::Heading("h5")),
            "h6" => Some(Kind::Heading("h6")),
            "span" if is_google_title(element) => Some(Kind::Heading("h1")),
            "blockquote" => Some(Kind::Quote),
            "ul" | "ol" => Some(list(element, name)),
            "li" => Some(Kind::Item {
                checked: Some(element.attribute("aria-checked") == Some("true")),
                value: 1,
            }),
            "a" => link(element),
            "br" if is_dropped_line_break(element, around) => None,
            "br" => return Made::Whole(Kind::LineBreak),
            _ => {
                let card = self.cards.element(element, name, &mut self.lines);
                return card.map_or(Made::Content, |card| Made::Whole(Kind::Card(card)));
            }
        };
        made.map_or(Made::Content, Made::Node)
    }

    /// The content of a quote: a paragraph begins with two line breaks, unless it is the first thing.
    fn joined_paragraphs(&mut self, content: Vec<Id>) -> Vec<Id> {
        let mut joined = Vec::new();
        for node in content {
            if !matches!(self.document.kind(node), Kind::Paragraph { .. }) {
                joined.push(node);
                continue;
            }
            if !joined.is_empty() {
                joined.extend([(); 2].map(|()| self.document.add(Kind::LineBreak)));
            }
            joined.extend(self.document.children(node));
        }
        joined
    }
}

fn paragraph(element: Node<'_>, around: &Surroundings) -> Option<Kind<'static>> {
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
            return Some(Kind::Heading(tag));
        }
    }
    // Google Docs puts empty paragraphs between others.
    if (around.is_google_doc || is_google_doc(element)) && !has_text(element) {
        return None;
    }
    Some(Kind::Paragraph {
        indent: Style::of(element).indent(),
    })
}

fn is_list(element: Node<'_>) -> bool {
    element.is("ul") || element.is("ol")
}

fn list(element: Node<'_>, name: &str) -> Kind<'static> {
    let kind = match name {
        "ol" => ListKind::Number,
        _ if element.attribute("__lexicallisttype") == Some("check") => ListKind::Check,
        _ => ListKind::Bullet,
    };
    let start = element.attribute("start").and_then(leading_integer);
    let start = start.filter(|start| kind == ListKind::Number && i32::try_from(*start).is_ok());
    Kind::List(List {
        kind,
        start: start.unwrap_or(1),
    })
}

/// A link, unless there is nothing in it.
fn link(element: Node<'_>) -> Option<Kind<'_>> {
    let is_empty = !has_text(element) && element.first_element().is_none();
    let link = Link {
        address: element.attribute("href").unwrap_or_default(),
        rel: element.attribute("rel"),
        target: element.attribute("target"),
        title: element.attribute("title"),
    };
    (!is_empty).then_some(Kind::Link(link))
}

fn has_text(element: Node<'_>) -> bool {
    element
        .descendants()
        .any(|node| matches!(node.kind(), TreeKind::Text(_)))
}

/// Whether this is the element that Google Docs puts around all that is copied from it.
fn is_google_doc(element: Node<'_>) -> bool {
    let id = element.attribute("id");
    id.is_some_and(|id| id.starts_with("docs-internal-guid-"))
}

/// Whether this is the title of a Google Doc, which says so only by its size.
fn is_google_title(node: Node<'_>) -> bool {
    node.is("span") && Style::of(node).has_title_size()
}

fn is_dropped_line_break(line_break: Node<'_>, around: &Surroundings) -> bool {
    is_alone(line_break) || around.is_google_doc && is_between_google_blocks(line_break)
}

/// Whether there is nothing else in the element around it but a blank text on either side.
fn is_alone(node: Node<'_>) -> bool {
    let is_blank = |text: Node<'_>| match text.kind() {
        TreeKind::Text(text) => text
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

/// Whether this is one of the line breaks that Google Docs puts between paragraphs, and between them
/// and headings or lists. One beside another always is.
fn is_between_google_blocks(line_break: Node<'_>) -> bool {
    let element_beside = |step: fn(Node<'_>) -> Option<Node<'_>>| {
        std::iter::successors(step(line_break), |node| step(*node))
            .find(|node| node.is_element())
            .and_then(Node::name)
    };
    let before = element_beside(|node| node.previous_sibling());
    let behind = element_beside(|node| node.next_sibling());
    let is_block = |name| {
        matches!(
            name,
            "p" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        )
    };
    match (before, behind) {
        (Some("br"), _) | (_, Some("br")) => true,
        (Some("p"), Some(other)) | (Some(other), Some("p")) => is_block(other),
        _ => false,
    }
}
