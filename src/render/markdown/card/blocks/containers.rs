//! Quotes and lists.

use super::super::lines::{self, Line, is_blank};
use super::{Block, BlockParser, Container, Ended};

/// Maximum number of digits of a list number.
const DIGITS_MAX: usize = 9;

/// Maximum number of columns between a marker and its text. After more columns, the text is indented
/// code.
const MARKER_GAP_MAX: isize = 4;

/// The marker of a list item.
pub(super) struct Marker {
    /// The byte offset after the marker.
    end: usize,
    /// The number; `None` for a bullet.
    number: Option<u32>,
}

impl BlockParser<'_> {
    pub(super) fn is_quote(&self, line: usize) -> bool {
        !self.is_code(line) && self.text(line).starts_with('>')
    }

    pub(super) fn quote(&mut self, start: usize, end: usize) -> bool {
        if !self.is_quote(start) {
            return false;
        }
        let lines_end = self.lines_end;
        let mut outer_lines = Vec::new();
        let quote_end = self.enter_quote(start, end, &mut outer_lines);
        let indent = std::mem::take(&mut self.indent);
        self.open(Container::Quote);
        self.parse_lines(start, quote_end);
        self.close(Container::Quote);
        self.indent = indent;
        self.lines_end = lines_end;
        // The content of the quote was parsed from shortened lines; the outer container needs the
        // original ones.
        for (number, line) in outer_lines {
            self.lines[number] = line;
        }
        true
    }

    /// Removes the markers of a quote from its lines. Adds the original lines that are changed to `outer_lines`.
    /// Returns the line after the quote.
    fn enter_quote(
        &mut self,
        start: usize,
        end: usize,
        outer_lines: &mut Vec<(usize, Line)>,
    ) -> usize {
        let mut is_last_empty = false;
        for number in start..end {
            let line = self.lines[number];
            if line.is_empty() {
                return number;
            }
            if line.indent >= self.indent && line.text(self.source).starts_with('>') {
                let inner = self.after_quote_marker(line);
                is_last_empty = inner.is_empty();
                outer_lines.push((number, line));
                self.lines[number] = inner;
                continue;
            }
            if is_last_empty {
                return number;
            }
            if self.ends(number, end, Ended::Quote) {
                // A paragraph of the quote does not continue at this line.
                self.lines_end = number;
                if self.indent != 0 {
                    outer_lines.push((number, line));
                    // The quote is parsed with an `indent` of zero, so the line moves to the left accordingly.
                    self.lines[number].indent -= self.indent;
                }
                return number;
            }
            if line.indent != -1 {
                outer_lines.push((number, line));
                self.lines[number].indent = -1;
            }
        }
        end
    }

    /// Returns a line without its `>` and one space after it.
    fn after_quote_marker(&self, line: Line) -> Line {
        let mut start = line.text + 1;
        let mut column = line.indent + 1;
        let blank = self.source.as_bytes().get(start);
        let has_blank = blank.is_some_and(|byte| is_blank(*byte));
        // A wider tab remains, but is one column narrower.
        let is_wide_tab = blank == Some(&b'\t') && (line.base + column) % lines::TAB_COLUMNS != 3;
        if has_blank && !is_wide_tab {
            start += 1;
            column += 1;
        }
        let base = line.base + isize::from(is_wide_tab);
        let (text, text_column) = lines::skip_blanks(self.source, start, line.end, column, base);
        Line {
            start,
            text,
            end: line.end,
            indent: text_column - column,
            base: line.indent + 1 + isize::from(has_blank),
        }
    }

    /// Returns the marker of the list that begins at a line. `ended` is the preceding block.
    pub(super) fn list_start(&self, line: usize, ended: Ended) -> Option<Marker> {
        let indent = self.lines[line].indent;
        if self.is_code(line) || self.continues_item(indent) {
            return None;
        }
        let marker = self.marker(line)?;
        if ended == Ended::Paragraph && indent >= self.indent {
            // A wrapped line of text may begin with a number or a dash (CommonMark, "List items").
            let first = marker.number.is_none_or(|number| number == 1);
            let content = &self.source[marker.end..self.lines[line].end];
            if !first || content.bytes().all(is_blank) {
                return None;
            }
        }
        Some(marker)
    }

    /// Returns whether text at this column continues a paragraph of the innermost item, although it is to the left of
    /// the item.
    fn continues_item(&self, indent: isize) -> bool {
        // Recorded: `list/fourth-level-is-text`, in which each item begins one column further.
        indent < self.indent
            && (self.list_indent).is_some_and(|list| indent - list >= lines::TAB_COLUMNS)
    }

    /// Returns the marker at the beginning of a line.
    fn marker(&self, line: usize) -> Option<Marker> {
        let text = self.text(line);
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number = match digits {
            0 => None,
            // Larger numbers overflow in some browsers (CommonMark, "List items").
            1..=DIGITS_MAX => Some(text[..digits].parse().ok()?),
            _ => return None,
        };
        let (mark, after) = text.as_bytes()[digits..].split_first()?;
        let is_mark = match number {
            None => matches!(mark, b'*' | b'-' | b'+'),
            Some(_) => matches!(mark, b'.' | b')'),
        };
        let is_marker = is_mark && after.first().is_none_or(|byte| is_blank(*byte));
        is_marker.then(|| Marker {
            end: self.lines[line].text + digits + 1,
            number,
        })
    }

    pub(super) fn list(&mut self, start: usize, end: usize) -> bool {
        // The preceding block is not a paragraph, so any marker begins a list.
        let Some(mut marker) = self.list_start(start, Ended::Definition) else {
            return false;
        };
        let mark = self.source.as_bytes()[marker.end - 1];
        let container = match marker.number {
            None => Container::BulletList,
            Some(number) => Container::NumberedList(number),
        };
        let first_block = self.blocks.len();
        self.open(container);
        let mut line = start;
        let mut is_tight = true;
        let mut ended_empty = false;
        loop {
            is_tight &= self.item(line, end, marker.end) && !ended_empty;
            // An empty line at the end of an item counts only if another item follows.
            ended_empty = self.line - line > 1 && self.lines[self.line - 1].is_empty();
            line = self.line;
            match self.next_marker(line, end, mark) {
                Some(next) if next.number.is_some() == marker.number.is_some() => marker = next,
                _ => break,
            }
        }
        self.close(container);
        self.line = line;
        if is_tight {
            self.tighten(first_block);
        }
        true
    }

    /// Returns the marker of the next item of a list whose markers end in `mark`.
    fn next_marker(&self, line: usize, end: usize, mark: u8) -> Option<Marker> {
        if line >= end
            || self.lines[line].indent < self.indent
            || self.is_code(line)
            || self.ends(line, end, Ended::List)
        {
            return None;
        }
        let marker = self.marker(line)?;
        (self.source.as_bytes()[marker.end - 1] == mark).then_some(marker)
    }

    /// Parses an item whose marker ends at `marker_end`. Returns whether no empty line separates its blocks.
    fn item(&mut self, start: usize, end: usize, marker_end: usize) -> bool {
        let line = self.lines[start];
        let marker_columns = isize::try_from(marker_end - line.text).unwrap_or(isize::MAX);
        let marker_column = line.indent + marker_columns;
        let (text, column) =
            lines::skip_blanks(self.source, marker_end, line.end, marker_column, line.base);
        let gap = column - marker_column;
        let is_empty = text >= line.end;
        let gap = if is_empty || gap > MARKER_GAP_MAX {
            1
        } else {
            gap
        };
        self.open(Container::Item);
        let list_indent = self.list_indent.replace(self.indent);
        let outer_indent = std::mem::replace(&mut self.indent, marker_column + gap);
        let was_tight = std::mem::replace(&mut self.is_tight, true);
        self.lines[start].text = text;
        self.lines[start].indent = column;
        // An empty line follows the last one, so the index always exists.
        if is_empty && self.lines[start + 1].is_empty() {
            // A line after an empty item and an empty line is not part of the item.
            self.line = (start + 2).min(end);
        } else {
            self.parse_lines(start, end);
        }
        self.lines[start].text = line.text;
        self.lines[start].indent = line.indent;
        self.indent = outer_indent;
        self.list_indent = list_indent;
        self.close(Container::Item);
        std::mem::replace(&mut self.is_tight, was_tight)
    }

    /// Replaces the paragraphs directly in a list's items by text.
    fn tighten(&mut self, first_block: usize) {
        // The list and the item are one level each; deeper paragraphs belong to inner lists.
        let item_level = self.level + 2;
        for block in &mut self.blocks[first_block..] {
            if let Block::Paragraph {
                level, is_tight, ..
            } = block
                && *level == item_level
            {
                *is_tight = true;
            }
        }
    }
}
