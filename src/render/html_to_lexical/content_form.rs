//! The content of HTML that a conversion must not lose.
//!
//! The form contains the text with its visible white space, line by line. With each line it contains the enclosing
//! block: a heading, a list item with its depth, a quote. It also contains links, images, embedded elements, tables,
//! elements with their own style, and the emphasis of each text. It does not contain attributes for styles, wrappers,
//! and the way lines are separated (paragraphs or line breaks): Ghost's converter changes those, and readers miss
//! nothing.

use super::style::Style;
use crate::render::{
    block_elements,
    html_tree::{HtmlNodeKind, Node, parse_fragment},
};

/// Elements for emphasis. The elements of each row are synonyms.
const EMPHASES: [&[&str]; 14] = [
    &["strong", "b"],
    &["em", "i", "cite", "var", "dfn"],
    &["u", "ins"],
    &["s", "del", "strike"],
    &["code"],
    &["sub"],
    &["sup"],
    &["mark"],
    &["small"],
    &["kbd", "samp", "tt"],
    &["q"],
    &["abbr"],
    &["big"],
    &["ruby"],
];

/// Elements without content for readers.
const INVISIBLE: [&str; 9] = [
    "base", "head", "link", "meta", "noscript", "script", "style", "template", "title",
];

/// Elements that are content themselves, even without text.
const EMBEDDED: [&str; 14] = [
    "audio", "button", "canvas", "embed", "iframe", "input", "map", "math", "meter", "object",
    "progress", "select", "textarea", "video",
];

/// Elements whose structure is content.
const STRUCTURES: [&str; 12] = [
    "table", "tr", "td", "th", "caption", "dl", "dt", "dd", "details", "summary", "form", "svg",
];

/// Encloses each fact that is not text. HTML text never contains it.
const MARK: char = '\0';

/// The content of HTML.
#[derive(Debug, Default)]
pub(super) struct ContentForm {
    facts: String,
    /// The emphasis from a byte offset in `facts` on, as a bit for each row of [`EMPHASES`].
    emphases: Vec<(usize, u16)>,
}

impl ContentForm {
    /// Returns the content of `html`.
    pub(super) fn of(html: &str) -> Self {
        let tree = parse_fragment(html);
        let mut writer = ContentWriter::default();
        // While a buffer grows, its content is in memory twice.
        writer.form.facts.reserve(html.len());
        tree.root().children().for_each(|node| writer.add(node));
        writer.set_link("");
        writer.form
    }

    /// Returns whether `other` contains all of this content.
    pub(super) fn is_in(&self, other: &Self) -> bool {
        // The offsets of the emphases are comparable only if the facts are equal.
        self.facts == other.facts && self.has_emphases_of(other)
    }

    /// Returns whether each text of `other` has at least the emphasis that it has here.
    fn has_emphases_of(&self, other: &Self) -> bool {
        let at = |runs: &[(usize, u16)], offset: usize| {
            let next = runs.partition_point(|(start, _)| *start <= offset);
            next.checked_sub(1).map_or(0, |run| runs[run].1)
        };
        // The emphasis is constant between these offsets, so no others need a comparison.
        let starts = self.emphases.iter().chain(&other.emphases);
        starts.map(|(start, _)| *start).all(|start| {
            let (here, there) = (at(&self.emphases, start), at(&other.emphases, start));
            here & !there == 0
        })
    }
}

#[derive(Default)]
struct ContentWriter {
    form: ContentForm,
    /// The emphasis of the following text.
    emphasis: u16,
    /// The URL of the link around the following content; empty outside of links.
    link: String,
    /// The URL of the last link that was written to the facts; empty after its end.
    open_link: String,
    heading: Option<char>,
    quotes: usize,
    /// The kinds of the open lists.
    lists: Vec<&'static str>,
    /// True if the next line begins a list item.
    begins_item: bool,
    is_preformatted: bool,
    is_in_line: bool,
    has_blank: bool,
}

impl ContentWriter {
    fn add(&mut self, node: Node<'_>) {
        match node.kind() {
            HtmlNodeKind::Text(text) => self.text(text),
            HtmlNodeKind::Comment(comment) => self.comment(comment.trim()),
            HtmlNodeKind::Element(name) => self.element(node, name),
            HtmlNodeKind::Root => self.children(node),
        }
    }

    fn children(&mut self, node: Node<'_>) {
        node.children().for_each(|child| self.add(child));
    }

    /// Writes a comment that controls the visibility of content.
    fn comment(&mut self, comment: &str) {
        if comment.starts_with("members-only") || comment.starts_with("kg-gated-block") {
            self.end_line();
            self.fact(&["comment ", comment]);
        }
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            if self.is_preformatted && character == '\n' {
                self.end_line();
            } else if character.is_whitespace() {
                self.has_blank |= self.is_in_line;
            } else {
                self.begin_content();
                let last = self
                    .form
                    .emphases
                    .last()
                    .map_or(0, |(_, emphasis)| *emphasis);
                // Recorded only at visible characters: emphasis of white space alone is not seen.
                if last != self.emphasis {
                    self.form
                        .emphases
                        .push((self.form.facts.len(), self.emphasis));
                }
                self.form.facts.push(character);
            }
        }
    }

    fn element(&mut self, node: Node<'_>, name: &str) {
        if INVISIBLE.contains(&name) {
            return;
        }
        match name {
            "br" => return self.end_line(),
            "hr" => {
                self.end_line();
                return self.fact(&["hr"]);
            }
            "img" => {
                let of = |name| node.attribute(name).unwrap_or_default().trim();
                self.begin_content();
                return self.fact(&["img ", of("src"), " ", of("alt")]);
            }
            _ => {}
        }
        if EMBEDDED.contains(&name) {
            self.begin_content();
            self.fact(&[name, " ", node.attribute("src").unwrap_or_default().trim()]);
            return;
        }
        let is_block = block_elements::is_block(name);
        if is_block {
            self.end_line();
        }
        if STRUCTURES.contains(&name) {
            self.fact(&[name]);
        }
        self.inside(node, name);
        if STRUCTURES.contains(&name) {
            self.fact(&["/", name]);
        }
        if is_block {
            self.end_line();
        }
    }

    /// Writes the content of an element, with the meaning that the element gives it.
    fn inside(&mut self, node: Node<'_>, name: &str) {
        let (emphasis, heading, is_preformatted) =
            (self.emphasis, self.heading, self.is_preformatted);
        self.emphasis |= emphasis_of(node, name);
        match name {
            "ul" | "ol" => {
                self.lists.push(if name == "ul" { "ul" } else { "ol" });
                self.children(node);
                self.lists.pop();
            }
            "li" => {
                self.begins_item = true;
                self.children(node);
                self.begins_item = false;
            }
            "blockquote" => {
                self.quotes += 1;
                self.children(node);
                self.quotes -= 1;
            }
            "a" if node.attribute("href").is_some() => {
                let href = node.attribute("href").unwrap_or_default().trim();
                let outer = std::mem::replace(&mut self.link, href.to_owned());
                self.children(node);
                self.link = outer;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading = name.chars().nth(1);
                self.children(node);
            }
            "pre" => {
                self.is_preformatted = true;
                self.children(node);
            }
            _ => self.children(node),
        }
        (self.emphasis, self.heading, self.is_preformatted) = (emphasis, heading, is_preformatted);
    }

    fn end_line(&mut self) {
        self.set_link("");
        self.is_in_line = false;
        self.has_blank = false;
    }

    /// Writes what precedes content: the block of a new line, a space, the start of a link.
    fn begin_content(&mut self) {
        if !self.is_in_line {
            let heading = self
                .heading
                .map_or_else(String::new, |level| format!("h{level}"));
            let list = self.lists.last().copied().unwrap_or_default();
            let item = if self.begins_item { "item" } else { "" };
            let depth = self.lists.len().to_string();
            let quote = if self.quotes > 0 { "quote" } else { "" };
            self.fact(&[
                "line ", &heading, " ", list, " ", &depth, " ", item, " ", quote,
            ]);
            self.begins_item = false;
            self.is_in_line = true;
        }
        if self.has_blank {
            self.form.facts.push(' ');
            self.has_blank = false;
        }
        if self.link != self.open_link {
            let link = self.link.clone();
            self.set_link(&link);
        }
    }

    fn set_link(&mut self, link: &str) {
        if self.open_link != link {
            self.open_link = link.to_owned();
            self.fact(&["link ", link]);
        }
    }

    fn fact(&mut self, parts: &[&str]) {
        self.form.facts.push(MARK);
        for part in parts {
            self.form.facts.push_str(part);
        }
        self.form.facts.push(MARK);
    }
}

/// Returns the emphasis that an element adds; 0 if it has no visible effect.
fn emphasis_of(node: Node<'_>, name: &str) -> u16 {
    let Some(row) = EMPHASES.iter().position(|names| names.contains(&name)) else {
        return 0;
    };
    // Google Docs encloses all copied content in such an element.
    let is_taken_back = name == "b" && Style::of(node).has_weight("normal");
    let is_empty_note = name == "abbr" && node.attribute("title").is_none();
    if is_taken_back || is_empty_note {
        0
    } else {
        1 << row
    }
}
