//! The footnotes of a Markdown card.

use std::collections::HashMap;

use crate::render::markdown::footnotes::Numbers;

/// The footnotes of a card, numbered in the order of their first references, which may be anywhere
/// in the card. If several have the same name, the last one is used.
#[derive(Default)]
pub(super) struct Footnotes<'a> {
    numbers: Numbers,
    /// The indices of the referenced footnotes, by name.
    indexes: HashMap<&'a str, usize>,
    /// The content of inline footnotes, by index.
    inline: HashMap<usize, FootnoteContent>,
    named: HashMap<&'a str, FootnoteContent>,
}

/// The content of a footnote.
#[derive(Default)]
pub(super) struct FootnoteContent {
    pub(super) html: String,
    /// The byte offset of the end of the last paragraph's content in `html`, if nothing follows the
    /// paragraph.
    pub(super) paragraph_end: Option<usize>,
}

impl<'a> Footnotes<'a> {
    /// Adds a reference to a footnote that the card defines, and returns its link.
    pub(super) fn refer(&mut self, name: &'a str) -> String {
        let numbers = &mut self.numbers;
        let index = *self.indexes.entry(name).or_insert_with(|| numbers.add());
        numbers.refer(index)
    }

    /// Sets the content of the footnote with this name.
    pub(super) fn define(&mut self, name: &'a str, content: FootnoteContent) {
        // Unlike with links, the last definition of a name wins (recorded: `footnote/last-wins`).
        self.named.insert(name, content);
    }

    /// Adds an inline footnote. Returns its index and the link to it.
    pub(super) fn add_inline(&mut self) -> (usize, String) {
        let index = self.numbers.add();
        (index, self.numbers.refer(index))
    }

    /// Sets the content of the footnote at `index` to a paragraph with this inline content.
    pub(super) fn define_inline(&mut self, index: usize, content: &str) {
        let html = format!("<p>{content}</p>\n");
        let paragraph_end = Some("<p>".len() + content.len());
        self.inline.insert(
            index,
            FootnoteContent {
                html,
                paragraph_end,
            },
        );
    }

    /// Appends the referenced footnotes.
    pub(super) fn push_html(mut self, html: &mut String) {
        let mut contents = self.inline;
        for (name, index) in self.indexes {
            contents.insert(index, self.named.remove(name).unwrap_or_default());
        }
        self.numbers.push_list(html, |html, index, back_links| {
            let content = contents.remove(&index).unwrap_or_default();
            let end = content.paragraph_end.unwrap_or(content.html.len());
            html.push_str(&content.html[..end]);
            html.push_str(back_links);
            html.push_str(&content.html[end..]);
        });
    }
}
