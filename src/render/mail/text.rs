//! The plain text of a mail, for programs that show no HTML. URLs of links are written out.

use super::{
    article::{Article, Masthead},
    design::Design,
    template::{ACCOUNT_URL, SUBSCRIPTION, UNSUBSCRIBE_URL, details},
};
use crate::render::html_tree::{HtmlNodeKind, Node, Tree};

/// Returns the text of the page: header, body, footer.
pub(super) fn of_page(
    article: &Article,
    masthead: &Masthead,
    design: &Design,
    body: &str,
) -> String {
    let mut text = format!("{}\n{}\n\n", article.title, article.url);
    if !article.authors.is_empty() {
        let authors = [("authors", article.authors)];
        let byline = masthead.texts.filled("By {authors}", &authors);
        text.push_str(&format!("{byline} • {}\n\n", article.date));
    }
    text.push_str(body.trim());
    if article.is_cut {
        let read_on = masthead.texts.text("Read on");
        let invitation = masthead.invitation();
        text.push_str(&format!("\n\n{invitation} {read_on}: {}", article.url));
    }
    if design.shows_subscription {
        text.push_str(&subscription(masthead));
    }
    // Mail programs recognise this mark and leave the signature out of replies.
    text.push_str(&format!(
        "\n\n-- \n{} © {}\n{}\n{}: {UNSUBSCRIBE_URL}\n",
        masthead.site,
        masthead.year,
        masthead.url,
        masthead.texts.text("Unsubscribe")
    ));
    text
}

/// Returns the details of the recipient's subscription, with slots.
fn subscription(masthead: &Masthead) -> String {
    let texts = masthead.texts;
    let slots = [("site", masthead.site), ("status", "%%{status}%%")];
    let sentence = texts.filled(SUBSCRIPTION, &slots);
    let heading = texts.text("Your subscription");
    let mut text = format!("\n\n{heading}\n\n{sentence} %%{{status_text}}%%\n\n");
    for (name, value) in details(texts) {
        text.push_str(&format!("{name}: {value}\n"));
    }
    let manage = texts.text("Manage your subscription");
    text.push_str(&format!("{manage}: {ACCOUNT_URL}"));
    text
}

/// Returns the text of a body that was rewritten for mail programs.
pub(super) fn of_body(tree: &Tree) -> String {
    let mut writer = TextWriter::default();
    writer.inside(tree.root());
    writer.text
}

#[derive(Default)]
struct TextWriter {
    text: String,
    /// The number of line breaks before the next word.
    breaks: usize,
    /// True if a space precedes the next word.
    has_blank: bool,
    /// True if white space is preserved.
    is_preformatted: bool,
    /// The number of the next item of each open list; 0 for lists without numbers.
    lists: Vec<usize>,
}

impl TextWriter {
    /// Writes the content of a node. Recursion follows the nesting of the tree, which is bounded.
    fn inside(&mut self, node: Node) {
        node.children().for_each(|child| self.node(child));
    }

    fn node(&mut self, node: Node) {
        match node.kind() {
            HtmlNodeKind::Text(text) if self.is_preformatted => {
                self.separate();
                self.text.push_str(text);
            }
            HtmlNodeKind::Text(text) => self.words(text),
            HtmlNodeKind::Element(name) => self.element(node, name),
            HtmlNodeKind::Root | HtmlNodeKind::Comment(_) => {}
        }
    }

    fn element(&mut self, node: Node, name: &str) {
        match name {
            "br" => self.breaks += 1,
            "hr" => self.block(2, |writer| writer.word("----------")),
            "img" => {
                let alt = node.attribute("alt").unwrap_or_default().trim();
                if !alt.is_empty() {
                    self.word(&format!("[{alt}]"));
                }
            }
            "a" => self.link(node),
            "ul" | "ol" => {
                self.lists.push(usize::from(name == "ol"));
                let gap = if self.lists.len() == 1 { 2 } else { 1 };
                self.block(gap, |writer| writer.inside(node));
                self.lists.pop();
            }
            "li" => self.item(node),
            "pre" => self.block(2, |writer| {
                writer.is_preformatted = true;
                writer.inside(node);
                writer.is_preformatted = false;
            }),
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "table" | "dl" => {
                self.block(2, |writer| writer.inside(node));
            }
            "div" | "tr" | "center" | "dt" | "dd" | "caption" => {
                self.block(1, |writer| writer.inside(node));
            }
            "td" | "th" => {
                self.has_blank = true;
                self.inside(node);
                self.has_blank = true;
            }
            _ => self.inside(node),
        }
    }

    fn link(&mut self, node: Node) {
        let before = self.text.len();
        self.inside(node);
        let href = node.attribute("href").unwrap_or_default();
        let shown = self.text.get(before..).unwrap_or_default().trim();
        if !href.is_empty() && !href.starts_with('#') && shown != href {
            self.has_blank = true;
            self.word(&format!("[{href}]"));
        }
    }

    fn item(&mut self, node: Node) {
        let indent = "  ".repeat(self.lists.len().saturating_sub(1));
        let marker = match self.lists.last_mut() {
            Some(number) if *number > 0 => {
                *number += 1;
                format!("{}.", *number - 1)
            }
            _ => "*".to_owned(),
        };
        self.breaks = self.breaks.max(1);
        self.word(&format!("{indent}{marker}"));
        self.has_blank = true;
        self.inside(node);
        // Items are not separated by blank lines, even if they contain paragraphs.
        self.breaks = 1;
    }

    /// Writes a block, separated by `breaks` line breaks. The first words of an item remain next to
    /// its marker.
    fn block(&mut self, breaks: usize, content: impl FnOnce(&mut Self)) {
        let is_after_marker =
            self.text.ends_with(['*', '.']) && self.has_blank && !self.lists.is_empty();
        if !is_after_marker {
            self.breaks = self.breaks.max(breaks);
        }
        content(self);
        self.breaks = self.breaks.max(breaks);
    }

    /// Writes the words of a text, separated by single spaces.
    fn words(&mut self, text: &str) {
        self.has_blank |= text.starts_with(|character: char| character.is_ascii_whitespace());
        for word in text.split_ascii_whitespace() {
            self.word(word);
            self.has_blank = true;
        }
        // A blank text between two elements leaves a pending space as it is.
        self.has_blank = text.ends_with(|character: char| character.is_ascii_whitespace())
            || (text.trim_ascii().is_empty() && self.has_blank);
    }

    fn word(&mut self, word: &str) {
        self.separate();
        self.text.push_str(word);
    }

    /// Writes the pending separator.
    fn separate(&mut self) {
        if !self.text.is_empty() {
            match (self.breaks, self.has_blank) {
                (0, true) => self.text.push(' '),
                (0, false) => {}
                (breaks, _) => self.text.push_str(&"\n".repeat(breaks.min(2))),
            }
        }
        self.breaks = 0;
        self.has_blank = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html_tree::parse_fragment;

    fn text(html: &str) -> String {
        of_body(&parse_fragment(html))
    }

    #[test]
    fn links_show_their_urls_and_blocks_are_separated() {
        assert_eq!(
            text(
                "<h2>One</h2>\n<p>Some <b>words</b>, <a href=\"https://a.example/\">a link</a>.</p><hr>\
                 <p><a href=\"https://a.example/\">https://a.example/</a><br>next</p>"
            ),
            "One\n\nSome words, a link [https://a.example/].\n\n----------\n\nhttps://a.example/\nnext"
        );
    }

    #[test]
    fn lists_keep_their_markers_and_code_its_lines() {
        assert_eq!(
            text("<ol><li><p>a</p></li><li>b<ul><li>c</li></ul></li></ol><pre>x\n  y</pre>"),
            "1. a\n2. b\n  * c\n\nx\n  y"
        );
    }
}
