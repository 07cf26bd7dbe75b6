//! Converts HTML to documents that render equally. HTML that the editor cannot represent becomes raw HTML cards.
//!
//! The HTML is split at its outermost elements. Each becomes nodes as in [`to_lexical`] if these render to the same
//! HTML again, and otherwise part of a raw HTML card, together with its neighbours. HTML is compared as a page shows
//! it: notation and invisible white space are ignored.

use serde_json::{Value, json};
use url::Url;

use super::conversion::to_lexical;
use crate::render::cards;
use crate::render::{
    html_escape,
    html_tree::{HtmlNodeKind, Node, parse_fragment},
    lexical::{self, Context},
};

/// Inline elements, next to which white space is visible.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "button", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "input", "ins", "kbd", "label", "mark", "q", "ruby", "s", "samp", "select",
    "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Elements with preserved white space.
const AS_WRITTEN: &[&str] = &["pre", "textarea", "script", "style"];

/// Returns a Lexical document, as JSON text, that renders to equivalent HTML: equal except for white space and the
/// comments around cards. The document has no nodes if the HTML is invisible.
pub fn to_lexical_faithfully(html: &str, site: &Url) -> String {
    let context = Context { site };
    let tree = parse_fragment(html);
    let mut parts = PartConversions {
        context,
        nodes: Vec::new(),
        raw: Vec::new(),
        raw_until: None,
    };
    tree.root().children().for_each(|node| parts.add(node));
    parts.end_card();
    let canonical = canonical(html);
    let shows_the_same =
        |document: &String| canonical_of(document, context).as_ref() == Some(&canonical);
    let in_parts = document(parts.nodes);
    if shows_the_same(&in_parts) {
        return in_parts;
    }
    // Each part renders equally, but the whole does not, as the ids of repeated headings depend on one another.
    let as_written = document(raw_card(html).into_iter().collect());
    if shows_the_same(&as_written) {
        return as_written;
    }
    // In a card, an unclosed element would enclose the content after it.
    let mut closed = String::new();
    tree.root()
        .children()
        .for_each(|node| node.push_outer_html(&mut closed));
    document(raw_card(&closed).into_iter().collect())
}

/// Returns the start of the comment that ends the block that `node` begins; `None` if it begins none.
pub(super) fn block_end(node: Node<'_>) -> Option<&'static str> {
    let HtmlNodeKind::Comment(comment) = node.kind() else {
        return None;
    };
    let mut blocks = BLOCKS.iter();
    let begun = blocks.find(|(begin, _)| comment.trim().starts_with(begin));
    begun.map(|(_, end)| *end)
}

/// The starts of comments that begin a block, and of those that end it.
const BLOCKS: [(&str, &str); 2] = [
    ("kg-gated-block:begin", "kg-gated-block:end"),
    ("kg-card-begin", "kg-card-end"),
];

/// The conversion of the outermost elements, one after another.
struct PartConversions<'c> {
    context: Context<'c>,
    nodes: Vec<Value>,
    /// The HTML of the next raw HTML card.
    raw: Vec<String>,
    /// The start of the comment that ends the current block, which becomes raw HTML; `None` outside of blocks.
    raw_until: Option<&'static str>,
}

impl PartConversions<'_> {
    fn add(&mut self, node: Node<'_>) {
        let mut html = String::new();
        node.push_outer_html(&mut html);
        if html.trim().is_empty() || self.ends_block(node, &html) {
            return;
        }
        self.begin_block(node);
        let nodes = match (self.raw_until, node.kind()) {
            // A text outside of elements would become a paragraph, so it always stays raw.
            (None, HtmlNodeKind::Element(_) | HtmlNodeKind::Comment(_)) => {
                self.equivalent_nodes(&html)
            }
            _ => None,
        };
        match nodes {
            Some(nodes) => {
                self.end_card();
                self.nodes.extend(nodes);
            }
            None => self.raw.push(html.trim().to_owned()),
        }
    }

    /// Begins a block between two comments if `node` does. Such blocks are not split.
    fn begin_block(&mut self, node: Node<'_>) {
        if self.raw_until.is_none() {
            self.raw_until = block_end(node);
        }
    }

    /// Ends the block between two comments if `node` does, and returns whether it did.
    fn ends_block(&mut self, node: Node<'_>, html: &str) -> bool {
        let is_end = match (self.raw_until, node.kind()) {
            (Some(end), HtmlNodeKind::Comment(comment)) => comment.trim().starts_with(end),
            _ => false,
        };
        if is_end {
            self.raw.push(html.to_owned());
            self.raw_until = None;
            self.end_card();
        }
        is_end
    }

    /// Returns nodes that render to the same HTML as the part; `None` if there are none.
    fn equivalent_nodes(&self, html: &str) -> Option<Vec<Value>> {
        let lexical = to_lexical(html);
        let rendered = canonical_of(&lexical, self.context)?;
        let mut document: Value = serde_json::from_str(&lexical).ok()?;
        match document.get_mut("root")?.get_mut("children")?.take() {
            Value::Array(nodes) if rendered == canonical(html) => Some(nodes),
            _ => None,
        }
    }

    fn end_card(&mut self) {
        let raw = std::mem::take(&mut self.raw).join("\n");
        self.nodes.extend(raw_card(&raw));
    }
}

/// Returns a card with this HTML; `None` if it is blank.
fn raw_card(html: &str) -> Option<Value> {
    let html = html.trim();
    (!html.is_empty()).then(|| cards::html_card(html))
}

/// Returns a document with these nodes, as JSON text.
pub(super) fn document(nodes: Vec<Value>) -> String {
    let document = json!({
        "root": {
            "children": nodes,
            "direction": null,
            "format": "",
            "indent": 0,
            "type": "root",
            "version": 1
        }
    });
    document.to_string()
}

/// Renders a document in canonical form; `None` if it is empty or a node is lost.
fn canonical_of(lexical: &str, context: Context<'_>) -> Option<String> {
    let rendering = lexical::to_html(lexical, context).ok()?;
    rendering
        .losses
        .is_empty()
        .then(|| canonical(&rendering.html))
}

/// Returns HTML in canonical form, without invisible white space and comments around cards.
fn canonical(html: &str) -> String {
    let mut canonical = Canonical {
        html: String::with_capacity(html.len()),
        at_edge: true,
        as_written: 0,
    };
    let tree = parse_fragment(html);
    tree.root().children().for_each(|node| canonical.add(node));
    canonical.html.truncate(canonical.html.trim_end().len());
    canonical.html
}

struct Canonical {
    html: String,
    /// True if white space is invisible at the current position, as at the start of a line.
    at_edge: bool,
    /// Number of open elements with preserved white space.
    as_written: usize,
}

impl Canonical {
    /// Adds a node with its descendants. Recursion is bounded by the depth of trees.
    fn add(&mut self, node: Node<'_>) {
        match node.kind() {
            HtmlNodeKind::Text(text) => self.text(text),
            HtmlNodeKind::Comment(text) if text.trim().starts_with("kg-card-") => {}
            HtmlNodeKind::Comment(text) => {
                self.html.push_str("<!--");
                self.html.push_str(text.trim());
                self.html.push_str("-->");
            }
            HtmlNodeKind::Element(_) | HtmlNodeKind::Root => self.element(node),
        }
    }

    fn text(&mut self, text: &str) {
        if self.as_written > 0 {
            html_escape::push_text(&mut self.html, text);
            return;
        }
        let is_blank = |character: char| character.is_ascii_whitespace();
        for piece in text.split_inclusive(is_blank) {
            let words = piece.trim_end_matches(is_blank);
            html_escape::push_text(&mut self.html, words);
            self.at_edge &= words.is_empty();
            if words.len() < piece.len() && !self.at_edge {
                self.html.push(' ');
                self.at_edge = true;
            }
        }
    }

    fn element(&mut self, node: Node<'_>) {
        let name = node.name().unwrap_or_default();
        let is_inline = INLINE.contains(&name);
        if !is_inline {
            self.end_line();
        } else if name == "img" {
            self.at_edge = false;
        }
        self.html.push('<');
        self.html.push_str(name);
        for (name, value) in node.attributes() {
            html_escape::push_attribute(&mut self.html, name, value);
        }
        self.html.push('>');
        let is_as_written = AS_WRITTEN.contains(&name);
        self.as_written += usize::from(is_as_written);
        node.children().for_each(|child| self.add(child));
        self.as_written -= usize::from(is_as_written);
        if !is_inline {
            self.end_line();
        }
        // Void elements get an end tag, too: this form is only compared.
        self.html.push_str("</");
        self.html.push_str(name);
        self.html.push('>');
    }

    /// Drops white space at the end of a line and the start of the next.
    fn end_line(&mut self) {
        if self.as_written == 0 {
            self.html.truncate(self.html.trim_end_matches(' ').len());
        }
        self.at_edge = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Url {
        Url::parse("https://site.example/").expect("an url")
    }

    /// Returns the types of the nodes of HTML, and the HTML of cards.
    fn nodes(html: &str) -> Vec<String> {
        let document: Value =
            serde_json::from_str(&to_lexical_faithfully(html, &site())).expect("JSON");
        let nodes = document["root"]["children"].as_array().expect("nodes");
        let shown = |node: &Value| match node["html"].as_str() {
            Some(html) => html.to_owned(),
            None => node["type"].as_str().expect("a type").to_owned(),
        };
        nodes.iter().map(shown).collect()
    }

    #[test]
    fn representable_html_becomes_editor_nodes() {
        let html = "<h2 id=\"tide\">Tide</h2>\n<p>Two <em>hours</em>\nof <a href=\"__GHOST_URL__/a/\">it</a>.<br />\nMore.</p>\n\
                    <ul>\n<li>one\n<ol>\n<li>two</li>\n</ol>\n</li>\n</ul>\n<blockquote>\n<p>q</p>\n</blockquote>\n\
                    <pre><code class=\"language-rust\">fn main() {}\n</code></pre>\n<!--members-only-->\n<hr />\n";
        let expected = ["extended-heading", "paragraph", "list"];
        assert_eq!(nodes(html)[..3], expected);
        assert_eq!(nodes(html)[4..], ["codeblock", "paywall", "horizontalrule"]);
    }

    #[test]
    fn unrepresentable_html_and_its_neighbours_become_html_cards() {
        assert_eq!(
            nodes("<p>a</p><p><mark>b</mark></p>\n<dl><dt>c</dt></dl>loose<p>d</p>"),
            [
                "paragraph",
                "<p><mark>b</mark></p>\n<dl><dt>c</dt></dl>\nloose",
                "paragraph"
            ]
        );
        assert_eq!(
            nodes("<h2 id=\"other\">a</h2>"),
            ["<h2 id=\"other\">a</h2>"]
        );
        assert_eq!(
            nodes("<p><img src=\"a.png\"></p>"),
            ["<p><img src=\"a.png\"></p>"]
        );
    }

    #[test]
    fn blocks_between_comments_stay_together() {
        let html = "<p>a</p><!--kg-gated-block:begin nonMember:false --><p>b</p><p>c</p><!--kg-gated-block:end--><p>d</p>";
        assert_eq!(
            nodes(html),
            [
                "paragraph",
                "<!--kg-gated-block:begin nonMember:false -->\n<p>b</p>\n<p>c</p>\n<!--kg-gated-block:end-->",
                "paragraph"
            ]
        );
    }

    #[test]
    fn ids_of_repeated_headings_are_preserved() {
        let html = "<h2 id=\"a\">a</h2><p>b</p><h2 id=\"a-1\">a</h2><h2 id=\"a-2\">a</h2>";
        let lexical = to_lexical_faithfully(html, &site());
        let rendered = canonical_of(&lexical, Context { site: &site() });
        assert_eq!(rendered, Some(canonical(html)));
    }

    #[test]
    fn visible_white_space_is_preserved() {
        let are_same = |one: &str, other: &str| canonical(one) == canonical(other);
        assert!(are_same("<p>\n a  b\n</p>\n<p>c</p>", "<p>a b</p><p>c</p>"));
        assert!(are_same("<p>a<br />\nb</p>", "<p>a<br>b</p>"));
        assert!(are_same("<p>a &amp; b&quot;</p>", "<p>a & b\"</p>"));
        assert!(!are_same(
            "<p><b>a</b> <i>b</i></p>",
            "<p><b>a</b><i>b</i></p>"
        ));
        assert!(!are_same("<pre>a  b</pre>", "<pre>a b</pre>"));
        assert!(!are_same("<p>a b</p>", "<p>a\u{a0}b</p>"));
    }

    #[test]
    fn unclosed_element_ends_with_its_card() {
        let html = "a<b>c</b><title>d";
        let lexical = to_lexical_faithfully(html, &site());
        assert_eq!(nodes(html), [format!("{html}</title>")]);
        let rendered = canonical_of(&lexical, Context { site: &site() });
        assert_eq!(rendered, Some(canonical(html)));
    }

    #[test]
    fn invisible_html_creates_no_nodes() {
        assert!(nodes("").is_empty());
        assert!(nodes(" \n ").is_empty());
    }
}
