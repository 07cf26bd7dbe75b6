//! Paragraphs and headings that consist of text, which most blocks are. They are converted without parsers.

use std::borrow::Cow;

use super::super::{heading_id, html_to_lexical};

/// The elements of headings.
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// The characters that are escaped in the HTML of Markdown.
const ENTITIES: [(&str, char); 4] = [
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&amp;", '&'),
];

/// The id that Ghost's renderer never gives to a heading (see `render::lexical`).
const NO_ID: &str = "constructor";

/// A block that consists of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainBlock<'h> {
    /// The heading; `None` for a paragraph.
    pub heading: Option<PlainHeading<'h>>,
    text: Cow<'h, str>,
}

/// A heading that consists of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainHeading<'h> {
    tag: &'static str,
    /// The id in the HTML; empty if there is none.
    pub id: &'h str,
    /// The id that Ghost's renderer derives from the text.
    pub own_id: String,
}

impl<'h> PlainBlock<'h> {
    /// Returns the block if the HTML is such a block. `None` is inconclusive.
    pub fn of(html: &'h str) -> Option<Self> {
        let html = html.trim_ascii();
        if let Some(inside) = html.strip_prefix("<p>") {
            let text = text_of(inside.strip_suffix("</p>")?)?;
            return Some(Self {
                heading: None,
                text,
            });
        }
        let opened = html.strip_prefix('<')?;
        let tag = HEADINGS.into_iter().find(|tag| opened.starts_with(tag))?;
        let inside = opened.strip_prefix(tag)?;
        let inside = inside.strip_suffix('>')?.strip_suffix(tag)?;
        let (attributes, inside) = inside.strip_suffix("</")?.split_once('>')?;
        let id = match attributes {
            "" => "",
            _ => attributes.strip_prefix(" id=\"")?.strip_suffix('"')?,
        };
        if id.contains(['"', '&', '<']) {
            return None;
        }
        let text = text_of(inside)?;
        let own_id = heading_id::from_text(&text);
        (own_id != NO_ID).then_some(Self {
            heading: Some(PlainHeading { tag, id, own_id }),
            text,
        })
    }

    /// Returns the node of the block as JSON text.
    pub fn node(&self) -> String {
        let tag = self.heading.as_ref().map(|heading| heading.tag);
        html_to_lexical::node_of_text(tag, &self.text)
    }
}

/// Returns the text of HTML without elements. White space in it must consist of single spaces and line ends between
/// words.
fn text_of(html: &str) -> Option<Cow<'_, str>> {
    let mut has_blank_before = true;
    let mut is_plain = true;
    for byte in html.bytes() {
        let is_blank = matches!(byte, b' ' | b'\n');
        is_plain &= byte != b'<' && (byte >= b' ' || byte == b'\n') && byte != 0x7f;
        is_plain &= !(is_blank && has_blank_before);
        has_blank_before = is_blank;
    }
    // An empty text counts as ending with a space. A text of other white space is invisible, and so would its node be.
    if !is_plain || has_blank_before || html.chars().all(heading_id::is_blank) {
        return None;
    }
    if !html.contains(['\n', '&']) {
        return Some(Cow::Borrowed(html));
    }
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(index) = rest.find(['\n', '&']) {
        text.push_str(&rest[..index]);
        rest = &rest[index..];
        if let Some(after) = rest.strip_prefix('\n') {
            text.push(' ');
            rest = after;
            continue;
        }
        let (entity, character) = ENTITIES
            .into_iter()
            .find(|(entity, _)| rest.starts_with(entity))?;
        text.push(character);
        rest = &rest[entity.len()..];
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::render::{
        equivalence::NormalForm,
        lexical::{self, Context},
        markdown_to_lexical::document,
    };

    #[test]
    fn paragraphs_and_headings_of_text_are_plain() {
        for (html, node) in [
            (
                "<p>a\nb &amp; &quot;c&quot; ü</p>\n",
                "\"a b & \\\"c\\\" ü\"",
            ),
            ("<h2 id=\"a\">a &lt; b</h2>", "\"a < b\""),
            ("<h6>a</h6>", "\"a\""),
        ] {
            let block = PlainBlock::of(html).unwrap();
            assert!(block.node().contains(node), "{html} {}", block.node());
        }
        for html in [
            "",
            "<",
            "ä",
            "<p></p>",
            "<p>a <em>b</em></p>",
            "<p>a</p><p>b</p>",
            "<p>a  b</p>",
            "<p>a\tb</p>",
            "<p> a</p>",
            "<p>\u{a0}</p>",
            "<p>a&nbsp;b</p>",
            "<p class=\"a\">b</p>",
            "<h2 id=\"a\" class=\"b\">c</h2>",
            "<h2>constructor</h2>",
            "<h7>a</h7>",
            "<h1>a</h2>",
        ] {
            assert_eq!(PlainBlock::of(html), None, "{html}");
        }
    }

    proptest! {
        #[test]
        fn plain_blocks_have_the_nodes_and_the_ids_of_their_html(
            text in r#"[ \na-c0-9ÄÖüßæ東🧥'"%#.:\-_=\u{a0}\u{200b}\u{feff}\u{85}]{1,12}|&(lt|gt|amp|quot);[a-c]"#,
            tag in prop::sample::select(vec!["p", "h1", "h3", "h6"]),
        ) {
            let html = format!("<{tag}>{text}</{tag}>");
            if let Some(block) = PlainBlock::of(&html) {
                let nodes = html_to_lexical::nodes(&html);
                prop_assert_eq!(&nodes, &[block.node()]);
                let site = url::Url::parse("https://example.com").unwrap();
                let rendered = lexical::to_html(&document(&nodes), Context { site: &site }).unwrap();
                let (own, expected) = (NormalForm::of(&rendered.html), NormalForm::of(&html));
                prop_assert!(own.shows_the_same(&expected), "{} {}", html, rendered.html);
                if let Some(heading) = &block.heading {
                    prop_assert_eq!(own.heading_ids(), std::slice::from_ref(&heading.own_id));
                }
            }
        }
    }
}
