//! The Markdown card: Markdown to HTML in the dialect of Ghost 6.65 (recorded).
//!
//! The dialect is CommonMark with tables. Hashes need no space after them to make a heading, every
//! line break is preserved, and URLs that run code are rejected. Extensions are `~~strikethrough~~`
//! and `==mark==`, `~subscript~` and `^superscript^`, footnotes (`[^name]` and `^[text]`), and bare
//! links.
//!
//! Ghost's parser differs from CommonMark where tabs, quotes, tables and footnotes meet, and in the
//! precedence of blocks that begin in a line. Authors see its result in the editor, so the card has
//! a separate parser of the same structure: `blocks` parses lines to blocks, and `inline` parses
//! the text of each block.

mod bare_links;

mod blocks;
mod entities;
mod footnotes;
mod html_tags;
mod inline;
mod lines;
mod links;
mod output;
mod size;
mod urls;
mod writer;

use std::borrow::Cow;

pub(super) use self::bare_links::length_without_scheme;
pub(crate) use self::size::take_cost;
use self::writer::CardHtml;
use crate::render::html_tree::clean_fragment;

/// Renders a Markdown card. Raw HTML in it is repaired.
pub fn to_html(markdown: &str) -> String {
    let source = normalised(markdown);
    let document = blocks::parse(&source);
    let mut card = CardHtml::new(document.definitions);
    for block in document.blocks {
        card.add(block);
    }
    let mut html = String::with_capacity(source.len() * 3 / 2);
    // Unclosed HTML would otherwise enclose what follows the card (recorded:
    // `markdown/unclosed-html-is-repaired`).
    clean_fragment(&card.into_html(), &mut html);
    html
}

/// Returns `markdown` with line feeds as line ends, and with replacement characters for null
/// characters.
fn normalised(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains(['\r', '\0']) {
        return Cow::Borrowed(markdown);
    }
    // Pairs first, so that one line end does not become two.
    let lines = markdown.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.replace('\0', "\u{fffd}"))
}
