//! Lists of attributes in lines of their own, which are for the block above or below.

use std::{collections::HashMap, ops::Range};

use super::{Found, Marks};
use crate::render::markdown::{attribute_list::AttributeList, survey::Survey};

/// The lists read so far, and what stands above the next line.
#[derive(Default)]
pub(super) struct BlockLists {
    lists: Vec<OfBlock>,
    /// Where the text above ends, unless a blank line stands between.
    text_end: Option<usize>,
}

struct OfBlock {
    list: AttributeList,
    /// From which column on a block may begin that it is for.
    column: usize,
    /// Where the text above it ends, if it stands directly behind.
    text_end: Option<usize>,
    /// Where the text below it begins, if there is some.
    text_start: Option<usize>,
}

impl BlockLists {
    /// Whether text stands directly above.
    pub(super) fn is_behind_text(&self) -> bool {
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

    /// A line follows that is no list.
    pub(super) fn pass(&mut self, source: &str, line: Range<usize>, is_blank: bool) {
        self.text_end = (!is_blank).then_some(line.end);
        if is_blank {
            return;
        }
        // Lists that no text stands above are those of this one.
        for block in self.lists.iter_mut().rev() {
            if block.text_end.is_some() || block.text_start.is_some() {
                break;
            }
            let from = (line.start + block.column).min(line.end);
            let text = source.get(from..line.end).unwrap_or_default();
            block.text_start = Some(line.end - text.trim_start().len());
        }
    }

    /// Hands the lists to the blocks that they are for.
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

/// A line, and where it begins behind the marks of quotes.
pub(super) struct Line<'s> {
    pub(super) range: Range<usize>,
    /// What stands in it, without the blanks around and the marks of quotes.
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

/// Returns the lines of a source, without their ends.
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

/// Finds lines like `{.wide #id}` directly behind a block, as goldmark has them.
pub(super) fn find(marks: &mut Marks, survey: &Survey, found: &mut Found<'_>) {
    let mut lists = BlockLists::default();
    for line in lines(found.source) {
        let list = line
            .inner
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'))
            .filter(|_| lists.is_behind_text() && !survey.is_verbatim(line.range.start))
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
