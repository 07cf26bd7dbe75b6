//! Paragraphs in list items. CommonMark makes paragraphs in all items of a list if any two of them
//! are separated by a blank line. kramdown and Python-Markdown decide it for each item.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::dialect::{Dialect, Family};

/// The open lists, and the paragraphs in their items that become plain text.
#[derive(Default)]
pub(super) struct ListItems {
    /// The open elements: lists, items and other elements.
    open: Vec<Element>,
}

enum Element {
    List {
        end: usize,
        /// The number of items so far.
        items: usize,
        /// True if the text of one of the items is not a paragraph.
        has_plain_text: bool,
    },
    Item {
        range: Range<usize>,
        /// True if the item has no content so far.
        is_empty: bool,
    },
    /// A paragraph that becomes plain text.
    Text,
    Other,
}

impl ListItems {
    /// Returns whether an event is dropped, since it begins or ends a paragraph that is plain text
    /// in this dialect.
    pub(super) fn leaves_out(
        &mut self,
        event: &Event<'_>,
        range: &Range<usize>,
        source: &str,
        dialect: Dialect,
    ) -> bool {
        if dialect.family == Family::CommonMark {
            return false;
        }
        match event {
            Event::Start(Tag::Paragraph) => {
                let is_text = self.is_text(range, source, dialect);
                self.fill();
                self.open.push(if is_text {
                    Element::Text
                } else {
                    Element::Other
                });
                is_text
            }
            Event::Start(tag) => {
                self.start(tag, range);
                false
            }
            Event::End(tag) => {
                let closed = self.open.pop();
                matches!((closed, tag), (Some(Element::Text), TagEnd::Paragraph))
            }
            _ => {
                self.fill();
                self.count_plain_text();
                false
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        let element = match tag {
            Tag::List(_) => Element::List {
                end: range.end,
                items: 0,
                has_plain_text: false,
            },
            Tag::Item => {
                if let Some(Element::List { items, .. }) = self.open.last_mut() {
                    *items += 1;
                }
                Element::Item {
                    range: range.clone(),
                    is_empty: true,
                }
            }
            _ => Element::Other,
        };
        if !matches!(element, Element::Item { .. }) {
            self.fill();
        }
        if matches!(
            tag,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
        ) {
            self.count_plain_text();
        }
        self.open.push(element);
    }

    /// Records that the open item has content.
    fn fill(&mut self) {
        if let Some(Element::Item { is_empty, .. }) = self.open.last_mut() {
            *is_empty = false;
        }
    }

    /// Records that the open item contains text without a paragraph.
    fn count_plain_text(&mut self) {
        if let [
            ..,
            Element::List { has_plain_text, .. },
            Element::Item { .. },
        ] = self.open.as_mut_slice()
        {
            *has_plain_text = true;
        }
    }

    /// Returns whether the paragraph at `range` becomes the plain text of an item.
    fn is_text(&mut self, range: &Range<usize>, source: &str, dialect: Dialect) -> bool {
        let [
            ..,
            Element::List {
                end,
                items,
                has_plain_text,
            },
            Element::Item {
                range: item,
                is_empty: true,
            },
        ] = self.open.as_mut_slice()
        else {
            return false;
        };
        let is_last = source[..*end].trim_end().len() <= item.end;
        let has_more = !source[range.end.min(item.end)..item.end].trim().is_empty();
        let is_blank_below = is_blank_line(line_after(source, range.end)) && (!is_last || has_more);
        let is_text = if dialect.family == Family::Python {
            // Python-Markdown: a blank line on either side makes a paragraph (`items are paragraphs
            // by themselves` in tests/it/render/dialects.jsonl).
            let content = item.start + source[item.clone()].trim_end().len();
            let is_blank_above = *items > 1 && is_blank_line(line_before(source, item.start));
            let is_blank_after = !is_last && is_blank_line(line_after(source, content));
            !is_blank_above && !is_blank_below && !is_blank_after
        } else {
            // If it is not the only item, the last one is plain text only if an item before it is.
            !is_blank_below && (!is_last || *items == 1 || *has_plain_text)
        };
        *has_plain_text |= is_text;
        is_text
    }
}

/// Returns the line below the one that ends at or contains `position`; `None` at the end of the
/// source.
fn line_after(source: &str, position: usize) -> Option<&str> {
    let rest = &source[position..];
    let below = if source[..position].ends_with('\n') {
        rest
    } else {
        rest.split_once('\n')?.1
    };
    (!below.is_empty()).then(|| below.split('\n').next().unwrap_or(below))
}

/// Returns the line above the one that contains `position`; `None` at the start of the source.
fn line_before(source: &str, position: usize) -> Option<&str> {
    let (above, _) = source[..position].rsplit_once('\n')?;
    Some(above.rsplit('\n').next().unwrap_or(above))
}

/// Returns whether a line is blank apart from quote marks.
fn is_blank_line(line: Option<&str>) -> bool {
    line.is_some_and(|line| line.trim_start_matches(['>', ' ', '\t', '\r']).is_empty())
}
