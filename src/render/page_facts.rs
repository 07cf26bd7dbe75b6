//! What a page of another site says about itself in its head: for the card that a post shows of it.

use super::html_tree::{Kind, Node, parse_fragment};

/// What a page says about itself. Addresses are as they stand there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// What it is called.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// What the site is called.
    pub publisher: Option<String>,
    /// A picture of it.
    pub image: Option<String>,
    /// The picture that stands for the site.
    pub icon: Option<String>,
    /// Where it is said how to embed it (oEmbed 1.0, section 4).
    pub oembed: Option<String>,
}

impl PageFacts {
    /// Reads a page. What it says for cards elsewhere (Open Graph) counts more than its title.
    pub fn of(html: &str) -> Self {
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

    /// Recursion follows the nesting of the tree, which is bounded.
    fn read(&mut self, node: Node, plain: &mut Self) {
        match node.name() {
            Some("title") => keep(&mut plain.title, text(node).as_deref()),
            Some("meta") => self.read_meta(node, plain),
            Some("link") => self.read_link(node),
            // A drawing has a title of its own.
            Some("svg") => {}
            _ => node.children().for_each(|child| self.read(child, plain)),
        }
    }

    fn read_meta(&mut self, node: Node, plain: &mut Self) {
        let name = node.attribute("property").or(node.attribute("name"));
        let content = node.attribute("content");
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "og:title" => keep(&mut self.title, content),
            "og:description" => keep(&mut self.description, content),
            "og:site_name" => keep(&mut self.publisher, content),
            "og:image" => keep(&mut self.image, content),
            "author" | "article:author" => keep(&mut self.author, content),
            "description" => keep(&mut plain.description, content),
            _ => {}
        }
    }

    fn read_link(&mut self, node: Node) {
        let relations = node.attribute("rel").unwrap_or_default();
        let is = |wanted: &str| {
            relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case(wanted))
        };
        let kind = node.attribute("type").unwrap_or_default();
        if is("icon") {
            keep(&mut self.icon, node.attribute("href"));
        }
        if is("alternate") && kind.eq_ignore_ascii_case("application/json+oembed") {
            keep(&mut self.oembed, node.attribute("href"));
        }
    }
}

/// Keeps what is said first, unless it says nothing.
fn keep(fact: &mut Option<String>, said: Option<&str>) {
    let said = said.map(str::trim).filter(|said| !said.is_empty());
    if fact.is_none() {
        *fact = said.map(str::to_owned);
    }
}

fn text(node: Node) -> Option<String> {
    node.children().find_map(|child| match child.kind() {
        Kind::Text(text) => Some(text.to_owned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_for_cards_counts_more_than_the_title() {
        let facts = PageFacts::of(
            "<!doctype html><html><head><title> Plain &amp; simple </title>\
             <meta name=\"description\" content=\"For everybody\"><meta property=\"og:title\" content=\"For cards\">\
             <meta property=\"og:image\" content=\"/a.png\"><meta property=\"og:image\" content=\"/b.png\">\
             <link rel=\"shortcut icon\" href=\"/icon.png\">\
             <link rel=\"alternate\" type=\"application/json+oembed\" href=\"/oembed?a=1\"></head>\
             <body><svg><title>A drawing</title></svg><p>Text</p></body></html>",
        );
        let said = |text: &str| Some(text.to_owned());
        let expected = PageFacts {
            title: said("For cards"),
            description: said("For everybody"),
            image: said("/a.png"),
            icon: said("/icon.png"),
            oembed: said("/oembed?a=1"),
            ..PageFacts::default()
        };
        assert_eq!(facts, expected);
    }

    #[test]
    fn a_page_that_says_nothing_has_the_title_that_it_has() {
        let facts =
            PageFacts::of("<title>Night ferry</title><meta property=\"og:title\" content=\" \">");
        assert_eq!(facts.title.as_deref(), Some("Night ferry"));
        assert_eq!(PageFacts::of("\u{0}<<"), PageFacts::default());
    }
}
