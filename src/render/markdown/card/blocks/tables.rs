//! Tables (GitHub Flavored Markdown, "Tables").

use std::borrow::Cow;

use super::{Block, BlockParser, Ended};
use crate::render::heading_id::is_blank;

/// Maximum number of cells that are added to the short rows of a table. The table ends before the row
/// that exceeds it.
const ADDED_CELLS_MAX: usize = 1 << 16;

/// The alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Alignment {
    None,
    Left,
    Center,
    Right,
}

impl<'a> BlockParser<'a> {
    pub(super) fn table(&mut self, start: usize, end: usize) -> bool {
        let Some(alignments) = self.table_head(start, end) else {
            return false;
        };
        let columns = alignments.len();
        self.blocks.push(Block::Table(alignments));
        self.blocks.push(Block::Row(cells(self.text(start))));
        let mut added = 0_usize;
        let mut line = start + 2;
        while line < end && self.is_row(line, end) {
            let mut row = cells(self.text(line));
            // Rows with more cells than columns compensate for short rows.
            added = (added + columns).saturating_sub(row.len());
            // Without a limit, a wide header and many short rows would produce HTML of quadratic
            // length.
            if added > ADDED_CELLS_MAX {
                break;
            }
            row.truncate(columns);
            self.blocks.push(Block::Row(row));
            line += 1;
        }
        self.line = line;
        self.blocks.push(Block::TableEnd);
        true
    }

    fn is_row(&self, line: usize, end: usize) -> bool {
        self.lines[line].indent >= self.indent
            && !self.is_code(line)
            && !self.text(line).trim_matches(is_blank).is_empty()
            && !self.ends(line, end, Ended::Table)
    }

    /// Returns the alignments of the columns if the line is the header row of a table.
    pub(super) fn table_head(&self, line: usize, end: usize) -> Option<Vec<Alignment>> {
        let delimiters = line + 1;
        if delimiters >= end
            || self.lines[delimiters].indent < self.indent
            || self.is_code(delimiters)
        {
            return None;
        }
        let text = self.text(delimiters);
        // A dash followed by white space begins a list.
        let is_delimiters = text.len() > 1
            && text.starts_with(['|', '-', ':'])
            && !text.starts_with("- ")
            && !text.starts_with("-\t")
            && text.bytes().all(|byte| b"|-: \t".contains(&byte));
        // Without a pipe, the dash underlines a heading (recorded:
        // `table/one-column-without-pipe`).
        if !is_delimiters || self.is_code(line) || !self.text(line).contains('|') {
            return None;
        }
        let alignments = alignments(text)?;
        let is_head = !alignments.is_empty() && cells(self.text(line)).len() == alignments.len();
        is_head.then_some(alignments)
    }
}

/// Returns the alignments in a delimiter row. Only the first and the last cell may be empty.
fn alignments(text: &str) -> Option<Vec<Alignment>> {
    let last = text.matches('|').count();
    let mut alignments = Vec::new();
    for (index, cell) in text.split('|').enumerate() {
        let cell = cell.trim_matches([' ', '\t']);
        if cell.is_empty() && (index == 0 || index == last) {
            continue;
        }
        let dashes = cell.strip_prefix(':').unwrap_or(cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        if dashes.is_empty() || !dashes.bytes().all(|byte| byte == b'-') {
            return None;
        }
        alignments.push(match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Alignment::Center,
            (true, false) => Alignment::Left,
            (false, true) => Alignment::Right,
            (false, false) => Alignment::None,
        });
    }
    Some(alignments)
}

/// Returns the cells of a row. A pipe after a backslash is text.
fn cells(text: &str) -> Vec<Cow<'_, str>> {
    let text = text.trim_matches(is_blank);
    let bytes = text.as_bytes();
    let mut cells = Vec::new();
    let mut cell = Cow::Borrowed("");
    let mut start = 0;
    for pipe in memchr::memchr_iter(b'|', bytes).chain([text.len()]) {
        let is_escaped = pipe < text.len() && pipe > 0 && bytes[pipe - 1] == b'\\';
        let end = pipe - usize::from(is_escaped);
        if cell.is_empty() {
            cell = Cow::Borrowed(&text[start..end]);
        } else {
            cell.to_mut().push_str(&text[start..end]);
        }
        if is_escaped {
            start = pipe;
            continue;
        }
        start = pipe + 1;
        cells.push(std::mem::take(&mut cell));
    }
    if cells.first().is_some_and(|cell| cell.is_empty()) {
        cells.remove(0);
    }
    if cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    cells.into_iter().map(trimmed).collect()
}

fn trimmed(cell: Cow<'_, str>) -> Cow<'_, str> {
    match cell {
        Cow::Borrowed(cell) => Cow::Borrowed(cell.trim_matches(is_blank)),
        Cow::Owned(cell) => Cow::Owned(cell.trim_matches(is_blank).to_owned()),
    }
}
