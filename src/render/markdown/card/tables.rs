//! Detection of tables that the parser does not recognise.
//!
//! Lines are a table if the second one has dashes for each cell of the first, also after a line of
//! text, if the first one begins with a hash, and if the second one has no pipe (Ghost 6.65,
//! recorded). The parser requires a leading pipe in both.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::source_lines::{INDENT_MAX, column, is_inline, is_inline_end, with_inserted};

/// White space at the ends of lines and cells.
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the positions of missing pipes at the beginning of table rows.
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
    // Blocks of lists whose items are not paragraphs do not come in the order of the source.
    blocks.pipes.sort_unstable();
    blocks.pipes.dedup();
    effective(source, &blocks.pipes, options)
}

/// Returns those of `pipes` that make a table. A line in a different block than the line above
/// makes none.
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
        let position = pipe + index;
        while tables.next_if(|table| table.end <= position).is_some() {}
        tables.peek().is_some_and(|table| table.contains(&position))
    };
    (pipes.iter().enumerate())
        .filter(is_effective)
        .map(|(_, pipe)| *pipe)
        .collect()
}

/// Visits all text blocks.
struct Blocks<'a> {
    source: &'a str,
    /// The start of the block; `None` in a list whose items are not paragraphs.
    start: Option<usize>,
    is_heading: bool,
    /// The range of the block read so far.
    text: Option<Range<usize>>,
    /// The positions of missing pipes.
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
    /// Searches the block that ends for the header of a table. All following lines are its rows.
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
            // A delimiter row may follow a heading, outside of its text.
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

    /// Returns the position of the content of the line at `start`.
    fn line_start(&self, start: usize) -> usize {
        let content = self.source[start..].trim_start_matches([' ', '\t', '>']);
        self.source.len() - content.len()
    }

    /// Adds the missing pipes of the first two lines of a table.
    fn add_table(&mut self, head: usize, delimiters: usize) {
        // The first character of an item may be escaped; a table at its beginning is recognised
        // anyway.
        let is_escaped = self.source[..head].ends_with('\\');
        if !is_escaped && !self.source[head..].starts_with('|') {
            self.pipes.push(head);
        }
        if !self.source[delimiters..].starts_with('|') {
            self.pipes.push(delimiters);
        }
    }
}

/// Returns the number of columns of a table header; `None` if it has no pipe.
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

/// Returns the number of columns of a delimiter row; `None` if the line is not one.
fn delimiter_columns(line: &str) -> Option<usize> {
    // These begin list items.
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

/// Returns whether a cell consists of dashes, with optional colons at its ends.
fn is_delimiter(cell: &str) -> bool {
    let cell = cell.trim_matches(BLANKS);
    let dashes = cell.strip_prefix(':').unwrap_or(cell);
    let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
    !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
}
