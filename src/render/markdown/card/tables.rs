//! Finds tables that the parser does not see.
//!
//! Lines are a table wherever the second has a dash for each cell of the first, also behind a line of text, when the
//! first begins with a hash, and when the second has no pipe (Ghost 6.65, recorded). The parser wants a pipe at the
//! beginning of both.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::source::{INDENT_MAX, column, is_inline, is_inline_end, with_inserted};

/// Blanks at the ends of lines and cells.
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns where a pipe is missing at the beginning of a line of a table.
pub(super) fn missing_pipes(source: &str, options: Options) -> Vec<usize> {
    let may_have_table = (source.lines())
        .any(|line| delimiter_columns(line.trim_start_matches([' ', '\t', '>'])).is_some());
    if !may_have_table {
        return Vec::new();
    }
    let mut blocks = Blocks {
        source,
        start: None,
        is_heading: false,
        text: None,
        pipes: Vec::new(),
    };
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        blocks.add(&event, range);
    }
    effective(source, &blocks.pipes, options)
}

/// Returns those of `pipes` that make a table. A line that belongs to another block than the line above makes none.
fn effective(source: &str, pipes: &[usize], options: Options) -> Vec<usize> {
    if pipes.is_empty() {
        return Vec::new();
    }
    let inserted = with_inserted(source.into(), pipes, '|');
    let mut tables = Parser::new_ext(&inserted, options)
        .into_offset_iter()
        .filter_map(|(event, range)| matches!(event, Event::Start(Tag::Table(_))).then_some(range))
        .peekable();
    let is_effective = |&(index, pipe): &(usize, &usize)| {
        let place = pipe + index;
        while tables.next_if(|table| table.end <= place).is_some() {}
        tables.peek().is_some_and(|table| table.contains(&place))
    };
    (pipes.iter().enumerate())
        .filter(is_effective)
        .map(|(_, pipe)| *pipe)
        .collect()
}

/// Goes through all blocks of text.
struct Blocks<'a> {
    source: &'a str,
    /// Where the block begins; `None` in a list whose items are no paragraphs.
    start: Option<usize>,
    is_heading: bool,
    /// What was read of the block.
    text: Option<Range<usize>>,
    /// Where pipes are missing.
    pipes: Vec<usize>,
}

impl Blocks<'_> {
    fn add(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) if !is_inline(tag) => {
                self.end_block();
                self.is_heading = matches!(tag, Tag::Heading { .. });
                let is_block = self.is_heading || matches!(tag, Tag::Paragraph);
                self.start = is_block.then_some(range.start);
            }
            Event::End(tag) if !is_inline_end(tag) => self.end_block(),
            Event::Rule => self.end_block(),
            _ => {
                let start = self.text.as_ref().map_or(range.start, |text| text.start);
                self.text = Some(start..range.end);
            }
        }
    }
}

impl Blocks<'_> {
    /// Looks for the head of a table in the block that ends. All lines behind it are its rows.
    fn end_block(&mut self) {
        let Some(text) = self.text.take() else {
            return;
        };
        let start = self.start.unwrap_or(text.start);
        let indent_max = column(self.source, start) + INDENT_MAX;
        let mut head = start;
        while let Some(length) = memchr::memchr(b'\n', &self.source.as_bytes()[head..]) {
            let line = &self.source[head..head + length];
            let delimiters_start = self.line_start(head + length + 1);
            // What stands under a heading may be a line of dashes, which is no part of its text.
            if delimiters_start >= text.end && !self.is_heading {
                return;
            }
            let delimiters = self.source[delimiters_start..].lines().next();
            let is_head = delimiters
                .and_then(delimiter_columns)
                .is_some_and(|columns| head_columns(line) == Some(columns))
                && column(self.source, delimiters_start) <= indent_max
                && column(self.source, head) <= indent_max;
            if is_head {
                return self.add_table(head, delimiters_start);
            }
            if delimiters_start >= text.end {
                return;
            }
            head = delimiters_start;
        }
    }

    /// Where the content of the line begins that begins at `start`.
    fn line_start(&self, start: usize) -> usize {
        let content = self.source[start..].trim_start_matches([' ', '\t', '>']);
        self.source.len() - content.len()
    }

    /// Adds the pipes that the first two lines of a table lack.
    fn add_table(&mut self, head: usize, delimiters: usize) {
        // The first character of an item may be escaped; a table at its beginning is seen anyway.
        let is_escaped = self.source[..head].ends_with('\\');
        if !is_escaped && !self.source[head..].starts_with('|') {
            self.pipes.push(head);
        }
        if !self.source[delimiters..].starts_with('|') {
            self.pipes.push(delimiters);
        }
    }
}

/// Returns how many columns the head of a table has; `None` when it has no pipe.
fn head_columns(line: &str) -> Option<usize> {
    let line = line.trim_matches(BLANKS);
    let mut pipes = 0;
    let mut is_escaped = false;
    let mut ends_in_pipe = false;
    for byte in line.bytes() {
        ends_in_pipe = byte == b'|' && !is_escaped;
        pipes += usize::from(ends_in_pipe);
        is_escaped = byte == b'\\';
    }
    let edges = usize::from(line.starts_with('|')) + usize::from(ends_in_pipe);
    (pipes > 0).then(|| (pipes + 1).saturating_sub(edges))
}

/// Returns how many columns the line under the head of a table has; `None` when it is no such line.
fn delimiter_columns(line: &str) -> Option<usize> {
    // These begin items of lists.
    if line.starts_with("- ") || line.starts_with("-\t") {
        return None;
    }
    let line = line.trim_end_matches(BLANKS);
    let cells = line.strip_prefix('|').unwrap_or(line);
    let cells = cells.strip_suffix('|').unwrap_or(cells);
    cells
        .split('|')
        .all(is_delimiter)
        .then(|| cells.split('|').count())
}

/// Whether a cell consists of dashes, with a colon on either side or both.
fn is_delimiter(cell: &str) -> bool {
    let cell = cell.trim_matches(BLANKS);
    let dashes = cell.strip_prefix(':').unwrap_or(cell);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
}
