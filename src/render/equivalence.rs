//! The normal form of HTML: texts that render equally have equal normal forms, however they are written.
//!
//! The form is the sequence of everything that readers perceive: blocks, lists with their kind and start, quotes,
//! tables, code with its language, text with its emphasis, links, images, line breaks, and every other element with its
//! attributes. It ignores:
//!
//! - invisible white space, comments that have no meaning in Galley, and the order of attributes;
//! - which of several synonymous elements is used (`strong` or `b`, `em` or `i`, `s`, `del` or `strike`), and how they
//!   are nested;
//! - whether the only paragraph of a list item or a quote is enclosed in an element;
//! - whether an image or a frame that is alone in its line is in a paragraph or in a card of the editor;
//! - ids of headings, which depend on the whole document: see [`NormalForm::heading_ids`].
//!
//! Computing it takes time linear in the length of the HTML, and recurses up to the depth of trees
//! (`html_tree::DEPTH_MAX`).

mod paragraphs;

use std::borrow::Cow;

use url::Url;

pub use paragraphs::are_paragraphs_alike;

use super::block_elements;
use super::html_tree::{HtmlNodeKind, Node, parse_fragment};

/// Elements with preserved white space.
const AS_WRITTEN: &[&str] = &["pre", "textarea", "script", "style"];

/// Formats of text. The elements of each row are synonyms.
const FORMATS: [&[&str]; 8] = [
    &["strong", "b"],
    &["em", "i"],
    &["s", "del", "strike"],
    &["u"],
    &["code"],
    &["sub"],
    &["sup"],
    &["mark"],
];

/// Prefixes of comments that control visibility.
const MEANT_COMMENTS: [&str; 3] = ["members-only", "kg-gated-block:begin", "kg-gated-block:end"];

/// Encloses each fact that is not text. HTML text never contains it.
const MARK: char = '\0';

/// The normal form of HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormalForm {
    facts: String,
    heading_ids: Vec<String>,
}

impl NormalForm {
    /// Returns the normal form of `html`, the content of a page's body.
    pub fn of(html: &str) -> Self {
        let tree = parse_fragment(html);
        let mut writer = NormalFormWriter::default();
        writer.flow(tree.root());
        Self {
            facts: writer.facts,
            heading_ids: writer.heading_ids,
        }
    }

    /// Returns whether both texts render equally, apart from the ids of headings.
    pub fn shows_the_same(&self, other: &Self) -> bool {
        self.facts == other.facts
    }

    /// Returns the form of this text followed by `next`.
    pub fn followed_by(&self, next: &Self) -> Self {
        Self {
            // Every form ends with a complete line, so no state passes from one to the next.
            facts: format!("{}{}", self.facts, next.facts),
            heading_ids: [&*self.heading_ids, &next.heading_ids].concat(),
        }
    }

    /// Returns the ids of the headings in order; empty for a heading without an id.
    pub fn heading_ids(&self) -> &[String] {
        &self.heading_ids
    }

    /// Returns whether the text has no visible content.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }
}

/// The style that a text has by its enclosing elements.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct TextStyle {
    /// A bit for each row of [`FORMATS`].
    formats: u8,
    /// The number of the enclosing link in `links`, from 1; 0 outside of links.
    link: usize,
}

#[derive(Default)]
struct NormalFormWriter {
    facts: String,
    heading_ids: Vec<String>,
    /// The style of the last output.
    style: TextStyle,
    /// The attributes of all links so far.
    links: Vec<String>,
    /// The highest number of a link with output.
    links_written: usize,
    /// True if white space precedes the next output, which matters unless that begins a line.
    has_blank: bool,
    /// True if the current line has output.
    is_in_line: bool,
}

impl NormalFormWriter {
    /// Writes the content of `parent`: the blocks, and runs of inline nodes between them as paragraphs.
    fn flow(&mut self, parent: Node<'_>) {
        let mut line: Vec<Node<'_>> = Vec::new();
        for child in parent.children() {
            let is_meant = matches!(child.kind(), HtmlNodeKind::Comment(text) if is_meant(text));
            if is_block(child) || is_meant {
                let line = std::mem::take(&mut line);
                self.paragraph(line.into_iter(), "", TextStyle::default());
                self.node(child, TextStyle::default());
            } else {
                line.push(child)
            }
        }
        self.paragraph(line.into_iter(), "", TextStyle::default());
    }

    fn node(&mut self, node: Node<'_>, style: TextStyle) {
        match node.kind() {
            HtmlNodeKind::Text(text) => self.text(text, style),
            HtmlNodeKind::Comment(text) if is_meant(text) => {
                self.end_line();
                self.fact(&format!("!{}", text.trim()));
            }
            HtmlNodeKind::Comment(_) | HtmlNodeKind::Root => {}
            HtmlNodeKind::Element(name) => {
                if is_block(node) {
                    self.block(node, name, style)
                } else {
                    self.in_line(node, name, style)
                }
            }
        }
    }

    fn nodes<'a>(&mut self, nodes: impl Iterator<Item = Node<'a>>, style: TextStyle) {
        nodes.for_each(|node| self.node(node, style));
    }

    fn text(&mut self, text: &str, style: TextStyle) {
        let is_blank = |character: char| character.is_ascii_whitespace();
        for piece in text.split_inclusive(is_blank) {
            let word = piece.trim_end_matches(is_blank);
            if !word.is_empty() {
                self.begin(style);
                self.facts.push_str(word);
            }
            self.has_blank |= word.len() < piece.len();
        }
    }

    fn as_written(&mut self, node: Node<'_>) {
        for node in node.children() {
            match node.kind() {
                HtmlNodeKind::Text(text) => self.facts.push_str(text),
                HtmlNodeKind::Element(name) => {
                    self.fact(&format!("{name}{}", attributes(node, &[])));
                    self.as_written(node);
                    self.fact("/");
                }
                HtmlNodeKind::Comment(_) | HtmlNodeKind::Root => {}
            }
        }
    }

    fn in_line(&mut self, node: Node<'_>, name: &str, style: TextStyle) {
        let format = FORMATS.iter().position(|names| names.contains(&name));
        match name {
            // White space next to a line break is invisible.
            "br" => {
                self.has_blank = false;
                self.is_in_line = false;
                self.fact("br");
            }
            "a" if node.attribute("href").is_some() => self.link(node, style),
            "img" => {
                self.begin(style);
                self.fact(&format!("img{}", image_fact(node)));
            }
            _ if AS_WRITTEN.contains(&name) => {
                self.begin(style);
                self.fact(&format!("{name}{}", attributes(node, &[])));
                self.as_written(node);
                self.fact("/");
            }
            _ if format.is_some() && node.attributes().next().is_none() => {
                let bit = format.map_or(0, |index| 1 << index);
                // A bit per format, so that neither repeated nor differently nested elements
                // matter.
                let formats = style.formats | bit;
                self.nodes(node.children(), TextStyle { formats, ..style });
            }
            _ => {
                self.begin(style);
                self.fact(&format!("{name}{}", attributes(node, &[])));
                self.nodes(node.children(), style);
                self.fact("/");
            }
        }
    }

    fn link(&mut self, node: Node<'_>, style: TextStyle) {
        self.links.push(attributes(node, &[]));
        // The link is part of the style, so that it makes no difference whether emphasis is inside
        // or outside of it.
        let link = self.links.len();
        self.nodes(node.children(), TextStyle { link, ..style });
        if self.links_written < link {
            // An empty link is written, too.
            self.begin(TextStyle { link, ..style });
        }
    }

    fn block(&mut self, node: Node<'_>, name: &str, style: TextStyle) {
        match name {
            "p" => return self.paragraph(node.children(), &attributes(node, &[]), style),
            "figure" if is_plain_card(node) => {
                return self.paragraph(node.children(), "", style);
            }
            _ => {}
        }
        self.end_line();
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let id = node.attribute("id").unwrap_or_default();
                self.heading_ids.push(id.to_owned());
                self.fact(&format!("{name}{}", attributes(node, &["id"])));
                self.nodes(node.children(), style);
            }
            "pre" => {
                self.fact(&format!("pre{}", attributes(node, &[])));
                self.as_written(node);
                self.without_last_line_ends();
            }
            "ul" | "ol" => {
                let is_first = node.attribute("start").map(str::trim) == Some("1");
                // 1 is the default of `start`.
                let omitted: &[&str] = if is_first { &["start"] } else { &[] };
                self.fact(&format!("{name}{}", attributes(node, omitted)));
                self.nodes(node.children(), style);
            }
            "li" | "blockquote" => {
                self.fact(&format!("{name}{}", attributes(node, &[])));
                match sole_paragraph(node, name == "li") {
                    Some(paragraph) => {
                        self.nodes(paragraph.children(), style);
                        let behind = std::iter::successors(paragraph.next_sibling(), |node| {
                            node.next_sibling()
                        });
                        self.nodes(behind, style);
                    }
                    None => self.nodes(node.children(), style),
                }
            }
            _ => {
                self.fact(&format!("{name}{}", attributes(node, &[])));
                self.nodes(node.children(), style);
            }
        }
        self.end_line();
        self.fact("/");
    }

    /// Writes a paragraph, unless it is invisible.
    fn paragraph<'a>(
        &mut self,
        nodes: impl Iterator<Item = Node<'a>>,
        attributes: &str,
        style: TextStyle,
    ) {
        self.end_line();
        let before = self.facts.len();
        self.fact(&format!("p{attributes}"));
        let start = self.facts.len();
        self.nodes(nodes, style);
        self.end_line();
        if self.facts.len() == start && attributes.is_empty() {
            self.facts.truncate(before)
        } else {
            self.fact("/")
        }
    }

    /// Writes a fact that is not text.
    fn fact(&mut self, fact: &str) {
        self.facts.push(MARK);
        self.facts.push_str(fact);
        self.facts.push(MARK);
    }

    /// Writes the start of inline output.
    fn begin(&mut self, style: TextStyle) {
        if self.has_blank && self.is_in_line {
            self.facts.push(' ');
        }
        self.has_blank = false;
        self.is_in_line = true;
        // After the space: white space inside and outside of an element is then the same.
        if style.formats != self.style.formats {
            self.fact(&format!("~{}", style.formats));
        }
        if style.link != self.style.link {
            let link = style.link.checked_sub(1).map(|index| &self.links[index]);
            let fact = format!("a{}", link.map_or("", String::as_str));
            self.fact(&fact);
            self.links_written = self.links_written.max(style.link);
        }
        self.style = style;
    }

    fn end_line(&mut self) {
        self.has_blank = false;
        self.is_in_line = false;
        self.style = TextStyle::default();
    }

    /// Removes line ends before the end of code, which are invisible.
    fn without_last_line_ends(&mut self) {
        let end = format!("{MARK}/{MARK}");
        let has_element = self.facts.ends_with(&end);
        if has_element {
            self.facts.truncate(self.facts.len() - end.len());
        }
        let bytes = self.facts.trim_end_matches('\n').len();
        self.facts.truncate(bytes);
        if has_element {
            self.facts.push_str(&end);
        }
    }
}

/// Returns whether a node is inline.
pub(super) fn is_in_line(node: Node<'_>) -> bool {
    !is_block(node)
}

fn is_block(node: Node<'_>) -> bool {
    node.name().is_some_and(block_elements::is_block)
}

fn is_meant(comment: &str) -> bool {
    let comment = comment.trim();
    MEANT_COMMENTS
        .iter()
        .any(|meant| comment.starts_with(meant))
}

/// Returns whether a node may be visible.
fn counts(node: &Node<'_>) -> bool {
    match node.kind() {
        HtmlNodeKind::Text(text) => !text.trim_ascii().is_empty(),
        HtmlNodeKind::Comment(text) => is_meant(text),
        HtmlNodeKind::Element(_) | HtmlNodeKind::Root => true,
    }
}

/// Returns the first child of a list item or a quote if it is the only paragraph: in an item, only lists may follow it;
/// in a quote, nothing.
fn sole_paragraph<'a>(node: Node<'a>, is_item: bool) -> Option<Node<'a>> {
    let mut children = node.children().filter(counts);
    let first = children.next()?;
    let is_plain = first.is("p") && first.attributes().next().is_none();
    let is_list = |node: Node<'_>| is_item && (node.is("ul") || node.is("ol"));
    (is_plain && children.all(is_list)).then_some(first)
}

/// Returns whether the figure is a card that the editor's renderer adds around an image or a frame.
fn is_plain_card(figure: Node<'_>) -> bool {
    let is_of_editor = figure.has_class("kg-card")
        && (figure.has_class("kg-image-card") || figure.has_class("kg-embed-card"))
        && !figure.has_class("kg-width-wide")
        && !figure.has_class("kg-width-full");
    is_of_editor && !figure.children().any(|child| child.is("figcaption"))
}

/// Returns the attributes of an element, each preceded by a separator, sorted by name, without those in `omitted`.
fn attributes(node: Node<'_>, omitted: &[&str]) -> String {
    let own = node
        .attributes()
        .filter(|(name, _)| !omitted.contains(name));
    written(own.map(|(name, value)| (name, normal_value(name, value))))
}

/// Returns the attributes of an image that readers perceive. Omits empty texts, and the attributes for lazy loading and
/// responsive sizes that the editor's renderer adds.
fn image_fact(image: Node<'_>) -> String {
    let is_of_editor = image.has_class("kg-image");
    let own = image.attributes().filter(|(name, value)| match *name {
        "loading" => false,
        "alt" | "title" => !value.is_empty(),
        "class" => *value != "kg-image",
        "srcset" | "sizes" => !is_of_editor,
        _ => true,
    });
    written(own.map(|(name, value)| (name, normal_value(name, value))))
}

fn written<'a>(attributes: impl Iterator<Item = (&'a str, Cow<'a, str>)>) -> String {
    let mut attributes: Vec<(&str, Cow<'_, str>)> = attributes.collect();
    attributes.sort();
    let mut text = String::new();
    for (name, value) in attributes {
        text.push('\u{1}');
        text.push_str(name);
        text.push('=');
        text.push_str(&value);
    }
    text
}

/// Returns the normalised value of an attribute.
fn normal_value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    match name {
        "href" | "src" if value.contains("://") => {
            Url::parse(value).map_or(Cow::Borrowed(value), |url| Cow::Owned(String::from(url)))
        }
        "style" => Cow::Owned(value.replace(' ', "").trim_end_matches(';').to_owned()),
        _ => Cow::Borrowed(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        NormalForm::of(one).shows_the_same(&NormalForm::of(other))
    }

    #[test]
    fn html_that_renders_equally_has_one_normal_form() {
        for (one, other) in [
            ("<p>\n a  b\n</p>\n<p>c</p>", "<p>a b</p><p>c</p>"),
            ("<p>a<br />\nb &amp; c</p><!-- d -->", "<p>a<br>b & c</p>"),
            (
                "<p><b>a</b> <i>b</i> <del>c</del></p>",
                "<p><strong>a</strong> <em>b</em> <s>c</s></p>",
            ),
            (
                "<p><em><strong>a</strong> b</em></p>",
                "<p><strong><em>a</em></strong><em> b</em></p>",
            ),
            (
                "<p><strong><a href=\"/x\">a</a></strong></p>",
                "<p><a href=\"/x\"><strong>a</strong></a></p>",
            ),
            (
                "<ul>\n<li>\n<p>a</p>\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>",
                "<ul><li>a<ol start=\"1\"><li>b</li></ol></li></ul>",
            ),
            (
                "<blockquote>\n<p>a</p>\n</blockquote>",
                "<blockquote>a</blockquote>",
            ),
            (
                "<pre><code class=\"language-x\">a\n</code></pre>",
                "<pre><code class=\"language-x\">a</code></pre>",
            ),
            (
                "<p><a href=\"https://a.example\"><img src=\"/b.png\" alt=\"\" /></a></p>",
                "<figure class=\"kg-card kg-image-card\"><a href=\"https://a.example/\"><img src=\"/b.png\" class=\"kg-image\" alt=\"\" loading=\"lazy\"></a></figure>",
            ),
            ("a <b>b</b><p></p>", "<p>a <b>b</b></p>"),
            ("<h2 id=\"a\">b</h2>", "<h2>b</h2>"),
            (
                "<td style=\"text-align: left\">",
                "<td style=\"text-align:left;\">",
            ),
        ] {
            assert!(same(one, other), "{one}\n{other}");
        }
    }

    #[test]
    fn html_that_renders_differently_has_another_normal_form() {
        for (one, other) in [
            ("<p>a b</p>", "<p>a\u{a0}b</p>"),
            ("<p>a</p><p>b</p>", "<p>a b</p>"),
            ("<p><b>a</b> <i>b</i></p>", "<p><b>a</b><i>b</i></p>"),
            ("<p><b>a</b></p>", "<p>a</p>"),
            ("<p><a href=\"/a\">a</a></p>", "<p><a href=\"/b\">a</a></p>"),
            (
                "<p><a href=\"/a\" id=\"x\">a</a></p>",
                "<p><a href=\"/a\">a</a></p>",
            ),
            (
                "<p><a href=\"/a\" title=\"x\">a</a></p>",
                "<p><a href=\"/a\">a</a></p>",
            ),
            (
                "<p><a href=\"/a\">a</a><a href=\"/a\">b</a></p>",
                "<p><a href=\"/a\">ab</a></p>",
            ),
            ("<p>a<a href=\"/b\"></a></p>", "<p>a</p>"),
            (
                "<p><a href=\"/b\"><img src=\"/a.png\"></a></p>",
                "<p><img src=\"/a.png\"></p>",
            ),
            (
                "<p><img src=\"/a.png\" alt=\"a\"></p>",
                "<p><img src=\"/a.png\"></p>",
            ),
            (
                "<p>a <img src=\"/a.png\"> b</p>",
                "<p>a</p><p><img src=\"/a.png\"></p><p>b</p>",
            ),
            (
                "<p><img src=\"/a.png\"><img src=\"/b.png\"></p>",
                "<p><img src=\"/a.png\"></p><p><img src=\"/b.png\"></p>",
            ),
            ("<ol start=\"2\"><li>a</li></ol>", "<ol><li>a</li></ol>"),
            ("<ol><li>a</li></ol>", "<ul><li>a</li></ul>"),
            (
                "<ul><li>a<ul><li>b</li></ul></li></ul>",
                "<ul><li>a</li><li>b</li></ul>",
            ),
            (
                "<ul><li><p>a</p><p>b</p></li></ul>",
                "<ul><li>a b</li></ul>",
            ),
            (
                "<ul><li><input type=\"checkbox\"> a</li></ul>",
                "<ul><li>a</li></ul>",
            ),
            (
                "<blockquote><p>a</p><p>b</p></blockquote>",
                "<blockquote>a<br><br>b</blockquote>",
            ),
            (
                "<pre><code class=\"language-x\">a</code></pre>",
                "<pre><code>a</code></pre>",
            ),
            ("<pre>a  b</pre>", "<pre>a b</pre>"),
            ("<h2>a</h2>", "<h3>a</h3>"),
            ("<p><kbd>a</kbd></p>", "<p>a</p>"),
            ("<details><p>a</p></details>", "<p>a</p>"),
            ("<video src=\"a.mp4\"></video>", ""),
            ("<p>a</p><!--members-only-->", "<p>a</p>"),
        ] {
            assert!(!same(one, other), "{one}\n{other}");
        }
    }

    #[test]
    fn heading_ids_are_compared_separately() {
        let form = NormalForm::of("<h2 id=\"a\">b</h2><h3>c</h3>");
        assert_eq!(form.heading_ids(), ["a", ""]);
        assert!(NormalForm::of(" <!-- a --> <p></p>").is_empty());
    }
}
