//! Plain text of a post's HTML, and the excerpt derived from it (Ghost 6.65, recorded).
//!
//! Images, captions, rules, scripts, signup cards and old footnotes are omitted. Link targets are
//! not shown. Lists keep their bullets and numbers. Tags are matched as tolerantly as in browsers:
//! an end tag closes all elements up to its start tag, and a paragraph ends where the next block
//! begins.

mod numbering;

use self::numbering::Numbering;
use super::html_scan::{StartTag, Token, tokens_with_raw_text_in};
use super::text_layout::{Block, Step, lay_out};

/// Longest excerpt derived from a text, in UTF-16 code units.
const EXCERPT_LENGTH_MAX: usize = 500;

/// Maximum number of open elements. Tags of deeper elements are ignored, but their text remains.
const DEPTH_MAX: usize = 256;

/// Elements whose text is not markup. Unlike in browsers, the content of an `iframe` or a
/// `textarea` is parsed as markup (Ghost 6.65, observed).
const RAW_TEXT_ELEMENTS: &[&str] = &["script", "style", "title"];

/// Returns the plain text of `html`. It may begin and end with line breaks that stem from white
/// space between tags.
pub fn from_html(html: &str) -> String {
    let mut walk = LayoutBuilder::default();
    for token in tokens_with_raw_text_in(html, RAW_TEXT_ELEMENTS) {
        match token {
            Token::Text(text) | Token::RawText(text) => walk.text(text),
            Token::Start(tag) => walk.start(&tag),
            Token::End(name) => walk.end(name),
            Token::Other => {}
        }
    }
    // An unclosed list must be closed, too, to pad its labels.
    while !walk.open.is_empty() {
        walk.close();
    }
    lay_out(walk.steps)
}

/// Returns the beginning of `plaintext` as an excerpt: 500 UTF-16 code units, or 499 if the last
/// one would be half of a surrogate pair.
pub fn excerpt(plaintext: &str) -> &str {
    let mut units = 0;
    let cut = plaintext.char_indices().find_map(|(position, character)| {
        units += character.len_utf16();
        (units > EXCERPT_LENGTH_MAX).then_some(position)
    });
    &plaintext[..cut.unwrap_or(plaintext.len())]
}

/// Longest incomplete word that [`beginning`] drops at the end, in bytes.
const WORD_BYTES_MAX: usize = 30;

/// Returns at most `characters_max` characters of a text. A longer text ends after a word if
/// possible, followed by an ellipsis.
pub fn beginning(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        None => text.to_owned(),
        Some((end, _)) => {
            // Text in languages without spaces between words contains few spaces, possibly far from
            // the end.
            let space = text[..end]
                .rfind(' ')
                .filter(|space| end - space <= WORD_BYTES_MAX);
            format!("{}…", &text[..space.unwrap_or(end)])
        }
    }
}

/// Converts tags to layout steps.
#[derive(Default)]
struct LayoutBuilder<'a> {
    steps: Vec<Step<'a>>,
    open: Vec<Element>,
    /// The number of open elements that are omitted together with their content.
    hidden: usize,
}

struct Element {
    /// The name in lower case.
    name: String,
    role: ListRole,
    /// The number of blocks that this element opened.
    blocks: usize,
}

enum ListRole {
    Inline,
    Block,
    Hidden,
    List(List),
}

#[derive(Default)]
struct List {
    /// The number of the next item and its format; `None` for bullets.
    number: Option<(i64, Numbering)>,
    /// True if the list is a child of an item of another list.
    is_nested: bool,
    /// The indices of the steps that opened the items.
    items: Vec<usize>,
    label_width: usize,
}

impl<'a> LayoutBuilder<'a> {
    fn text(&mut self, text: &'a str) {
        if self.hidden > 0 {
            return;
        }
        let text = htmlize::unescape(text);
        if innermost_list(&mut self.open).is_none() {
            self.steps.push(Step::Text(text));
        // Text directly in a list, outside of its items, gets an item without a label.
        } else if !text.trim().is_empty() {
            self.open_item(String::new());
            self.steps.push(Step::Text(text));
            self.steps.push(Step::Close);
        }
    }

    fn start(&mut self, tag: &StartTag<'a>) {
        let name = tag.name.to_ascii_lowercase();
        self.close_implied(&name);
        if name == "br" {
            self.break_line();
        }
        // Without a limit, the stack and the work for each end tag would grow with the input.
        if is_void(&name) || self.open.len() == DEPTH_MAX {
            return;
        }
        let role = self.role(&name, tag);
        self.open(name, role);
    }

    fn break_line(&mut self) {
        if self.hidden == 0 {
            self.steps.push(Step::LineBreak);
        }
    }

    fn open(&mut self, name: String, role: ListRole) {
        self.hidden += usize::from(matches!(role, ListRole::Hidden));
        // After counting, so that the hidden element itself opens no block.
        let blocks = if self.hidden == 0 {
            self.open_blocks(&name, &role)
        } else {
            0
        };
        self.open.push(Element { name, role, blocks });
    }

    /// Closes the elements that an end tag ends. As in the HTML standard, two end tags have an
    /// effect even if they are unmatched: `</p>` is an empty paragraph, and `</br>` a line break.
    fn end(&mut self, name: &str) {
        let matching = |element: &Element| element.name.eq_ignore_ascii_case(name);
        if let Some(position) = self.open.iter().rposition(matching) {
            while self.open.len() > position {
                self.close();
            }
        } else if name.eq_ignore_ascii_case("br") {
            self.break_line();
        } else if name.eq_ignore_ascii_case("p") && self.open.len() < DEPTH_MAX {
            self.open("p".to_owned(), ListRole::Block);
            self.close();
        }
    }

    /// Closes an element that a start tag implicitly ends.
    fn close_implied(&mut self, name: &str) {
        let is_ended = self
            .open
            .last()
            .is_some_and(|open| match open.name.as_str() {
                "p" => ends_paragraph(name),
                "li" => name == "li",
                _ => false,
            });
        if is_ended {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(element) = self.open.pop() else {
            return;
        };
        match element.role {
            ListRole::Hidden => self.hidden -= 1,
            ListRole::List(list) => self.close_list(&list),
            ListRole::Inline | ListRole::Block => {}
        }
        self.steps.extend((0..element.blocks).map(|_| Step::Close));
    }

    fn role(&self, name: &str, tag: &StartTag<'_>) -> ListRole {
        if is_hidden(name, tag) {
            return ListRole::Hidden;
        }
        match name {
            "ul" | "ol" => ListRole::List(List {
                number: (name == "ol").then(|| (first_number(tag), Numbering::of(tag))),
                is_nested: self.open.last().is_some_and(|parent| parent.name == "li"),
                ..List::default()
            }),
            _ if block(name).is_some() => ListRole::Block,
            _ => ListRole::Inline,
        }
    }

    /// Opens the blocks of an element and returns their number. A list is opened together with its
    /// first item.
    fn open_blocks(&mut self, name: &str, role: &ListRole) -> usize {
        let mut blocks = 0;
        if let Some(list) = innermost_list(&mut self.open) {
            let label = if name == "li" {
                list.next_label()
            } else {
                String::new()
            };
            self.open_item(label);
            blocks += 1;
        }
        if let (ListRole::Block, Some(block)) = (role, block(name)) {
            self.steps.push(Step::Open(block));
            blocks += 1;
        }
        blocks
    }

    /// Opens an item of the innermost element, if that is a list.
    fn open_item(&mut self, label: String) {
        let Some(list) = innermost_list(&mut self.open) else {
            return;
        };
        if list.items.is_empty() {
            let breaks = if list.is_nested { 1 } else { 2 };
            self.steps.push(Step::Open(Block::with_breaks(breaks)));
        }
        list.label_width = list.label_width.max(label.len());
        list.items.push(self.steps.len());
        self.steps.push(Step::Open(Block {
            label,
            ..Block::with_breaks(1)
        }));
    }

    /// Pads the labels of a list to the same width when all of them are known.
    fn close_list(&mut self, list: &List) {
        for &item in &list.items {
            if let Step::Open(Block { label, .. }) = &mut self.steps[item] {
                label.extend(std::iter::repeat_n(' ', list.label_width - label.len()));
            }
        }
        if !list.items.is_empty() {
            self.steps.push(Step::Close);
        }
    }
}

/// Returns the innermost element, if it is a list.
fn innermost_list(open: &mut [Element]) -> Option<&mut List> {
    match open.last_mut() {
        Some(Element {
            role: ListRole::List(list),
            ..
        }) => Some(list),
        _ => None,
    }
}

/// Returns the number of the first item of an ordered list.
fn first_number(tag: &StartTag<'_>) -> i64 {
    let start = tag
        .attribute("start")
        .and_then(|start| start.trim().parse().ok());
    start.unwrap_or(1)
}

impl List {
    fn next_label(&mut self) -> String {
        let label = match &mut self.number {
            None => " * ".to_owned(),
            Some((number, numbering)) => {
                let label = format!(" {}. ", numbering.written(*number));
                *number = number.saturating_add(1);
                label
            }
        };
        if self.is_nested {
            label.trim_start().to_owned()
        } else {
            label
        }
    }
}

/// Returns the block of an element, unless it is a list.
fn block(name: &str) -> Option<Block> {
    let (breaks_before, breaks_after) = match name {
        "h1" | "h2" | "h3" => (3, 2),
        "p" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "table" => (2, 2),
        "section" | "article" | "main" | "nav" | "header" | "footer" | "aside" | "form" => (1, 1),
        _ => return None,
    };
    Some(Block {
        breaks_before,
        breaks_after,
        is_preformatted: name == "pre",
        label: String::new(),
    })
}

fn is_hidden(name: &str, tag: &StartTag<'_>) -> bool {
    let has_class = |expected: &str| {
        tag.attribute("class").is_some_and(|classes| {
            classes
                .split_ascii_whitespace()
                .any(|class| class == expected)
        })
    };
    match name {
        "figcaption" | "script" | "style" => true,
        // The markup of footnotes in old posts (recorded: `plain/old-footnotes-skipped`).
        "a" if tag.attribute("rel") == Some("footnote") => true,
        "div" if has_class("footnotes") => true,
        _ => has_class("kg-signup-card"),
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Returns whether an open paragraph ends before this element (HTML standard, "the p element").
fn ends_paragraph(name: &str) -> bool {
    block(name).is_some()
        || matches!(
            name,
            "address"
                | "details"
                | "div"
                | "dl"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "hr"
                | "ol"
                | "ul"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_without_items_is_omitted() {
        assert_eq!(from_html("a<ul></ul>b"), "ab");
        assert_eq!(from_html("<p>a</p><ul>\n</ul><p>b</p>"), "a\n\nb");
    }

    #[test]
    fn other_content_of_a_list_is_an_item_without_a_label() {
        assert_eq!(
            from_html("<ul>stray<li>a</li><b>bold</b></ul>"),
            "   stray\n * a\n   bold"
        );
    }

    #[test]
    fn every_line_of_an_item_is_indented() {
        let html = "<ul><li>a<br>b<p>c</p><pre>d\ne</pre></li><li></li></ul>f";
        assert_eq!(
            from_html(html),
            " * a\n   b\n   \n   c\n   \n   d\n   e\n\n * \n\nf"
        );
    }

    #[test]
    fn numbered_list_may_start_at_any_number() {
        assert_eq!(
            from_html("<ol start='-1'><li>a<li>b</ol>"),
            " -1. a\n 0.  b"
        );
        assert_eq!(from_html("<ol start=x><li>a</ol>"), " 1. a");
        let last = format!("<ol start={}><li>a<li>b</ol>", i64::MAX);
        assert_eq!(from_html(&last), format!(" {0}. a\n {0}. b", i64::MAX));
    }

    #[test]
    fn numbered_list_uses_the_format_of_its_type() {
        assert_eq!(from_html("<ol type=a><li>x</ol>"), " a. x");
        assert_eq!(
            from_html("<ol type='I' start=4><li>x<li>y</ol>"),
            " IV. x\n V.  y"
        );
    }

    #[test]
    fn content_that_browsers_hide_is_parsed_as_markup() {
        for (html, text) in [
            ("<iframe src='/x'>Loading…</iframe>", "Loading…"),
            ("a<iframe><p>fallback</p></iframe>b", "a\n\nfallback\n\nb"),
            ("<textarea>a <b>x</b></textarea>", "a x"),
            ("<noembed>a</noembed><xmp><i>b</i></xmp>", "ab"),
            ("<title><b></title>", "<b>"),
        ] {
            assert_eq!(from_html(html), text, "{html}");
        }
    }

    #[test]
    fn unmatched_end_tag_may_break_the_line() {
        assert_eq!(from_html("a</br>b"), "a\nb");
        assert_eq!(from_html("</p>a"), "\n\na");
        assert_eq!(from_html("<ul></p><li>a</li></ul>"), "   \n\n * a");
        assert_eq!(
            from_html("x<p>a<div>b</div></p><p>c</p>"),
            "x\n\na\n\nb\n\n\n\nc"
        );
        assert_eq!(from_html("a<figcaption></p></br></figcaption>b"), "ab");
    }

    #[test]
    fn elements_end_where_browsers_end_them() {
        assert_eq!(from_html("<p>a<p>b<div>c</div>"), "a\n\nb\n\nc");
        assert_eq!(from_html("<b><p>a</b>b"), "a\n\nb");
        assert_eq!(from_html("</x>a</li>b"), "ab");
        assert_eq!(from_html("<P>a</p><Blockquote>b</BLOCKQUOTE>"), "a\n\nb");
    }

    #[test]
    fn hidden_elements_hide_their_content() {
        assert_eq!(
            from_html("a<figcaption>b<ul><li>c</ul><style>d</style>e</figcaption>f"),
            "af"
        );
        assert_eq!(
            from_html("a<div class='x footnotes'>b</div>c<div class=footnotes-x>d</div>"),
            "acd"
        );
        assert_eq!(
            from_html("a<a rel=footnote>b</a><a rel=nofollow>c</a>"),
            "ac"
        );
    }

    #[test]
    fn too_deep_element_keeps_its_text() {
        let html = "<section>".repeat(10_000) + "a" + &"</section>".repeat(10_000) + "b";
        assert_eq!(from_html(&html), "a\nb");
        let lists = "<ul><li>".repeat(10_000) + "a";
        assert!(from_html(&lists).ends_with(" * a"));
    }

    #[test]
    fn excerpt_does_not_end_in_half_a_character() {
        let text = "x".repeat(499) + "🌊";
        assert_eq!(excerpt(&text), "x".repeat(499));
        assert_eq!(excerpt("🌊"), "🌊");
    }
}
