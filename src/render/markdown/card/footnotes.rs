//! The footnotes of a Markdown card.

use std::collections::{HashMap, HashSet};

use pulldown_cmark::CowStr;

use crate::render::markdown::footnotes::Numbers;

/// The footnotes of one card. Footnotes are numbered in the order in which they are first referred
/// to, wherever the reference stands. Of two with the same name the last counts.
pub(super) struct Footnotes<'a> {
    /// The names of all that the document defines.
    names: HashSet<CowStr<'a>>,
    numbers: Numbers,
    /// The places of those referred to.
    places: HashMap<CowStr<'a>, usize>,
    /// The content of those that are written where they are referred to, by their places.
    inline: HashMap<usize, Content>,
    named: HashMap<CowStr<'a>, Content>,
}

/// What a footnote says.
#[derive(Default)]
pub(super) struct Content {
    pub(super) html: String,
    /// Where in `html` the last paragraph ends, if nothing follows it.
    pub(super) paragraph_end: Option<usize>,
}

impl<'a> Footnotes<'a> {
    /// The footnotes of a document that defines those of these names.
    pub(super) fn new(names: HashSet<CowStr<'a>>) -> Self {
        Self {
            names,
            numbers: Numbers::default(),
            places: HashMap::new(),
            inline: HashMap::new(),
            named: HashMap::new(),
        }
    }

    /// Whether the document defines a footnote of this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns the link to a footnote, `None` when there is none of this name.
    pub(super) fn refer(&mut self, name: &CowStr<'a>) -> Option<String> {
        if !self.names.contains(name) {
            return None;
        }
        let numbers = &mut self.numbers;
        let place = *self
            .places
            .entry(name.clone())
            .or_insert_with(|| numbers.add());
        Some(numbers.refer(place))
    }

    /// Says what the footnote of this name says.
    pub(super) fn define(&mut self, name: CowStr<'a>, content: Content) {
        self.named.insert(name, content);
    }

    /// Adds a footnote where it is referred to. Returns its place and the link to it.
    pub(super) fn add_inline(&mut self) -> (usize, String) {
        let place = self.numbers.add();
        (place, self.numbers.refer(place))
    }

    /// Says what the footnote at `place` says: a paragraph of this inline content.
    pub(super) fn define_inline(&mut self, place: usize, content: &str) {
        let html = format!("<p>{content}</p>\n");
        let paragraph_end = Some("<p>".len() + content.len());
        self.inline.insert(
            place,
            Content {
                html,
                paragraph_end,
            },
        );
    }

    /// Appends the footnotes that were referred to.
    pub(super) fn push_html(mut self, html: &mut String) {
        let mut contents = self.inline;
        for (name, place) in self.places {
            contents.insert(place, self.named.remove(&name).unwrap_or_default());
        }
        self.numbers.push_list(html, |html, place, back_links| {
            let content = contents.remove(&place).unwrap_or_default();
            let end = content.paragraph_end.unwrap_or(content.html.len());
            html.push_str(&content.html[..end]);
            html.push_str(back_links);
            html.push_str(&content.html[end..]);
        });
    }
}
