//! Inline content of paragraphs, headings, quotes, list items and links.

use std::borrow::Cow;

use super::json::Value;

use super::formats::{Formats, OpenFormats};
use super::nodes::{self, LexicalKind, children};
use super::properties;
use super::writer::HtmlWriter;
use crate::render::html_escape;
use crate::render::html_tree::clean_fragment;

/// The inline nodes of a line in order, without nodes that are never shown.
#[derive(Default)]
pub(super) struct InlineLine<'a> {
    items: Vec<Item<'a>>,
    /// True if only a removed mention precedes the next node.
    follows_mention: bool,
    /// True if a mention or an empty text was removed.
    had_removed: bool,
}

enum Item<'a> {
    Text(Run<'a>),
    LineBreak,
    Link(&'a Value<'a>, InlineLine<'a>),
    /// A block, which is not permitted in a line. Only its inline content is shown.
    Block(InlineLine<'a>),
    /// A card, which is not permitted in a line and not shown.
    Card,
}

/// A run of text, never empty.
struct Run<'a> {
    text: Cow<'a, str>,
    formats: Formats,
    /// The properties that must be equal to those of an adjacent run to be merged with it; `None`
    /// if the run is never merged.
    merge_key: Option<(&'a Value<'a>, &'a Value<'a>)>,
    /// True if it is merged with the preceding run.
    continues: bool,
}

impl<'a> InlineLine<'a> {
    /// Reads the children of the current node.
    pub(super) fn read(writer: &mut HtmlWriter<'_>, nodes: &'a [Value<'a>]) -> Self {
        Self::read_from(writer, 0, nodes)
    }

    /// Reads children of the current node, the first of which has the index `first`.
    pub(super) fn read_from(
        writer: &mut HtmlWriter<'_>,
        first: usize,
        nodes: &'a [Value<'a>],
    ) -> Self {
        let mut line = Self::default();
        line.items.reserve(nodes.len());
        line.extend(writer, first, nodes);
        line
    }

    /// Reads the current node.
    pub(super) fn read_one(writer: &mut HtmlWriter<'_>, node: &'a Value<'a>) -> Self {
        let mut line = Self::default();
        line.push(writer, node);
        line
    }

    /// Reads the current node as a child of a list. A block or a link becomes an item with its text
    /// only (Ghost 6.65, recorded).
    pub(super) fn read_in_list(writer: &mut HtmlWriter<'_>, node: &'a Value<'a>) -> Self {
        let mut line = Self::default();
        match LexicalKind::of(node) {
            LexicalKind::ListItem => line.extend_with_content(writer, children(node)),
            LexicalKind::Text
            | LexicalKind::LineBreak
            | LexicalKind::List
            | LexicalKind::Card(_)
            | LexicalKind::Unknown => {
                line.push(writer, node);
            }
            LexicalKind::Link
            | LexicalKind::AutoLink
            | LexicalKind::AtLink
            | LexicalKind::Paragraph
            | LexicalKind::Heading
            | LexicalKind::Quote
            | LexicalKind::Aside => {
                let text = Self::read(writer, children(node)).text().into_owned();
                line.push_item(Item::Text(Run::new(Cow::Owned(text), Formats::default())));
            }
        }
        line
    }

    /// Reads the content of a list that is inside inline content.
    fn read_list(writer: &mut HtmlWriter<'_>, nodes: &'a [Value<'a>]) -> Self {
        let mut line = Self::default();
        for (index, node) in nodes.iter().enumerate() {
            let item = writer.at(index, |writer| Self::read_in_list(writer, node));
            line.push_item(Item::Block(item));
        }
        line
    }

    /// Reads the content of a list item. Paragraphs and items in it are replaced by their content.
    fn extend_with_content(&mut self, writer: &mut HtmlWriter<'_>, nodes: &'a [Value<'a>]) {
        for (index, node) in nodes.iter().enumerate() {
            writer.at(index, |writer| match LexicalKind::of(node) {
                LexicalKind::Paragraph | LexicalKind::ListItem => {
                    self.extend_with_content(writer, children(node));
                }
                _ => self.push(writer, node),
            });
        }
    }

    fn extend(&mut self, writer: &mut HtmlWriter<'_>, first: usize, nodes: &'a [Value<'a>]) {
        for (index, node) in nodes.iter().enumerate() {
            writer.at(first + index, |writer| self.push(writer, node));
        }
    }

    fn push(&mut self, writer: &mut HtmlWriter<'_>, node: &'a Value<'a>) {
        let item = match LexicalKind::of(node) {
            LexicalKind::Text => match text(node) {
                text if text.is_empty() => return self.had_removed = true,
                text => Item::Text(Run {
                    merge_key: merge_key(node),
                    ..Run::new(text, formats(node))
                }),
            },
            LexicalKind::LineBreak => Item::LineBreak,
            LexicalKind::Link => match InlineLine::read(writer, children(node)) {
                line if line.is_emptied() => return self.had_removed = true,
                line => Item::Link(node, line),
            },
            LexicalKind::AutoLink => {
                writer.lose(format!(
                    "{}; it is shown as a link",
                    nodes::unknown_reason(node)
                ));
                Item::Link(node, InlineLine::read(writer, children(node)))
            }
            LexicalKind::AtLink => return self.remove_mention(),
            LexicalKind::Paragraph
            | LexicalKind::Heading
            | LexicalKind::Quote
            | LexicalKind::Aside => Item::Block(InlineLine::read(writer, children(node))),
            LexicalKind::ListItem => Item::Block(InlineLine::read_in_list(writer, node)),
            LexicalKind::List => Item::Block(InlineLine::read_list(writer, children(node))),
            LexicalKind::Card(_) => {
                // The item stays, as it separates the texts beside it: they are not merged.
                writer.lose("a card in inline content is not shown");
                Item::Card
            }
            LexicalKind::Unknown => return self.push_unknown(writer, node),
        };
        self.push_item(item);
    }

    fn push_item(&mut self, mut item: Item<'a>) {
        let follows_mention = std::mem::take(&mut self.follows_mention);
        if let Item::Text(run) = &mut item {
            if follows_mention && run.text.starts_with(' ') {
                run.keep(1, run.text.len());
            }
            if run.text.is_empty() {
                return;
            }
            if let Some(Item::Text(before)) = self.items.last() {
                run.continues = run.merge_key.is_some() && run.merge_key == before.merge_key;
            }
        }
        self.items.push(item);
    }

    /// Removes one of the two spaces around a mention.
    fn remove_mention(&mut self) {
        self.had_removed = true;
        match self.items.last_mut() {
            None => self.follows_mention = true,
            Some(Item::Text(run)) if run.text.ends_with(' ') => {
                run.keep(0, run.text.len() - 1);
                if run.text.is_empty() {
                    self.items.pop();
                }
            }
            Some(_) => {}
        }
    }

    /// Reads the content of a node of an unknown type: its text or its children.
    fn push_unknown(&mut self, writer: &mut HtmlWriter<'_>, node: &'a Value<'a>) {
        writer.lose(nodes::unknown_reason(node));
        match nodes::unknown_text(node) {
            Some(text) => {
                self.push_item(Item::Text(Run::new(Cow::Borrowed(text), formats(node))));
            }
            None => self.extend(writer, 0, children(node)),
        }
    }

    /// Returns whether all content was removed, so that an enclosing link is removed, too.
    fn is_emptied(&self) -> bool {
        self.had_removed && self.items.is_empty()
    }

    /// Returns the text of the line, including links and blocks.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self.items.as_slice() {
            [] => Cow::Borrowed(""),
            [Item::Text(run)] => Cow::Borrowed(&run.text),
            _ => {
                let mut text = String::new();
                self.push_text(&mut text);
                Cow::Owned(text)
            }
        }
    }

    fn push_text(&self, text: &mut String) {
        for (index, item) in self.items.iter().enumerate() {
            match item {
                Item::Text(run) => text.push_str(&run.text),
                Item::LineBreak => text.push('\n'),
                Item::Link(_, line) => line.push_text(text),
                Item::Block(line) => {
                    line.push_text(text);
                    if index + 1 < self.items.len() {
                        text.push_str("\n\n");
                    }
                }
                Item::Card => {}
            }
        }
    }

    /// Writes the line.
    pub(super) fn write(&self, html: &mut String) {
        let mut open = OpenFormats::default();
        for (index, item) in self.items.iter().enumerate() {
            match item {
                Item::Text(run) => {
                    // A merged run is in the elements that the run before it opened.
                    if !run.continues {
                        let later = self.runs_after(index).skip_while(|run| run.continues);
                        open.open(run.formats, later.map(|run| run.formats), html);
                    }
                    html_escape::push_text(html, &run.text);
                    match self.runs_after(index).next() {
                        Some(next) if next.continues => {}
                        Some(next) => open.close(next.formats, html),
                        // Formats never extend over a link (recorded: `overlap/link-splits-bold`).
                        None => open.close(Formats::default(), html),
                    }
                }
                Item::LineBreak => html.push_str("<br>"),
                Item::Link(node, line) => write_link(node, line, html),
                Item::Block(line) => line.write(html),
                Item::Card => {}
            }
        }
    }

    /// Returns the runs after the item at `index`, up to the next item other than text or a line
    /// break.
    fn runs_after(&self, index: usize) -> impl Iterator<Item = &Run<'a>> {
        let line = self.items[index + 1..]
            .iter()
            // Formats stay open over a line break (recorded: `overlap/linebreak-inside-bold`).
            .take_while(|item| matches!(item, Item::Text(_) | Item::LineBreak));
        line.filter_map(|item| match item {
            Item::Text(run) => Some(run),
            _ => None,
        })
    }

    fn has_link(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Link(..) => true,
            Item::Block(line) => line.has_link(),
            _ => false,
        })
    }
}

fn write_link(node: &Value, line: &InlineLine<'_>, html: &mut String) {
    html.push_str("<a");
    for (attribute, property) in [("href", "url"), ("rel", "rel")] {
        let value = node.get(property).unwrap_or(&Value::Null);
        if properties::is_truthy(value) {
            html_escape::push_attribute(html, attribute, &properties::as_text(value));
        }
    }
    html.push('>');
    let start = html.len();
    line.write(html);
    // Ghost parses the content of a link once more, which changes it only if it contains these
    // characters or nested links.
    let inner = &html[start..];
    if memchr::memchr2(b'\r', 0, inner.as_bytes()).is_some() || line.has_link() {
        let inner = html.split_off(start);
        clean_fragment(&inner, html);
    }
    html.push_str("</a>");
}

/// Returns the text of a text node.
pub(super) fn text<'a>(node: &'a Value<'a>) -> Cow<'a, str> {
    match (nodes::type_of(node), node.get("text")) {
        ("tab", _) => Cow::Borrowed("\t"),
        // Numbers and null are shown as in JavaScript (recorded: `document/text-number`,
        // `document/text-null`).
        (_, Some(text)) => properties::as_text(text),
        (_, None) => Cow::Borrowed(""),
    }
}

/// Returns the formats of a text node, which are stored as bits or as the name of a format.
fn formats(node: &Value) -> Formats {
    if nodes::type_of(node) == "at-link-search" {
        return Formats::default();
    }
    match node.get("format") {
        Some(Value::String(name)) => Formats::from_name(name),
        Some(value) => Formats(properties::low_bits(value)),
        None => Formats::default(),
    }
}

/// Returns the properties of a text node that must be equal for the editor to merge it with
/// another: its formats, including unused bits, and its style.
fn merge_key<'a>(node: &'a Value<'a>) -> Option<(&'a Value<'a>, &'a Value<'a>)> {
    // The bit of Lexical's `detail` that forbids merging.
    const UNMERGEABLE: u64 = 2;
    let is_plain = matches!(nodes::type_of(node), "text" | "extended-text")
        && node.get("mode").is_some_and(|mode| mode == "normal")
        && node
            .get("detail")
            .and_then(Value::as_u64)
            .is_none_or(|detail| detail & UNMERGEABLE == 0);
    is_plain.then_some(())?;
    Some((node.get("format")?, node.get("style")?))
}

impl<'a> Run<'a> {
    /// Returns a run that is never merged.
    fn new(text: Cow<'a, str>, formats: Formats) -> Self {
        Self {
            text,
            formats,
            merge_key: None,
            continues: false,
        }
    }

    /// Truncates the text to the range from `start` to `end`.
    fn keep(&mut self, start: usize, end: usize) {
        match &mut self.text {
            Cow::Borrowed(text) => *text = &text[start..end],
            Cow::Owned(text) => *text = text[start..end].to_owned(),
        }
    }
}
