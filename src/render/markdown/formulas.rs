//! Formulas in a source, recognised by the marks and rules of the dialect.

use std::ops::Range;

use super::{
    edit::Edit,
    line_ends::{line_end, line_start},
    math::{Math, MathBlocks},
    survey::{Survey, TextPart},
};

/// Longest formula across blocks, such as lines that look like list items, in bytes.
const BLOCK_BYTES_MAX: usize = 20_000;

/// Maximum length of white space and of quote and list marks before a formula in its line, in bytes.
const PREFIX_BYTES_MAX: usize = 200;

/// Longest formula within a line, in bytes.
const INLINE_BYTES_MAX: usize = 1000;

/// A formula.
pub(super) struct Formula {
    /// Its byte range, including its marks.
    pub(super) range: Range<usize>,
    /// True if the formula is a block.
    pub(super) is_block: bool,
}

/// The start of a potential formula, which may extend to the end of the source.
#[derive(Clone, Copy)]
struct Opening<'a> {
    source: &'a str,
    survey: &'a Survey,
    /// The index of the part of the text that contains the mark.
    index: usize,
    start: usize,
    /// The mark that ends the formula.
    close: &'static str,
}

/// Returns the formulas of a source, in order.
pub(super) fn find(source: &str, survey: &Survey, math: Math) -> Vec<Formula> {
    let mut formulas = Vec::new();
    let mut end = 0;
    for (index, piece) in survey.pieces.iter().enumerate() {
        let at = |start, close| Opening {
            source,
            survey,
            index,
            start,
            close,
        };
        // If a backslash escapes a bracket, the parser's text begins at the bracket.
        if let Some(mark) = escaped_mark(source, piece).filter(|start| *start >= end) {
            let formula = match source.as_bytes()[mark + 1] {
                b'[' if math.brackets => at(mark, "\\]").block(math.blocks),
                b'(' if math.parentheses => at(mark, "\\)").in_block(),
                _ => None,
            };
            if let Some(formula) = formula {
                end = formula.range.end;
                formulas.push(formula);
            }
        }
        let mut position = piece.range.start.max(end);
        while position < piece.range.end {
            let rest = &source.as_bytes()[position..piece.range.end];
            let Some(offset) = memchr::memchr(b'$', rest) else {
                break;
            };
            let start = position + offset;
            let is_display = source[start..piece.range.end].starts_with("$$");
            position = start + if is_display { 2 } else { 1 };
            let formula = match is_display {
                true if math.double_dollars => at(start, "$$").block(math.blocks),
                false if math.dollars => at(start, "$").dollars(),
                _ => None,
            };
            if let Some(formula) = formula {
                end = formula.range.end;
                position = end;
                formulas.push(formula);
            }
        }
    }
    formulas
}

/// Returns the byte offset of `\[` or `\(` directly before a part of the text.
fn escaped_mark(source: &str, piece: &TextPart) -> Option<usize> {
    let start = piece.range.start.checked_sub(2)?;
    let mark = source.as_bytes().get(start..start + 2)?;
    matches!(mark, b"\\[" | b"\\(").then_some(start)
}

impl<'a> Opening<'a> {
    fn piece(&self) -> &'a TextPart {
        &self.survey.pieces[self.index]
    }

    fn formula(&self, end: usize, is_block: bool) -> Formula {
        Formula {
            range: self.start..end,
            is_block,
        }
    }

    /// Returns the byte offset after the opening mark.
    fn inner_start(&self) -> usize {
        self.start + self.close.len()
    }

    /// Returns the formula `$$…$$` or `\[…\]`.
    fn block(self, blocks: MathBlocks) -> Option<Formula> {
        match blocks {
            MathBlocks::Paragraphs => return self.paragraph(false),
            MathBlocks::Kramdown => {
                // kramdown 2.4 (tests/it/sources/formulas.rs): a block may contain blank lines; any
                // other `$$…$$` is part of a line.
                let block = self.paragraph(true);
                if block.is_some() {
                    return block;
                }
            }
            MathBlocks::Lines => {
                let block = self.lines(|line| line.ends_with(self.close));
                if block.is_some() {
                    return block;
                }
            }
            MathBlocks::Fences => {
                let block = self.lines(|line| line == self.close);
                // remark-math 6 (tests/it/sources/formulas.rs): an opening line with a second mark
                // is a formula in a line.
                let has_close = self.first_line().contains(self.close);
                if block.is_some() || !has_close {
                    return block;
                }
            }
            MathBlocks::AsWritten | MathBlocks::Anywhere => {}
        }
        let end = self.display()?;
        Some(self.formula(end, blocks == MathBlocks::Anywhere))
    }

    /// Returns a formula between blank lines. It may only contain blank lines if `with_blanks`.
    fn paragraph(self, with_blanks: bool) -> Option<Formula> {
        let prefix = self.prefix()?;
        let above = line_above(self.source, self.start);
        // After a list mark, the formula is the first block of its item, so no blank line precedes
        // it.
        let is_first = prefix.contains(|character: char| !is_of_quote(character));
        if !is_first && !above.is_none_or(is_blank) {
            return None;
        }
        let mut position = self.inner_start();
        loop {
            let line = &self.source[position..line_end(self.source, position)];
            let next = position + line.len();
            if position > self.inner_start() && is_blank(line) && !with_blanks {
                return None;
            }
            let text = line.trim_end();
            if let Some(offset) = text.find(self.close) {
                let end = position + offset + self.close.len();
                // The mark of the next item ends the formula like a blank line.
                let is_last = offset + self.close.len() == text.len()
                    && line_below(self.source, next)
                        .is_none_or(|line| is_blank(line) || is_item(line));
                let is_empty = self.source[self.inner_start()..position + offset]
                    .trim()
                    .is_empty();
                return (is_last && !is_empty).then(|| self.formula(end, true));
            }
            position = next + 1;
            // The bound makes many marks without an end take linear time.
            if position >= self.source.len() || position > self.start + BLOCK_BYTES_MAX {
                return None;
            }
        }
    }

    /// Returns a formula that extends from the line that begins with its mark to the first line for which `is_last`
    /// returns true. Quote marks are stripped from the lines, whose number of quote marks must be the same.
    fn lines(self, is_last: impl Fn(&str) -> bool) -> Option<Formula> {
        let prefix = self.prefix()?;
        let first = self.first_line().trim();
        let quotes = prefix.matches('>').count();
        if !first.is_empty() && is_last(first) {
            let end = self.inner_start() + self.first_line().trim_end().len();
            let is_single = first.matches(self.close).count() == 1;
            return (is_single && first != self.close).then(|| self.formula(end, true));
        }
        if first.contains('$') {
            return None;
        }
        let mut position = self.inner_start() + self.first_line().len() + 1;
        while position < self.source.len() && position <= self.start + BLOCK_BYTES_MAX {
            let line = &self.source[position..line_end(self.source, position)];
            let content = line.trim_start_matches(is_of_quote);
            let is_within = line[..line.len() - content.len()].matches('>').count() == quotes;
            if !is_within {
                return None;
            }
            let text = content.trim_end();
            if is_last(text) {
                let end = position + (line.len() - content.len()) + text.len();
                return Some(self.formula(end, true));
            }
            position += line.len() + 1;
        }
        None
    }

    /// Returns the rest of the line of the opening mark.
    fn first_line(&self) -> &'a str {
        let from = self.inner_start();
        &self.source[from..line_end(self.source, from)]
    }

    /// Returns the text before the mark in its line, if it consists of white space and of quote and list marks only.
    fn prefix(&self) -> Option<&'a str> {
        let start = line_start(self.source, self.start);
        let before = &self.source[start..self.start];
        let is_short = before.len() <= PREFIX_BYTES_MAX;
        (is_short && marks_length(before) == before.len()).then_some(before)
    }

    /// Returns the end of a formula within its block. If the formula begins its line, it may extend to the next blank
    /// line.
    fn display(self) -> Option<usize> {
        let (source, from) = (self.source, self.inner_start());
        let pieces = &self.survey.pieces[self.index..];
        let block = self.piece().block;
        let prefix = self.prefix();
        let begins_line = prefix.is_some_and(|prefix| prefix.chars().all(is_of_quote));
        let mut blanks_before = from;
        for piece in pieces {
            let is_near = piece.range.start <= from + BLOCK_BYTES_MAX
                && (piece.block == block || begins_line)
                && !source
                    .get(blanks_before..piece.range.start)
                    .is_some_and(|between| between.contains("\n\n"));
            if !is_near {
                break;
            }
            blanks_before = piece.range.end.max(from);
            if let Some(close) = self.close_in(piece) {
                let is_empty = source[from..close].trim().is_empty();
                return (!is_empty).then_some(close + self.close.len());
            }
        }
        None
    }

    /// Returns the byte offset of the closing mark in a part of the text, or directly before the part.
    fn close_in(&self, piece: &TextPart) -> Option<usize> {
        let from = self.inner_start();
        if self.close.starts_with('\\') {
            let start = piece.range.start.checked_sub(self.close.len())?;
            let is_close =
                start >= from && self.source.get(start..piece.range.start)? == self.close;
            return is_close.then_some(start);
        }
        let begin = piece.range.start.max(from);
        let rest = self.source.get(begin..piece.range.end)?;
        rest.find(self.close).map(|offset| begin + offset)
    }

    /// Returns the formula `\(…\)`.
    fn in_block(self) -> Option<Formula> {
        let block = self.piece().block;
        let pieces = self.survey.pieces[self.index..].iter();
        let mut pieces = pieces.take_while(|piece| {
            piece.block == block && piece.range.start <= self.start + INLINE_BYTES_MAX
        });
        let close = pieces.find_map(|piece| self.close_in(piece))?;
        Some(self.formula(close + self.close.len(), false))
    }

    /// Returns the formula `$…$`. Text must adjoin the dollars on the inside, and neither letters nor digits on the
    /// outside.
    fn dollars(self) -> Option<Formula> {
        let (source, start, from) = (self.source, self.start, self.inner_start());
        let piece = self.piece();
        let before = source[..start].chars().next_back();
        let after = source[from..].chars().next();
        let may_open = !before
            .is_some_and(|before| before.is_alphanumeric() || "\\$".contains(before))
            && after.is_some_and(|after| !after.is_whitespace() && after != '$');
        if !may_open {
            return None;
        }
        // A formula in dollars contains no code, HTML or link.
        let hole = self.survey.next_hole(from);
        let limit = hole.map_or(usize::MAX, |hole| hole.start);
        let limit = limit.min(from + INLINE_BYTES_MAX);
        let same_block = self.survey.pieces[self.index..]
            .iter()
            .take_while(|other| other.block == piece.block && other.range.start < limit);
        for other in same_block {
            let begin = other.range.start.max(from);
            let rest = source.get(begin..other.range.end).unwrap_or_default();
            if let Some(offset) = rest.find('$') {
                let close = begin + offset;
                let last = source[..close].chars().next_back();
                let next = source[close + 1..].chars().next();
                let may_close = close < limit
                    && last.is_some_and(|last| !last.is_whitespace() && last != '\\')
                    && !next.is_some_and(|next| next.is_alphanumeric() || next == '$');
                return may_close.then(|| self.formula(close + 1, false));
            }
        }
        None
    }
}

/// Returns the edits that separate block formulas from the text directly before and after them.
pub(super) fn separations(source: &str, survey: &Survey, math: Math) -> Vec<Vec<Edit>> {
    let formulas = find(source, survey, math).into_iter();
    let blocks = formulas.filter(|formula| formula.is_block);
    let edits = blocks.filter_map(|Formula { range, .. }| {
        let start = line_start(source, range.start);
        let written = &source[start..range.start];
        let marks = marks_length(written);
        let prefix: String = written[..marks]
            .chars()
            .map(|character| if character == '>' { '>' } else { ' ' })
            .collect();
        // The inserted blank line has the marks of the quote, which would otherwise end.
        let blank = prefix.trim_end();
        let mut edits = Vec::new();
        let is_first = written[..marks].contains(|character: char| !is_of_quote(character));
        if !written[marks..].trim().is_empty() {
            edits.push(Edit::insertion(range.start, format!("\n{blank}\n{prefix}")));
        } else if !is_first && !line_above(source, range.start).is_none_or(is_blank) {
            edits.push(Edit::insertion(start, format!("{blank}\n")));
        }
        let end = line_end(source, range.end);
        if !source[range.end..end].trim().is_empty() {
            edits.push(Edit::insertion(range.end, format!("\n{blank}\n{prefix}")));
        } else if !line_below(source, end).is_none_or(is_blank) {
            edits.push(Edit::insertion(end, format!("\n{blank}")));
        }
        (!edits.is_empty()).then_some(edits)
    });
    edits.collect()
}

/// Returns the formula at `range` without quote marks and without the indentation of the enclosing quotes and items.
pub(super) fn text(source: &str, range: Range<usize>) -> String {
    let before = &source[line_start(source, range.start)..range.start];
    let column = before
        .rfind('>')
        .map_or(before, |mark| &before[mark + 1..])
        .len();
    let mut lines = source[range].split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let content = line.trim_start_matches(is_of_quote);
        let marks = &line[..line.len() - content.len()];
        let line = marks.rfind('>').map_or(line, |mark| &line[mark + 1..]);
        let spaces = line.len() - line.trim_start_matches(' ').len();
        text.push('\n');
        text.push_str(&line[spaces.min(column)..]);
    }
    text
}

/// Returns the length in bytes of the white space and of the quote and list marks at the start of a line.
fn marks_length(line: &str) -> usize {
    let mut rest = line.trim_start_matches(is_of_quote);
    while let Some(content) = item_content(rest) {
        rest = content.trim_start_matches(is_of_quote);
    }
    line.len() - rest.len()
}

/// Returns the text of an item after its mark; `None` if the line is not an item.
fn item_content(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let content = if text.len() == line.len() {
        line.strip_prefix(['-', '*', '+'])
    } else {
        text.strip_prefix(['.', ')'])
    };
    content.filter(|content| content.starts_with([' ', '\t']))
}

fn is_item(line: &str) -> bool {
    item_content(line.trim_start_matches(is_of_quote)).is_some()
}

fn is_of_quote(character: char) -> bool {
    matches!(character, ' ' | '\t' | '>')
}

/// Returns whether a line is blank apart from quote marks.
fn is_blank(line: &str) -> bool {
    line.trim_start_matches(is_of_quote).trim().is_empty()
}

/// Returns the line above the line that contains `position`.
fn line_above(source: &str, position: usize) -> Option<&str> {
    let end = line_start(source, position).checked_sub(1)?;
    Some(&source[line_start(source, end)..end])
}

/// Returns the line below the line that ends at `end`.
fn line_below(source: &str, end: usize) -> Option<&str> {
    let start = end + 1;
    (start <= source.len()).then(|| &source[start..line_end(source, start)])
}
