//! Removal of active URLs from HTML.

use std::{borrow::Cow, collections::HashSet};

use super::{Usage, is_active};
use crate::render::{
    cards::is_html_card_mark,
    html_tree::{HtmlNodeKind, Node, parse_in_quirks_mode},
    limits::{Budget, Excess},
    srcset,
};

/// Attributes with a URL.
const URLS: [&str; 17] = [
    "action",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "data-kg-background-image",
    "data-kg-custom-thumbnail",
    "data-kg-thumbnail",
    "dynsrc",
    "formaction",
    "href",
    "longdesc",
    "lowsrc",
    "ping",
    "poster",
    "src",
];

/// Attributes of SVG animations with the values of the animated attribute.
const ANIMATED: [&str; 4] = ["by", "from", "to", "values"];

/// Elements whose URLs refer to images.
const IMAGES: [&str; 6] = ["feimage", "image", "img", "input", "picture", "source"];

/// Returns HTML without attributes with active URLs and without `srcdoc` attributes, and adds the
/// removed values to `removed`. The content between the comments of an HTML card is unchanged. The
/// HTML is borrowed if nothing is removed, and otherwise serialised from its parsed tree.
///
/// # Errors
///
/// `Excess` if the HTML is too large to be parsed.
pub fn without_active_urls<'h>(
    html: &'h str,
    removed: &mut Vec<String>,
) -> Result<Cow<'h, str>, Excess> {
    // Only attributes are removed, so HTML without attributes need not be parsed.
    if !html.contains('<') || !html.contains('=') {
        return Ok(Cow::Borrowed(html));
    }
    // The conversion of such HTML (`html_to_lexical::accepted`) parses it in the same way.
    let mut tree = parse_in_quirks_mode(html, Budget::of_sent(html.len())?);
    if let Some(excess) = tree.excess() {
        return Err(excess);
    }
    let mut active_attributes = Vec::new();
    let mut cards = Cards::default();
    for node in tree.root().descendants() {
        if cards.holds(node) {
            continue;
        }
        let active = node
            .attributes()
            .filter(|(name, value)| is_active_attribute(node, name, value));
        active_attributes.extend(active.map(|(name, value)| {
            removed.push(value.to_owned());
            (node.number(), name.to_owned())
        }));
    }
    if active_attributes.is_empty() {
        return Ok(Cow::Borrowed(html));
    }
    // The traversal above borrows the tree, so it only collects the attributes.
    tree.remove_attributes(&active_attributes);
    let mut cleaned = String::with_capacity(html.len());
    tree.root().push_inner_html(&mut cleaned);
    Ok(Cow::Owned(cleaned))
}

/// Tracks whether the nodes visited, in document order, are inside HTML cards.
#[derive(Default)]
struct Cards {
    /// The number of the comment node that ends the current card.
    end: Option<usize>,
    /// The numbers of the elements that contain no further end of a card.
    without_end: HashSet<usize>,
}

impl Cards {
    /// Returns whether the next node is inside a card. The comments that begin and end a card must
    /// be siblings.
    fn holds(&mut self, node: Node<'_>) -> bool {
        if self.end == Some(node.number()) {
            self.end = None;
        } else if self.end.is_none() && is_mark(node, "kg-card-begin:") {
            self.end = self.end_of(node);
        }
        self.end.is_some()
    }

    fn end_of(&mut self, beginning: Node<'_>) -> Option<usize> {
        let parent = beginning.parent()?.number();
        // Without the set, each beginning of a card would scan all siblings after it: many
        // beginnings without an end would take quadratic time.
        if self.without_end.contains(&parent) {
            return None;
        }
        let mut following =
            std::iter::successors(beginning.next_sibling(), |node| node.next_sibling());
        let end = following.find(|node| is_mark(*node, "kg-card-end:"));
        if end.is_none() {
            self.without_end.insert(parent);
        }
        end.map(Node::number)
    }
}

fn is_mark(node: Node<'_>, mark: &str) -> bool {
    matches!(node.kind(), HtmlNodeKind::Comment(text) if is_html_card_mark(text, mark))
}

fn is_active_attribute(node: Node<'_>, name: &str, value: &str) -> bool {
    // Names in SVG may contain upper-case characters (`feImage`). The parser separates a prefix
    // such as `xlink:` only inside SVG; in an HTML element it is part of the name.
    let element = node.name().unwrap_or_default().to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("xlink:").unwrap_or(&name);
    let usage = if IMAGES.contains(&&*element) || matches!(name, "poster" | "background") {
        Usage::Image
    } else {
        Usage::Link
    };
    match name {
        // A whole document, which may have scripts.
        "srcdoc" => true,
        "srcset" | "imagesrcset" => srcset::urls(value).any(|url| is_active(url, Usage::Image)),
        "content" if element == "meta" => {
            let (_, url) = value.split_once('=').unwrap_or_default();
            // A URL in `content="0; url='…'"` may have quotes.
            is_active(url.trim().trim_matches(['"', '\'']), Usage::Link)
        }
        name if ANIMATED.contains(&name) => value.split(';').any(|url| is_active(url, usage)),
        name => URLS.contains(&name) && is_active(value, usage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(html: &str) -> (String, usize) {
        let mut removed = Vec::new();
        let cleaned = without_active_urls(html, &mut removed)
            .unwrap()
            .into_owned();
        (cleaned, removed.len())
    }

    #[test]
    fn active_urls_are_removed_from_all_attributes() {
        for html in [
            "<a href=\"javascript:harm()\">x</a>",
            "<a href=\"java\tscript:harm()\">x</a>",
            "<a href='&#106;avascript:harm()'>x</a>",
            "<a href=JaVaScRiPt&colon;harm()>x</a>",
            "<a href=\"&#x1; &Tab;javascript&#58;harm()\">x</a>",
            "<svg><a xlink:href=\"javascript:harm()\"><text>x</text></a></svg>",
            "<a xlink:href=\"javascript:harm()\">x</a>",
            "<img src=\"javascript:harm()\">x",
            "<form action=\"javascript:harm()\"><button formaction=\"vbscript:harm()\">x</button></form>",
            "<video poster=\"javascript:harm()\"></video>x",
            "<img srcset=\"a.png 1x, javascript:harm() 2x\">x",
            "<object data=\"data:text/html,harm()\">x</object>",
            "<object data=\"data:image/svg+xml,harm()\">x</object>",
            "<meta http-equiv=\"refresh\" content=\"0; URL='javascript:harm()'\">x",
            "<iframe src=\"javascript:harm()\"></iframe>x",
            "<iframe srcdoc=\"&lt;script>harm()&lt;/script>\"></iframe>x",
            "<base href=\"javascript:harm()//\">x",
            "<svg><a><animate attributeName=\"href\" to=\"javascript:harm()\"/><text>x</text></a></svg>",
            "<svg><set attributeName=\"xlink:href\" to=\"javascript:harm()\"/><text>x</text></svg>",
            "<svg><animate attributeName=\"href\" values=\"#a;javascript:harm()\"/><text>x</text></svg>",
            "<embed src=\"data:image/svg+xml,harm()\">x",
            "<math href=\"javascript:harm()\"><mi>x</mi></math>",
            "<p><a href=\"javascript:harm()\">x",
            "<!--kg-card-begin: html--><p><a href=\"javascript:harm()\">x</a></p>",
            "<p><!--kg-card-begin: html--></p><a href=\"javascript:harm()\">x</a><!--kg-card-end: html-->",
        ] {
            let (cleaned, removed) = cleaned(html);
            assert!(!cleaned.contains("harm"), "{html}: {cleaned}");
            assert!(cleaned.contains('x') && removed > 0, "{html}: {cleaned}");
        }
    }

    #[test]
    fn other_html_is_unchanged() {
        for html in [
            "javascript:x = 1",
            "<p title=\"javascript:x\">javascript:x</P>",
            "<a href='/a'>b<br/></a>",
            "<img src=data:image/png;base64,AA==>",
            "<img src=\"data:image/svg+xml;base64,AA==\">",
            "<a href=\"data:image/png;base64,AA==\">a</a>",
            "<meta name=\"description\" content=\"a=b\">",
            "<!--kg-card-begin: html--><a href=\"javascript:x()\">a</a><!--kg-card-end: html-->",
        ] {
            assert_eq!(cleaned(html), (html.to_owned(), 0));
        }
    }

    #[test]
    fn html_cards_are_unchanged_in_cleaned_html() {
        let card =
            "<!--kg-card-begin: html--><a href=\"javascript:x()\">a</a><!--kg-card-end: html-->";
        let (cleaned, removed) = cleaned(&format!(
            "<a href=\"javascript:b\">b</a>{card}<a href=\"javascript:c\">c</a>"
        ));
        assert_eq!(cleaned, format!("<a>b</a>{card}<a>c</a>"));
        assert_eq!(removed, 2);
    }
}
