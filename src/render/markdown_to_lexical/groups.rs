//! Groups blocks. An element of raw HTML may begin in one block and end in a later one, with
//! Markdown between them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::render::html_escape;
use crate::render::html_scan::{Token, tokens};
use crate::render::markdown::{Block, BlockWithRange};

/// Elements whose end tags are optional or do not exist.
const ENDED_BY_THEMSELVES: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead",
    "tbody", "tfoot", "rt", "rp", "html", "head", "body",
];

/// The starts of comments that begin and end a group.
const COMMENTS: [(&str, &str); 2] = [
    ("<!--kg-gated-block:begin", "<!--kg-gated-block:end"),
    ("<!--kg-card-begin", "<!--kg-card-end"),
];

/// Blocks that are converted together.
pub(super) struct Group<'a> {
    /// The HTML of the blocks.
    pub html: Cow<'a, str>,
    /// The language and the text, if the group is a code block.
    pub code: Option<(&'a str, &'a str)>,
    /// The range of the blocks in the source; `None` if it is empty.
    pub range: Option<Range<usize>>,
    /// The end of the blocks in the source.
    pub end: usize,
    /// True if the group begins with raw HTML.
    pub is_raw: bool,
    /// The number of blocks.
    pub blocks: usize,
}

/// Returns the groups of a document in order.
pub(super) fn of(blocks: &[BlockWithRange]) -> Vec<Group<'_>> {
    let ends = ends(blocks);
    let mut groups = Vec::new();
    let mut first = 0;
    while first < blocks.len() {
        let mut last = ends[first];
        // An element that begins in the group may end after it.
        let mut index = first;
        while index < last {
            index += 1;
            last = last.max(ends[index]);
        }
        groups.push(group(&blocks[first..=last]));
        first = last + 1;
    }
    groups
}

fn group(blocks: &[BlockWithRange]) -> Group<'_> {
    let (first, last) = (&blocks[0], &blocks[blocks.len() - 1]);
    let range = first.range.start..last.range.end;
    let range = Some(range).filter(|range| !range.is_empty());
    let end = last.end;
    if let [BlockWithRange { block, is_raw, .. }] = blocks {
        let code = match block {
            Block::Code { language, code, .. } => Some((language.as_str(), code.as_str())),
            Block::Html(_) => None,
        };
        return Group {
            html: html(block),
            code,
            range,
            end,
            is_raw: *is_raw,
            blocks: 1,
        };
    }
    Group {
        html: Cow::Owned(
            blocks
                .iter()
                .map(|with_range| html(&with_range.block))
                .collect(),
        ),
        code: None,
        range,
        end,
        is_raw: first.is_raw,
        blocks: blocks.len(),
    }
}

fn html(block: &Block) -> Cow<'_, str> {
    match block {
        Block::Html(html) => Cow::Borrowed(html),
        Block::Code { language, code, .. } => {
            let mut html = String::from("<pre><code");
            if !language.is_empty() {
                html_escape::push_attribute(&mut html, "class", &format!("language-{language}"));
            }
            html.push('>');
            html_escape::push_text(&mut html, code);
            html.push_str("\n</code></pre>\n");
            Cow::Owned(html)
        }
    }
}

/// Returns for each block the index of the last block in which one of its elements ends.
fn ends(blocks: &[BlockWithRange]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..blocks.len()).collect();
    let mut open = OpenElements::default();
    for (index, with_range) in blocks.iter().enumerate() {
        let Block::Html(html) = &with_range.block else {
            continue;
        };
        if with_range.is_raw {
            open.read(html, index, |begun, ended| ends[begun] = ended);
        }
    }
    ends
}

/// The open elements, each with the index of its block.
#[derive(Default)]
struct OpenElements {
    stack: Vec<(String, usize)>,
    /// The number of open elements of each name.
    counts: HashMap<String, usize>,
    /// True if an end tag has no matching start tag.
    ends_others: bool,
    /// True if elements overlap.
    is_crossed: bool,
}

impl OpenElements {
    /// Parses raw HTML, the content of the block at `index`. Calls `ended` with the indices of the
    /// blocks in which an element begins and ends.
    fn read(&mut self, html: &str, index: usize, mut ended: impl FnMut(usize, usize)) {
        for token in tokens(html) {
            match token {
                Token::Start(tag) => self.push(tag.name.to_ascii_lowercase(), index),
                Token::End(name) => match self.pop(&name.to_ascii_lowercase()) {
                    Some(begun) => ended(begun, index),
                    None => self.ends_others |= !is_ended_by_itself(name),
                },
                Token::Text(_) | Token::RawText(_) | Token::Other => {}
            }
        }
        for (begin, end) in COMMENTS {
            // Pairs within the block cancel out; only the surplus begins or ends a group.
            let [begun, over] = [begin, end].map(|mark| html.matches(mark).count());
            (over..begun).for_each(|_| self.push(begin.to_owned(), index));
            for _ in begun..over {
                if let Some(begun) = self.pop(begin) {
                    ended(begun, index);
                }
            }
        }
    }

    fn push(&mut self, name: String, index: usize) {
        if !is_ended_by_itself(&name) {
            *self.counts.entry(name.clone()).or_default() += 1;
            self.stack.push((name, index));
        }
    }

    /// Closes the innermost element with this name, and the elements inside it. Returns the index
    /// of the block in which it begins.
    fn pop(&mut self, name: &str) -> Option<usize> {
        // Without the counts, an end tag without a start would close every open element.
        if self.counts.get(name).is_none_or(|count| *count == 0) {
            return None;
        }
        while let Some((ended, index)) = self.stack.pop() {
            if let Some(count) = self.counts.get_mut(&ended) {
                *count -= 1;
            }
            if ended == name {
                return Some(index);
            }
            self.is_crossed = true;
        }
        None
    }
}

fn is_ended_by_itself(name: &str) -> bool {
    ENDED_BY_THEMSELVES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// The tags of raw HTML.
pub(super) struct RawTags(OpenElements);

impl RawTags {
    pub(super) fn of(html: &str) -> Self {
        let mut open = OpenElements::default();
        open.read(html, 0, |_, _| {});
        Self(open)
    }

    /// Returns whether start and end tags are balanced.
    pub(super) fn are_balanced(&self) -> bool {
        self.0.stack.is_empty() && !self.0.ends_others && !self.0.is_crossed
    }
}
