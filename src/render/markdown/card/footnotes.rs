//! The footnotes of a Markdown card.

use std::collections::HashMap;

use crate::render::markdown::footnotes::Numbers;

/// The footnotes of one card, numbered by first reference, wherever it is. Of footnotes with the
/// same name, the last one wins.
#[derive(Default)]
pub(super) struct Footnotes<'a> {
    numbers: Numbers,
    /// The indexes of referenced footnotes.
    indexes: HashMap<&'a str, usize>,
    /// The content of inline footnotes, by their indexes.
    inline: HashMap<usize, FootnoteContent>,
    named: HashMap<&'a str, FootnoteContent>,
}

/// The content of a footnote.
#[derive(Default)]
pub(super) struct FootnoteContent {
    pub(super) html: String,
    /// The end of the last paragraph in `html`, if nothing follows it.
    pub(super) paragraph_end: Option<usize>,
}

impl<'a> Footnotes<'a> {
    /// Returns a link to a footnote that the card defines.
    pub(super) fn refer(&mut self, name: &'a str) -> String {
        let numbers = &mut self.numbers;
        let index = *self.indexes.entry(name).or_insert_with(|| numbers.add());
        numbers.refer(index)
    }

    /// Sets the content of the footnote of this name.
    pub(super) fn define(&mut self, name: &'a str, content: FootnoteContent) {
        self.named.insert(name, content);
    }

    /// Adds an inline footnote. Returns its index and the link to it.
    pub(super) fn add_inline(&mut self) -> (usize, String) {
        let index = self.numbers.add();
        (index, self.numbers.refer(index))
    }

    /// Sets the content of the footnote at `index`: a paragraph of inline content.
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
