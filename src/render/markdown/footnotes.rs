//! Footnotes at the end of a document, in the markup of Ghost's Markdown card (recorded).

use std::collections::HashMap;
use std::fmt::Write;

use pulldown_cmark::{CowStr, Event, TagEnd, html};

/// The numbers of footnotes, given in the order in which they are first referred to, and how often
/// each was. A footnote is known by its place in that order.
#[derive(Default)]
pub(super) struct Numbers {
    references: Vec<usize>,
}

impl Numbers {
    /// Adds a footnote to which nothing refers yet. Returns its place.
    pub(super) fn add(&mut self) -> usize {
        self.references.push(0);
        self.references.len() - 1
    }

    /// Returns one more link to the footnote at `place`.
    pub(super) fn refer(&mut self, place: usize) -> String {
        let number = place + 1;
        let suffix = reference_suffix(self.references[place]);
        self.references[place] += 1;
        format!(
            "<sup class=\"footnote-ref\"><a href=\"#fn{number}\" id=\"fnref{number}{suffix}\">[{number}{suffix}]</a></sup>"
        )
    }

    /// Appends the list of footnotes, if there are any. `push_content` appends what the one at a
    /// place says, with the links back to its references, a blank in front of each.
    pub(super) fn push_list(
        &self,
        rendered: &mut String,
        mut push_content: impl FnMut(&mut String, usize, &str),
    ) {
        if self.references.is_empty() {
            return;
        }
        rendered.push_str("<hr class=\"footnotes-sep\">\n<section class=\"footnotes\">\n<ol class=\"footnotes-list\">\n");
        for place in 0..self.references.len() {
            let number = place + 1;
            let _ = write!(rendered, "<li id=\"fn{number}\" class=\"footnote-item\">");
            push_content(rendered, place, &self.back_links(place));
            rendered.push_str("</li>\n");
        }
        rendered.push_str("</ol>\n</section>\n");
    }

    fn back_links(&self, place: usize) -> String {
        let number = place + 1;
        let links = (0..self.references[place]).map(|earlier| {
            let suffix = reference_suffix(earlier);
            format!(" <a href=\"#fnref{number}{suffix}\" class=\"footnote-backref\">↩︎</a>")
        });
        links.collect()
    }
}

/// The first reference needs no suffix to be told apart.
fn reference_suffix(earlier_references: usize) -> String {
    match earlier_references {
        0 => String::new(),
        count => format!(":{count}"),
    }
}

/// The footnotes of one document. One that nothing refers to is left out.
#[derive(Default)]
pub(super) struct Footnotes<'a> {
    definitions: HashMap<CowStr<'a>, Vec<Event<'a>>>,
    numbers: Numbers,
    /// Those referred to, in the order of their numbers.
    order: Vec<CowStr<'a>>,
    places: HashMap<CowStr<'a>, usize>,
}

impl<'a> Footnotes<'a> {
    /// Adds a footnote. Of two with the same name the first counts.
    pub(super) fn define(&mut self, name: CowStr<'a>, content: Vec<Event<'a>>) {
        self.definitions.entry(name).or_insert(content);
    }

    /// Puts links in place of the references among `events`.
    pub(super) fn number(&mut self, events: &mut [Event<'a>]) {
        for event in events {
            if let Event::FootnoteReference(name) = event {
                *event = match self.reference(name.clone()) {
                    Some(link) => Event::InlineHtml(link.into()),
                    None => Event::Text(format!("[^{name}]").into()),
                };
            }
        }
    }

    fn reference(&mut self, name: CowStr<'a>) -> Option<String> {
        if !self.definitions.contains_key(&name) {
            return None;
        }
        let numbers = &mut self.numbers;
        let place = *self.places.entry(name.clone()).or_insert_with(|| {
            self.order.push(name);
            numbers.add()
        });
        Some(numbers.refer(place))
    }

    /// Appends the footnotes that were referred to.
    pub(super) fn push_html(mut self, rendered: &mut String) {
        // All are numbered before the first is written: one may refer to another, and each links
        // back to all its references.
        let mut contents = Vec::new();
        while let Some(name) = self.order.get(contents.len()) {
            let mut content = self
                .definitions
                .get_mut(name)
                .map(std::mem::take)
                .unwrap_or_default();
            self.number(&mut content);
            contents.push(content);
        }
        self.numbers.push_list(rendered, |rendered, place, links| {
            let content = std::mem::take(&mut contents[place]);
            html::push_html(rendered, with_back_links(content, links).into_iter());
        });
    }
}

/// Ends the last paragraph with the links to all references.
fn with_back_links<'a>(mut content: Vec<Event<'a>>, links: &str) -> Vec<Event<'a>> {
    match content.last() {
        Some(Event::End(TagEnd::Paragraph)) => {
            let links = Event::InlineHtml(links.to_owned().into());
            content.insert(content.len() - 1, links);
        }
        _ => content.push(Event::Html(
            format!("<p>{}</p>\n", links.trim_start()).into(),
        )),
    }
    content
}
