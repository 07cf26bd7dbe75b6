//! Attribute lists on separate lines, which apply to the block above or below.

use std::{collections::HashMap, ops::Range};

use super::{Findings, Marks};
use crate::render::markdown::{attribute_list::AttributeList, survey::Survey};

/// The lists read so far, and the end of the preceding text.
#[derive(Default)]
pub(super) struct BlockLists {
    lists: Vec<OfBlock>,
    /// The end of the text above, unless a blank line follows it.
    text_end: Option<usize>,
}

struct OfBlock {
    list: AttributeList,
    /// The least column of a block to which the list applies.
    column: usize,
    /// The end of the text above, if the list directly follows it.
    text_end: Option<usize>,
    /// The start of the text below, if there is any.
    text_start: Option<usize>,
}

impl BlockLists {
    /// Returns whether text is directly above the current line.
    pub(super) fn is_after_text(&self) -> bool {
        self.text_end.is_some()
    }

    /// Adds a list that begins in this column.
    pub(super) fn add(&mut self, list: AttributeList, column: usize) {
        self.lists.push(OfBlock {
            list,
            column,
            text_end: self.text_end,
            text_start: None,
        });
    }

    /// Processes a line that is not a list.
    pub(super) fn pass(&mut self, source: &str, line: Range<usize>, is_blank: bool) {
        self.text_end = (!is_blank).then_some(line.end);
        if is_blank {
            return;
        }
        // Lists without text above apply to the block that this line begins.
        for block in self.lists.iter_mut().rev() {
            if block.text_end.is_some() || block.text_start.is_some() {
                break;
            }
            let from = (line.start + block.column).min(line.end);
            let text = source.get(from..line.end).unwrap_or_default();
            block.text_start = Some(line.end - text.trim_start().len());
        }
    }

    /// Assigns the lists to their blocks.
    pub(super) fn attach(self, named: &HashMap<String, AttributeList>, marks: &mut Marks) {
        for mut block in self.lists {
            block.list.resolve(named);
            if let Some(end) = block.text_end {
                let empty = || (block.column, AttributeList::default());
                let (_, list) = marks.by_end.entry(end).or_insert_with(empty);
                list.extend(&block.list);
            } else if let Some(start) = block.text_start {
                marks.by_start.entry(start).or_default().extend(&block.list);
            }
        }
    }
}

/// A line, and its content after quote marks.
pub(super) struct Line<'s> {
    pub(super) range: Range<usize>,
    /// The content, trimmed and without quote marks.
    pub(super) inner: &'s str,
}

impl Line<'_> {
    pub(super) fn column(&self) -> usize {
        self.range.len() - self.inner.len()
    }

    pub(super) fn inner_range(&self) -> Range<usize> {
        self.range.end - self.inner.len()..self.range.end
    }
}

/// Returns the lines of a source, without their line breaks.
pub(super) fn lines(source: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    source.split_inclusive('\n').map(move |line| {
        let text = line.trim_end();
        let range = start..start + text.len();
        start += line.len();
        let inner = text.trim_start_matches([' ', '\t', '>']);
        Line { range, inner }
    })
}

/// Finds lines such as `{.wide #id}` directly after a block, which apply to it in goldmark.
pub(super) fn find(marks: &mut Marks, survey: &Survey, found: &mut Findings<'_>) {
    let mut lists = BlockLists::default();
    for line in lines(found.source) {
        let list = line
            .inner
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            // Braces after a blank line are text (`attributes in lines of their own` in
            // tests/it/render/dialects.jsonl).
            .filter(|_| lists.is_after_text() && !survey.is_verbatim(line.range.start))
            .and_then(AttributeList::read)
            .filter(|list| list.words.is_empty() && *list != AttributeList::default());
        match list {
            Some(list) => {
                lists.add(list, line.column());
                found.blank(line.inner_range());
            }
            None => lists.pass(found.source, line.range.clone(), line.inner.is_empty()),
        }
    }
    lists.attach(&HashMap::new(), marks);
}
