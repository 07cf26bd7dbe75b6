//! Metadata of a page of another site, for bookmark cards.

use super::html_tree::{HtmlNodeKind, Node, parse_fragment};

/// The metadata of a page. URLs are as written in the page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageMetadata {
    /// The title of the page.
    pub title: Option<String>,
    /// The description of the page.
    pub description: Option<String>,
    /// The author of the page.
    pub author: Option<String>,
    /// The name of the site.
    pub publisher: Option<String>,
    /// The URL of an image for the page.
    pub image: Option<String>,
    /// URL of the site's icon.
    pub icon: Option<String>,
    /// The URL of the page's oEmbed document (oEmbed 1.0, section 4).
    pub oembed: Option<String>,
}

impl PageMetadata {
    /// Reads the metadata of a page. Open Graph takes precedence over the `title` element and the
    /// plain description.
    pub fn of(html: &str) -> Self {
        // In a fragment, the content of `head` is at the top level.
        let tree = parse_fragment(html);
        let mut facts = Self::default();
        let mut plain = Self::default();
        facts.read(tree.root(), &mut plain);
        Self {
            title: facts.title.or(plain.title),
            description: facts.description.or(plain.description),
            ..facts
        }
    }

    /// Reads the metadata in a node. Recursion follows the nesting of the tree, which is bounded.
    fn read(&mut self, node: Node, plain: &mut Self) {
        match node.name() {
            Some("title") => set_first(&mut plain.title, text(node).as_deref()),
            Some("meta") => self.read_meta(node, plain),
            Some("link") => self.read_link(node),
            // An SVG image may have its own title.
            Some("svg") => {}
            _ => node.children().for_each(|child| self.read(child, plain)),
        }
    }

    fn read_meta(&mut self, node: Node, plain: &mut Self) {
        let name = node.attribute("property").or(node.attribute("name"));
        let content = node.attribute("content");
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "og:title" => set_first(&mut self.title, content),
            "og:description" => set_first(&mut self.description, content),
            "og:site_name" => set_first(&mut self.publisher, content),
            "og:image" => set_first(&mut self.image, content),
            "author" | "article:author" => set_first(&mut self.author, content),
            "description" => set_first(&mut plain.description, content),
            _ => {}
        }
    }

    fn read_link(&mut self, node: Node) {
        let relations = node.attribute("rel").unwrap_or_default();
        let is = |expected: &str| {
            relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case(expected))
        };
        let kind = node.attribute("type").unwrap_or_default();
        if is("icon") {
            set_first(&mut self.icon, node.attribute("href"));
        }
        if is("alternate") && kind.eq_ignore_ascii_case("application/json+oembed") {
            set_first(&mut self.oembed, node.attribute("href"));
        }
    }
}

/// Sets `field` to `value` if the field is empty and the value is not blank.
fn set_first(field: &mut Option<String>, value: Option<&str>) {
    let value = value.map(str::trim).filter(|value| !value.is_empty());
    if field.is_none() {
        *field = value.map(str::to_owned);
    }
}

fn text(node: Node) -> Option<String> {
    node.children().find_map(|child| match child.kind() {
        HtmlNodeKind::Text(text) => Some(text.to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_graph_takes_precedence_over_the_title() {
        let facts = PageMetadata::of(
            "<!doctype html><html><head><title> Plain &amp; simple </title>\
             <meta name=\"description\" content=\"For everybody\"><meta property=\"og:title\" content=\"For cards\">\
             <meta property=\"og:image\" content=\"/a.png\"><meta property=\"og:image\" content=\"/b.png\">\
             <link rel=\"shortcut icon\" href=\"/icon.png\">\
             <link rel=\"alternate\" type=\"application/json+oembed\" href=\"/oembed?a=1\"></head>\
             <body><svg><title>A drawing</title></svg><p>Text</p></body></html>",
        );
        let value = |text: &str| Some(text.to_owned());
        let expected = PageMetadata {
            title: value("For cards"),
            description: value("For everybody"),
            image: value("/a.png"),
            icon: value("/icon.png"),
            oembed: value("/oembed?a=1"),
            ..PageMetadata::default()
        };
        assert_eq!(facts, expected);
    }

    #[test]
    fn title_is_used_without_open_graph() {
        let facts = PageMetadata::of(
            "<title>Night ferry</title><meta property=\"og:title\" content=\" \">",
        );
        assert_eq!(facts.title.as_deref(), Some("Night ferry"));
        assert_eq!(PageMetadata::of("\u{0}<<"), PageMetadata::default());
    }
}
