//! Converts HTML from clients as Ghost does where nothing is lost, and the rest to HTML cards.

use serde_json::Value;
use url::Url;

use super::{
    content_form::ContentForm,
    conversion::{accepted, to_lexical},
    faithful,
};
use crate::render::{
    block_elements, cards,
    html_tree::{HtmlNodeKind, Node, Serialization, Tree, parse_fragment},
    lexical::{self, Context, DocumentError},
};

/// Elements that Ghost's converter replaces by their content.
const WRAPPERS: [&str; 8] = [
    "article", "aside", "center", "div", "footer", "header", "main", "section",
];

/// Converts HTML from a client as [`accepted`] does. A block becomes an HTML card, without scripts and event handlers,
/// if that conversion would lose some of its content: a text, a space, a link, an image, an emphasis, its position in a
/// list.
///
/// # Errors
///
/// `Excess` if a limit is exceeded.
pub fn accepted_without_loss(html: &str, site: &Url) -> Result<String, DocumentError> {
    // This also enforces the limits: the conversions of single blocks below have none.
    let converted = accepted(html)?;
    let context = Context { site };
    // Nothing is lost, so the document is exactly the one that Ghost would make.
    if has_all(&converted, html, context) {
        return Ok(converted);
    }
    let mut tree = parse_fragment(html);
    let handlers = handlers(&tree);
    tree.remove_attributes(&handlers);
    let mut blocks = BlockConversions {
        context,
        nodes: Vec::new(),
        inline: String::new(),
        raw: Vec::new(),
        raw_until: None,
    };
    blocks.add_all(tree.root());
    blocks.end_inline();
    blocks.end_card();
    Ok(faithful::document(blocks.nodes))
}

/// Returns whether a document contains all content of `html`. A document that cannot be rendered contains none.
fn has_all(document: &str, html: &str, context: Context<'_>) -> bool {
    let rendered = lexical::to_html(document, context);
    let rendered = rendered.map(|rendering| rendering.html).unwrap_or_default();
    let converted = ContentForm::of(&rendered);
    // Released before the other HTML is parsed, because a body may take much memory.
    drop(rendered);
    ContentForm::of(html).is_in(&converted)
}

/// The conversion of the blocks, one after another.
struct BlockConversions<'c> {
    context: Context<'c>,
    nodes: Vec<Value>,
    /// Adjacent inline nodes, which are converted to paragraphs together.
    inline: String,
    /// The HTML of the next HTML card.
    raw: Vec<String>,
    /// The start of the comment that ends the current block, which is not split; `None` outside of such blocks.
    raw_until: Option<&'static str>,
}

impl BlockConversions<'_> {
    fn add_all(&mut self, parent: Node<'_>) {
        for node in parent.children() {
            let html = html_of(node, self.raw_until.is_some());
            if self.raw_until.is_some() {
                self.add_marked(node, &html);
            } else if let Some(end) = faithful::block_end(node) {
                self.end_inline();
                self.end_card();
                self.raw_until = Some(end);
                self.raw.push(html);
            } else if is_wrapper(node) {
                self.end_inline();
                self.add_all(node);
                self.end_inline();
            } else if node.name().is_some_and(block_elements::is_block) {
                self.end_inline();
                self.add(&html, is_card(node));
            } else {
                self.inline.push_str(&html);
            }
        }
    }

    /// Adds a node between two comments that enclose a block, and converts the block at the second comment.
    fn add_marked(&mut self, node: Node<'_>, html: &str) {
        self.raw.push(html.to_owned());
        let is_end = match (self.raw_until, node.kind()) {
            (Some(end), HtmlNodeKind::Comment(comment)) => comment.trim().starts_with(end),
            _ => false,
        };
        if is_end {
            self.raw_until = None;
            let marked = std::mem::take(&mut self.raw).concat();
            self.add(&marked, true);
        }
    }

    fn end_inline(&mut self) {
        let html = std::mem::take(&mut self.inline);
        if !html.trim().is_empty() {
            self.add(&html, false);
        }
    }

    /// Adds the nodes of a block, or adds its HTML to the next card if content would be lost. Cards of the editor are
    /// always converted to nodes.
    fn add(&mut self, html: &str, is_card: bool) {
        let converted = to_lexical(html);
        if !is_card && !has_all(&converted, html, self.context) {
            self.raw.push(html.trim().to_owned());
            return;
        }
        self.end_card();
        // The text was written by `to_lexical`, so it always parses.
        let document: Value = serde_json::from_str(&converted).unwrap_or_default();
        if let Some(nodes) = document["root"]["children"].as_array() {
            self.nodes.extend(nodes.iter().cloned());
        }
    }

    fn end_card(&mut self) {
        let raw = std::mem::take(&mut self.raw).join("\n");
        if !raw.trim().is_empty() {
            self.nodes.push(cards::html_card(raw.trim()));
        }
    }
}

/// Returns whether an element only encloses blocks.
fn is_wrapper(node: Node<'_>) -> bool {
    let is_block = |child: Node<'_>| child.name().is_some_and(block_elements::is_block);
    node.name().is_some_and(|name| WRAPPERS.contains(&name))
        && !is_card(node)
        && node.children().any(is_block)
}

/// Returns whether an element is a card of the editor.
fn is_card(node: Node<'_>) -> bool {
    let classes = node.attribute("class").unwrap_or_default();
    classes
        .split_ascii_whitespace()
        .any(|class| class == "kg-card" || class.ends_with("-card") && class.starts_with("kg-"))
}

/// Returns the event handlers in a tree, each as the number of its element and the attribute's name. Handlers between
/// the comments of a card are not included.
fn handlers(tree: &Tree) -> Vec<(usize, String)> {
    let mut handlers = Vec::new();
    let mut marked_until = None;
    for node in tree.root().descendants() {
        match (marked_until, node.kind()) {
            (Some(end), HtmlNodeKind::Comment(comment)) if comment.trim().starts_with(end) => {
                marked_until = None;
            }
            (None, HtmlNodeKind::Comment(_)) => marked_until = faithful::block_end(node),
            (None, _) => {
                let names = node.attributes().map(|(name, _)| name);
                let handling = names.filter(|name| name.starts_with("on"));
                handlers.extend(handling.map(|name| (node.number(), name.to_owned())));
            }
            (Some(_), _) => {}
        }
    }
    handlers
}

/// Returns the HTML of a node, without scripts unless it is between the comments of a card.
fn html_of(node: Node<'_>, is_marked: bool) -> String {
    let mut html = String::new();
    let is_removed = |node: Node<'_>| node.is("script") && !is_marked;
    if !is_removed(node) {
        node.push_outer_filtered_html(&mut html, |inner| {
            if is_removed(inner) {
                Serialization::Nothing
            } else {
                Serialization::Element
            }
        });
    }
    html
}
