//! Footnotes at the end of a document, in the HTML of Ghost's Markdown card (recorded).

use std::collections::HashMap;
use std::fmt::Write;

use pulldown_cmark::{CowStr, Event, TagEnd, html};

/// The numbers of footnotes in the order of their first references, and the number of references to
/// each footnote. A footnote is identified by its index in this order.
#[derive(Default)]
pub(super) struct Numbers {
    references: Vec<usize>,
}

impl Numbers {
    /// Adds a footnote without references. Returns its index.
    pub(super) fn add(&mut self) -> usize {
        self.references.push(0);
        self.references.len() - 1
    }

    /// Adds a reference to the footnote at `index`, and returns its link.
    pub(super) fn refer(&mut self, index: usize) -> String {
        let number = index + 1;
        let suffix = reference_suffix(self.references[index]);
        self.references[index] += 1;
        format!(
            "<sup class=\"footnote-ref\"><a href=\"#fn{number}\" id=\"fnref{number}{suffix}\">[{number}{suffix}]</a></sup>"
        )
    }

    /// Appends the list of footnotes, unless it is empty. `push_content` appends the content of the
    /// footnote at an index, followed by the back links to its references, each of which begins
    /// with a space.
    pub(super) fn push_list(
        &self,
        rendered: &mut String,
        mut push_content: impl FnMut(&mut String, usize, &str),
    ) {
        if self.references.is_empty() {
            return;
        }
        rendered.push_str("<hr class=\"footnotes-sep\">\n<section class=\"footnotes\">\n<ol class=\"footnotes-list\">\n");
        for index in 0..self.references.len() {
            let number = index + 1;
            let _ = write!(rendered, "<li id=\"fn{number}\" class=\"footnote-item\">");
            push_content(rendered, index, &self.back_links(index));
            rendered.push_str("</li>\n");
        }
        rendered.push_str("</ol>\n</section>\n");
    }

    fn back_links(&self, index: usize) -> String {
        let number = index + 1;
        let links = (0..self.references[index]).map(|earlier| {
            let suffix = reference_suffix(earlier);
            format!(" <a href=\"#fnref{number}{suffix}\" class=\"footnote-backref\">↩︎</a>")
        });
        links.collect()
    }
}

/// Returns the suffix of a reference, which is empty for the first one.
fn reference_suffix(earlier_references: usize) -> String {
    match earlier_references {
        0 => String::new(),
        count => format!(":{count}"),
    }
}

/// The footnotes of a document. Footnotes without references are omitted.
#[derive(Default)]
pub(super) struct Footnotes<'a> {
    definitions: HashMap<CowStr<'a>, Vec<Event<'a>>>,
    numbers: Numbers,
    /// The referenced footnotes, in the order of their numbers.
    order: Vec<CowStr<'a>>,
    indexes: HashMap<CowStr<'a>, usize>,
}

impl<'a> Footnotes<'a> {
    /// Adds a footnote. If several have the same name, the first one is used.
    pub(super) fn define(&mut self, name: CowStr<'a>, content: Vec<Event<'a>>) {
        self.definitions.entry(name).or_insert(content);
    }

    /// Replaces the references among `events` by links.
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
        let index = *self.indexes.entry(name.clone()).or_insert_with(|| {
            self.order.push(name);
            numbers.add()
        });
        Some(numbers.refer(index))
    }

    /// Appends the referenced footnotes.
    pub(super) fn push_html(mut self, rendered: &mut String) {
        let mut contents = self.contents();
        self.numbers.push_list(rendered, |rendered, index, links| {
            let content = std::mem::take(&mut contents[index]);
            html::push_html(rendered, with_back_links(content, links).into_iter());
        });
    }

    /// Returns the names of the referenced footnotes, in the order of their numbers.
    pub(super) fn into_names(mut self) -> Vec<String> {
        self.contents();
        self.order.iter().map(ToString::to_string).collect()
    }

    /// Takes the content of the referenced footnotes, in the order of their numbers.
    fn contents(&mut self) -> Vec<Vec<Event<'a>>> {
        // All footnotes are numbered before the first one is rendered: a footnote may refer to
        // another one, and each has back links to all its references.
        let mut contents = Vec::new();
        while let Some(name) = self.order.get(contents.len()) {
            let mut content = self
                .definitions
                .get_mut(name)
                .map(std::mem::take)
                .unwrap_or_default();
            // Numbering may add further footnotes to `order`, which the loop then reads.
            self.number(&mut content);
            contents.push(content);
        }
        contents
    }
}

/// Appends the back links to the last paragraph, or in a new one.
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
