//! Footnotes at the end of a document, in the markup of Ghost's Markdown card (recorded).

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event, TagEnd, html};

/// The footnotes of one document. They are numbered in the order in which they are first referred
/// to; one that nothing refers to is left out.
#[derive(Default)]
pub(super) struct Footnotes<'a> {
    definitions: HashMap<CowStr<'a>, Vec<Event<'a>>>,
    /// Those referred to, in the order of their numbers.
    order: Vec<CowStr<'a>>,
    numbered: HashMap<CowStr<'a>, Numbered>,
}

struct Numbered {
    number: usize,
    references: usize,
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
        let numbered = self.numbered.entry(name.clone()).or_insert_with(|| {
            self.order.push(name);
            Numbered {
                number: self.order.len(),
                references: 0,
            }
        });
        let number = numbered.number;
        let suffix = reference_suffix(numbered.references);
        numbered.references += 1;
        Some(format!(
            "<sup class=\"footnote-ref\"><a href=\"#fn{number}\" id=\"fnref{number}{suffix}\">[{number}{suffix}]</a></sup>"
        ))
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
        if contents.is_empty() {
            return;
        }
        rendered.push_str("<hr class=\"footnotes-sep\">\n<section class=\"footnotes\">\n<ol class=\"footnotes-list\">\n");
        for (name, content) in self.order.iter().zip(contents) {
            let Numbered { number, references } = self.numbered[name];
            rendered.push_str(&format!("<li id=\"fn{number}\" class=\"footnote-item\">"));
            html::push_html(
                rendered,
                with_back_links(content, number, references).into_iter(),
            );
            rendered.push_str("</li>\n");
        }
        rendered.push_str("</ol>\n</section>\n");
    }
}

/// The first reference needs no suffix to be told apart.
fn reference_suffix(earlier_references: usize) -> String {
    match earlier_references {
        0 => String::new(),
        count => format!(":{count}"),
    }
}

/// Ends the last paragraph with a link to each reference.
fn with_back_links(
    mut content: Vec<Event<'_>>,
    number: usize,
    references: usize,
) -> Vec<Event<'_>> {
    let links: String = (0..references)
        .map(|earlier| {
            let suffix = reference_suffix(earlier);
            format!(" <a href=\"#fnref{number}{suffix}\" class=\"footnote-backref\">↩︎</a>")
        })
        .collect();
    match content.last() {
        Some(Event::End(TagEnd::Paragraph)) => {
            content.insert(content.len() - 1, Event::InlineHtml(links.into()));
        }
        _ => content.push(Event::Html(
            format!("<p>{}</p>\n", links.trim_start()).into(),
        )),
    }
    content
}
