//! The lines of a Markdown card, as seen by the container that is being parsed.

use std::borrow::Cow;

/// Columns between tab stops.
pub(super) const TAB_COLUMNS: isize = 4;

/// A line. While the content of a container is parsed, the start of its lines is after the container's marker.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// The byte offset of its start in the source.
    pub(super) start: usize,
    /// The byte offset of its first character that is not blank.
    pub(super) text: usize,
    /// The byte offset of its line feed.
    pub(super) end: usize,
    /// Columns from the beginning to the text; negative in a line that only continues a paragraph of a quote.
    pub(super) indent: isize,
    /// Columns before the start, which affect tab stops.
    pub(super) base: isize,
}

/// Returns the lines of `source`, followed by an empty one. White space after the last line feed is not a line.
pub(super) fn split(source: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < source.len() {
        let length = memchr::memchr(b'\n', &source.as_bytes()[start..]);
        let end = length.map_or(source.len(), |length| start + length);
        let (text, indent) = skip_blanks(source, start, end, 0, 0);
        if length.is_none() && text == end {
            break;
        }
        lines.push(Line {
            start,
            text,
            end,
            indent,
            base: 0,
        });
        start = end + 1;
    }
    lines.push(Line {
        start: source.len(),
        text: source.len(),
        end: source.len(),
        indent: 0,
        base: 0,
    });
    lines
}

/// Returns the position of the first character at or after `start` that is not blank, and its column. The column at
/// `start` is `column`. Tab stops are counted from `base` columns further to the left.
pub(super) fn skip_blanks(
    source: &str,
    start: usize,
    end: usize,
    mut column: isize,
    base: isize,
) -> (usize, isize) {
    let blanks = source.as_bytes()[start..end].iter();
    let mut position = start;
    for blank in blanks.take_while(|byte| is_blank(**byte)) {
        column += match blank {
            b'\t' => TAB_COLUMNS - (column + base) % TAB_COLUMNS,
            _ => 1,
        };
        position += 1;
    }
    (position, column)
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.text >= self.end
    }

    /// Returns the text of the line, including white space at its end.
    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.text..self.end).unwrap_or("")
    }

    /// Returns the position after at most `indent` columns, and the number of columns by which a tab extends beyond
    /// them.
    fn after_indent(&self, source: &str, indent: isize) -> (usize, usize) {
        let mut column = 0;
        let mut position = self.start;
        let bytes = source.as_bytes();
        while column < indent
            && let Some(byte) = bytes.get(position)
        {
            match byte {
                b'\t' => column += TAB_COLUMNS - (column + self.base) % TAB_COLUMNS,
                // The markers of containers count like spaces.
                b' ' => column += 1,
                _ if position < self.text => column += 1,
                _ => break,
            }
            position += 1;
        }
        (position, usize::try_from(column - indent).unwrap_or(0))
    }
}

/// Returns `lines`, joined by line feeds, without `indent` columns of each. If `has_end`, the last line feed is
/// included.
pub(super) fn joined<'a>(
    source: &'a str,
    lines: &[Line],
    indent: isize,
    has_end: bool,
) -> Cow<'a, str> {
    let mut joined = Cow::Borrowed("");
    // The range of the joined text, as long as it is contiguous in the source.
    let mut range = None;
    for (index, line) in lines.iter().enumerate() {
        let (start, spaces) = line.after_indent(source, indent);
        let has_line_feed = index + 1 < lines.len() || has_end;
        let end = (line.end + usize::from(has_line_feed)).min(source.len());
        let start = start.min(end);
        match range {
            None if index == 0 && spaces == 0 => {
                range = Some((start, end));
                joined = Cow::Borrowed(&source[start..end]);
            }
            Some((first, last)) if last == start && spaces == 0 => {
                range = Some((first, end));
                joined = Cow::Borrowed(&source[first..end]);
            }
            _ => {
                range = None;
                let joined = joined.to_mut();
                joined.extend(std::iter::repeat_n(' ', spaces));
                joined.push_str(&source[start..end]);
            }
        }
    }
    joined
}
