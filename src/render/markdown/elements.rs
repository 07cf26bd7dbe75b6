//! Insertion of attributes into blocks and inline elements.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, html};

use super::{DocumentBuilder, attribute_list::AttributeList, line_ends::line_start};

/// An element that is rendered as a whole when it ends, because its start tag cannot be rendered
/// separately.
pub(super) struct PendingElement {
    /// The index of its start among the events.
    start: usize,
    /// Its nesting depth.
    depth: usize,
    attributes: AttributeList,
}

impl<'a> DocumentBuilder<'a> {
    /// Returns the attributes of the element that begins.
    pub(super) fn attributes_of(
        &mut self,
        tag: &Tag<'a>,
        range: &Range<usize>,
    ) -> Option<AttributeList> {
        let marks = &mut self.marks;
        match tag {
            Tag::Item => marks.items.remove(&range.start),
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. } => marks.inline.remove(&range.end),
            Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::BlockQuote(_)
            | Tag::CodeBlock(_)
            | Tag::List(_)
            | Tag::DefinitionList
            | Tag::Table(_) => self.attributes_of_block(range),
            _ => None,
        }
    }

    fn attributes_of_block(&mut self, range: &Range<usize>) -> Option<AttributeList> {
        let marks = &mut self.marks;
        let mut lists = Vec::new();
        lists.extend(marks.headings.remove(&range.start));
        lists.extend(marks.by_start.remove(&range.start));
        if !marks.by_end.is_empty() {
            let text = self.overlay.text();
            let written = text[range.clone()].trim_end();
            let column = range.start - line_start(text, range.start);
            // The quote mark of the next line may follow a block in a quote.
            let unquoted = written.trim_end_matches(['>', ' ', '\n', '\r', '\t']);
            // Each list is removed from the marks when it is used, so an inner block with the same
            // end does not get it again.
            for end in [written.len(), unquoted.len()] {
                let end = range.start + end;
                if marks
                    .by_end
                    .get(&end)
                    .is_some_and(|(from, _)| *from <= column)
                {
                    lists.extend(marks.by_end.remove(&end).map(|(_, list)| list));
                }
            }
        }
        lists.into_iter().reduce(|mut all, list| {
            all.extend(&list);
            all
        })
    }

    /// Returns the attributes of a link to `url`: those in `list`, and those that the dialect adds
    /// to links to other sites.
    pub(super) fn external_attributes(
        &self,
        url: &str,
        list: Option<AttributeList>,
    ) -> Option<AttributeList> {
        let rule = self.dialect.external_links;
        let is_external = url.starts_with("http:") || url.starts_with("https:");
        let relations = [
            ("noopener", rule.new_tab),
            ("nofollow", rule.no_follow),
            ("noreferrer", rule.no_referrer),
        ];
        let relations = relations.into_iter().filter(|(_, is_set)| *is_set);
        let relations: Vec<&str> = relations.map(|(name, _)| name).collect();
        if !is_external || relations.is_empty() {
            return list;
        }
        let mut list = list.unwrap_or_default();
        list.others.push(("rel".to_owned(), relations.join(" ")));
        if rule.new_tab {
            list.others.push(("target".to_owned(), "_blank".to_owned()));
        }
        Some(list)
    }

    /// Adds the start of an element.
    pub(super) fn push_start(&mut self, tag: Tag<'a>, attributes: Option<AttributeList>) {
        let Some(attributes) = attributes else {
            self.events().push(Event::Start(tag));
            return;
        };
        if matches!(tag, Tag::Table(_) | Tag::Image { .. }) {
            let start = self.events().len();
            self.pending.push(PendingElement {
                start,
                depth: self.depth,
                attributes,
            });
            self.events().push(Event::Start(tag));
            return;
        }
        let html = attributes.insert_into(&rendered([Event::Start(tag)]));
        self.events().push(Event::Html(html.into()));
    }

    /// Renders the pending element that has ended.
    pub(super) fn finish_pending(&mut self) {
        // `end` has already subtracted the element itself.
        let depth = self.depth + 1;
        let Some(pending) = self.pending.pop_if(|pending| pending.depth == depth) else {
            return;
        };
        let events: Vec<_> = self.events().drain(pending.start..).collect();
        let html = pending.attributes.insert_into(&rendered(events));
        self.events().push(Event::Html(html.into()));
    }

    /// Returns inline code or a rule, with the attributes that follow it.
    pub(super) fn with_attributes(&mut self, event: Event<'a>, range: &Range<usize>) -> Event<'a> {
        let attributes = match event {
            Event::Code(_) => self.marks.inline.remove(&range.end),
            Event::Rule => self.attributes_of_block(range),
            _ => None,
        };
        match attributes {
            Some(list) => Event::InlineHtml(list.insert_into(&rendered([event])).into()),
            None => event,
        }
    }

    /// Inserts the table of contents.
    pub(super) fn fill_table_of_contents(&mut self) {
        if let Some((event, html)) = self.contents.finish() {
            self.body[event] = Event::Html(html.into());
        }
    }
}

fn rendered<'e>(events: impl IntoIterator<Item = Event<'e>>) -> String {
    let mut html = String::new();
    html::push_html(&mut html, events.into_iter());
    html
}
