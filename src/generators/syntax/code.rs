//! Finds code in Markdown: fenced blocks and spans.

use std::{collections::HashSet, ops::Range};

/// Maximum length of an HTML comment, in bytes. The lines of a longer comment are treated as text.
const COMMENT_BYTES_MAX: usize = 2_000;

/// The ranges of code in a text, in order.
pub struct Code {
    ranges: Vec<Range<usize>>,
}

impl Code {
    /// Finds code. Indented code is ignored, because indented text is more often part of a list.
    pub fn of(text: &str) -> Self {
        Self::found(text, 0, false)
    }

    /// Finds code and multi-line HTML comments. Generators that parse Markdown first expand nothing in either.
    pub fn and_comments(text: &str) -> Self {
        Self::found(text, 0, true)
    }

    /// Finds code and comments from the byte `start` on. A line must begin there, outside of code and comments.
    pub fn and_comments_after(text: &str, start: usize) -> Self {
        Self::found(text, start, true)
    }

    fn found(text: &str, start: usize, has_comments: bool) -> Self {
        let mut ranges = Vec::new();
        let mut offset = start;
        let mut paragraph = start;
        while offset < text.len() {
            let line_end = line_end(text, offset);
            let line = &text[offset..line_end];
            if let Some(length) = comment_length(&text[offset..]) {
                let end = offset + length;
                if has_comments {
                    spans(text, paragraph..offset, &mut ranges);
                    ranges.push(offset..end);
                } else {
                    // Templates are expanded in these comments, so code spans in them count.
                    spans(text, paragraph..end, &mut ranges);
                }
                offset = end;
                paragraph = end;
            } else if let Some(length) = fence_length(&text[offset..]) {
                spans(text, paragraph..offset, &mut ranges);
                ranges.push(offset..offset + length);
                offset += length;
                paragraph = offset;
            } else {
                if line.trim().is_empty() {
                    spans(text, paragraph..offset, &mut ranges);
                    paragraph = line_end;
                }
                offset = line_end;
            }
        }
        spans(text, paragraph..text.len(), &mut ranges);
        Self { ranges }
    }

    /// Returns the code that contains the byte `offset`.
    pub fn at(&self, offset: usize) -> Option<&Range<usize>> {
        // The ranges are in order and do not overlap, so a binary search is enough.
        let next = self.ranges.partition_point(|range| range.end <= offset);
        self.ranges.get(next).filter(|range| range.start <= offset)
    }
}

/// Returns the end of the line that contains the byte `offset`, after its line break.
pub fn line_end(text: &str, offset: usize) -> usize {
    text[offset..]
        .find('\n')
        .map_or(text.len(), |found| offset + found + 1)
}

/// Returns whether a line without its indentation is a list item.
pub fn is_item(content: &str) -> bool {
    let digits = content.trim_start_matches(|character: char| character.is_ascii_digit());
    let rest = match content.len() - digits.len() {
        0 => content.strip_prefix(['-', '*', '+']),
        _ => digits.strip_prefix('.'),
    };
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// A part of a text: a line, or all lines of fenced code or an HTML comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPart<'t> {
    /// The byte offset of the part in the text.
    pub start: usize,
    /// The lines of the part, with their line breaks.
    pub text: &'t str,
    /// Whether the part is fenced code or a multi-line HTML comment.
    pub is_code: bool,
}

impl TextPart<'_> {
    /// Returns the byte offset of the end of the part.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits a text into lines, with fenced code and HTML comments as whole parts.
pub struct TextParts<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> TextParts<'t> {
    pub fn of(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    /// Continues at the byte `start`, which may be within a line.
    pub fn continue_at(&mut self, start: usize) {
        self.offset = start;
    }

    /// Returns the next line, even if fenced code begins with it.
    pub fn next_line(&mut self) -> Option<TextPart<'t>> {
        let end = line_end(self.text, self.offset);
        self.part_to(end, false)
    }

    fn part_to(&mut self, end: usize, is_code: bool) -> Option<TextPart<'t>> {
        let start = std::mem::replace(&mut self.offset, end);
        let text = &self.text[start..end];
        let part = TextPart {
            start,
            text,
            is_code,
        };
        (!text.is_empty()).then_some(part)
    }
}

impl<'t> Iterator for TextParts<'t> {
    type Item = TextPart<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        match verbatim_length(&self.text[self.offset..]) {
            Some(length) => self.part_to(self.offset + length, true),
            None => self.next_line(),
        }
    }
}

/// Returns the length of the container prefixes of a line, in bytes: spaces, quote markers and list markers.
pub fn container_length(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut offset = 0;
    loop {
        match bytes.get(offset) {
            Some(b' ' | b'\t' | b'>') => offset += 1,
            Some(b'-' | b'*' | b'+') if matches!(bytes.get(offset + 1), Some(b' ' | b'\t')) => {
                offset += 2;
            }
            Some(b'0'..=b'9') => {
                let digits = bytes[offset..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                let after = offset + digits;
                // CommonMark limits the number of an item to nine digits.
                let is_mark = digits <= 9
                    && matches!(bytes.get(after), Some(b'.' | b')'))
                    && matches!(bytes.get(after + 1), Some(b' ' | b'\t'));
                if !is_mark {
                    return offset;
                }
                offset = after + 2;
            }
            _ => return offset,
        }
    }
}

/// Returns whether a paragraph ends before `after`, which is empty or begins with the end of a line and a blank line.
pub fn ends_paragraph(after: &str) -> bool {
    let blank = [' ', '\t', '\r'];
    let after = after.trim_start_matches(blank);
    let next = after
        .strip_prefix('\n')
        .map(|next| next.trim_start_matches(blank));
    after.is_empty() || next.is_some_and(|next| next.is_empty() || next.starts_with('\n'))
}

/// Returns the length of leading fenced code, or of a leading multi-line HTML comment, in bytes. Lines in either do not open
/// blocks.
pub fn verbatim_length(text: &str) -> Option<usize> {
    comment_length(text).or_else(|| fence_length(text))
}

/// Returns the length of the lines of a leading HTML comment, in bytes; `None` if it ends on its first line or not at all.
fn comment_length(text: &str) -> Option<usize> {
    let first = &text[..line_end(text, 0)];
    let start = container_length(first);
    if !first[start..].starts_with("<!--") || first[start..].contains("-->") {
        return None;
    }
    let rest = &text[first.len()..];
    let end = rest[..rest.floor_char_boundary(COMMENT_BYTES_MAX)].find("-->")?;
    Some(line_end(text, first.len() + end))
}

/// Returns the length of leading fenced code, in bytes. Unclosed code extends to the end.
pub fn fence_length(text: &str) -> Option<usize> {
    let first_end = line_end(text, 0);
    let (mark, count) = fence_mark(&text[..first_end])?;
    let mut length = first_end;
    while length < text.len() {
        let end = line_end(text, length);
        let is_end = is_fence_end(&text[length..end], mark, count);
        length = end;
        if is_end {
            break;
        }
    }
    Some(length)
}

/// Returns the character and the length of the fence that a line opens.
pub fn fence_mark(line: &str) -> Option<(char, usize)> {
    let content = &line[container_length(line)..];
    let mark = content.chars().next().filter(|mark| "`~".contains(*mark))?;
    let rest = content.trim_start_matches(mark);
    let count = content.len() - rest.len();
    // Backticks after an opening fence of backticks make it a code
    // span (CommonMark 0.31, section 4.5).
    (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, count))
}

fn is_fence_end(line: &str, mark: char, count: usize) -> bool {
    let content = line.trim_start_matches([' ', '\t', '>']).trim_end();
    content.len() >= count && content.trim_start_matches(mark).is_empty()
}

/// Finds code spans in a paragraph.
fn spans(text: &str, paragraph: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    // The lengths of runs without a partner are remembered, so that a paragraph
    // of single backticks takes linear time.
    let mut missing = HashSet::new();
    let mut offset = paragraph.start;
    // A code span may not extend over a blank line, so each paragraph is searched alone.
    while let Some(found) = text[offset..paragraph.end].find(['`', '\\']) {
        let start = offset + found;
        if text.as_bytes()[start] == b'\\' {
            let escaped = text[start + 1..].chars().next();
            offset = (start + 1 + escaped.map_or(0, char::len_utf8)).min(paragraph.end);
            continue;
        }
        let count = run(&text[start..paragraph.end]);
        offset = start + count;
        if missing.contains(&count) {
            continue;
        }
        match span_end(&text[..paragraph.end], offset, count) {
            Some(end) => {
                ranges.push(start..end);
                offset = end;
            }
            None => {
                missing.insert(count);
            }
        }
    }
}

/// Returns the end of the span whose opening run of `count` backticks ends at `offset`.
fn span_end(text: &str, mut offset: usize, count: usize) -> Option<usize> {
    while let Some(found) = text[offset..].find('`') {
        let start = offset + found;
        let length = run(&text[start..]);
        offset = start + length;
        if length == count {
            return Some(offset);
        }
    }
    None
}

fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_by_lines_and_fences() {
        let parts: Vec<(&str, bool)> = TextParts::of("a\n```\nb\n```\n\nc")
            .map(|part| (part.text, part.is_code))
            .collect();
        assert_eq!(
            parts,
            [
                ("a\n", false),
                ("```\nb\n```\n", true),
                ("\n", false),
                ("c", false)
            ]
        );
        let mut parts = TextParts::of("```\nb\n```\nc");
        assert_eq!(parts.next_line().map(|part| part.text), Some("```\n"));
        parts.continue_at(10);
        assert_eq!(parts.next().map(|part| part.start), Some(10));
        assert_eq!(parts.next(), None);
    }

    #[test]
    fn fences_in_comments_are_not_code() {
        let text = "<!-- ```sh\na\n``` -->\nb\n<!-- c -->\n> <!--\n> d -->\n<!-- e\n";
        let parts: Vec<(&str, bool)> = TextParts::of(text)
            .map(|part| (part.text, part.is_code))
            .collect();
        assert_eq!(
            parts,
            [
                ("<!-- ```sh\na\n``` -->\n", true),
                ("b\n", false),
                ("<!-- c -->\n", false),
                ("> <!--\n> d -->\n", true),
                ("<!-- e\n", false),
            ]
        );
        let text = "<!--\n```\n-->\n`a`\n";
        let ranges = Code::of(text).ranges;
        assert_eq!((ranges.len(), ranges.first()), (1, Some(&(13..16))));
        let ranges = Code::and_comments(text).ranges;
        assert_eq!(ranges, [0..13, 13..16]);
    }

    #[test]
    fn fences_and_spans_are_code() {
        for (text, expected) in [
            ("a `b` ``c ` d`` \\`e", vec!["`b`", "``c ` d``"]),
            ("a ` b\n\nc ` d", vec![]),
            ("a\n```js\n`x\n```\nb", vec!["```js\n`x\n```\n"]),
            (
                "- ~~~\n  x\n  ~~~\n\n> ```\n> y",
                vec!["- ~~~\n  x\n  ~~~\n", "> ```\n> y"],
            ),
            ("``` a`b\nc", vec![]),
        ] {
            let found: Vec<&str> = Code::of(text)
                .ranges
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
