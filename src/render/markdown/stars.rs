//! Emphasis by asterisks in kramdown and Python-Markdown, which do not consider the kinds of the characters around the
//! marks. In `**索引（Index）**和`, they read the last mark as the end of emphasis; CommonMark reads it as another
//! beginning.
//!
//! A text that both read in the same way is unchanged. In other texts, the marks are replaced by tags.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use super::{edit::Edit, survey::Survey};

/// Maximum number of asterisks in a part of a text. Parts with more are read by the rule of
/// CommonMark.
const MARKS_MAX: usize = 1_000;

/// A mark of one or two asterisks.
#[derive(Clone, Copy, Debug)]
struct Mark {
    start: usize,
    /// The number of asterisks.
    length: usize,
    can_open: bool,
    can_close: bool,
}

impl Mark {
    fn end(self) -> usize {
        self.start + self.length
    }
}

/// Returns the edits after which asterisks emphasise by this rule. The edits of each inner list are applied together.
pub(super) fn edits(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let read: HashSet<(usize, usize)> = survey
        .emphases
        .iter()
        .filter(|range| source[range.start..].starts_with('*'))
        .map(|range| (range.start, range.end))
        .collect();
    let mut edits = Vec::new();
    for part in parts(source, survey) {
        let Some(marks) = marks_in(source, part.clone(), survey) else {
            continue;
        };
        let Some(pairs) = pairs_of(&marks) else {
            continue;
        };
        let is_read = |pair: &(Mark, Mark)| read.contains(&(pair.0.start, pair.1.end()));
        // Only paragraphs that the two rules read differently are changed.
        if pairs.iter().all(is_read) {
            continue;
        }
        edits.push(tags(&marks, &pairs));
    }
    edits
}

/// Returns the parts of the source that contain asterisks. A part consists of lines that may belong to the same
/// paragraph.
fn parts(source: &str, survey: &Survey) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        let text = line.trim_start_matches([' ', '\t', '>']).trim_end();
        let start = range.end - line.trim_start_matches([' ', '\t', '>']).len();
        if text.is_empty() || survey.is_verbatim(start) {
            is_open = false;
            continue;
        }
        let begins = text.starts_with(['#', '|', '-', '+', '=', ':'])
            || text.starts_with("* ")
            || text.starts_with(|character: char| character.is_ascii_digit());
        match parts.last_mut() {
            Some(part) if is_open && !begins => part.end = range.end,
            _ => parts.push(range),
        }
        is_open = !text.starts_with(['#', '|', '=']);
    }
    parts.retain(|part| source[part.clone()].contains('*'));
    parts
}

/// Returns the marks of a part; `None` if it contains math, or a run of asterisks whose length is not 1, 2 or 4.
fn marks_in(source: &str, part: Range<usize>, survey: &Survey) -> Option<Vec<Mark>> {
    let text = &source[part.clone()];
    if text.matches('$').count() > 1 {
        return None;
    }
    let mut marks = Vec::new();
    let mut offset = part.start;
    while let Some(found) = source[offset..part.end].find(['*', '\\']) {
        let start = offset + found;
        if let Some(hole) = survey.next_hole(start).filter(|hole| hole.start <= start) {
            offset = hole.end;
            if offset >= part.end {
                break;
            }
            continue;
        }
        if source.as_bytes()[start] == b'\\' {
            let escaped = source[start + 1..].chars().next();
            offset = (start + 1 + escaped.map_or(0, char::len_utf8)).min(part.end);
            continue;
        }
        let rest = &source[start..part.end];
        let run = rest.len() - rest.trim_start_matches('*').len();
        offset = start + run;
        let lengths: &[usize] = match run {
            1 => &[1],
            2 => &[2],
            4 => &[2, 2],
            _ => return None,
        };
        let before = source[..start].chars().next_back();
        let after = source[offset..].chars().next();
        let is_blank = |character: Option<char>| character.is_none_or(char::is_whitespace);
        let mut from = start;
        for (index, length) in lengths.iter().enumerate() {
            // Of four asterisks, the first two end emphasis and the others begin it.
            let (ends_only, begins_only) = (lengths.len() > 1 && index == 0, index == 1);
            let (before, after) = (is_blank(before), is_blank(after));
            let (can_open, can_close) = (!after, !before);
            marks.push(Mark {
                start: from,
                length: *length,
                can_open: can_open && !ends_only,
                can_close: can_close && !begins_only,
            });
            from += length;
        }
        // `tags` compares each mark with all pairs, which takes quadratic time.
        if marks.len() > MARKS_MAX {
            return None;
        }
    }
    Some(marks)
}

/// Returns the pairs of marks that begin and end emphasis; `None` if two pairs overlap without being nested.
fn pairs_of(marks: &[Mark]) -> Option<Vec<(Mark, Mark)>> {
    let mut open: Vec<Mark> = Vec::new();
    let mut pairs = Vec::new();
    for mark in marks {
        let is_same = |opened: &Mark| opened.length == mark.length;
        match open.iter().rposition(is_same).filter(|_| mark.can_close) {
            Some(index) if index + 1 == open.len() && open[index].end() < mark.start => {
                pairs.push((open[index], *mark));
                open.pop();
            }
            Some(_) => return None,
            None if mark.can_open && !open.iter().any(is_same) => open.push(*mark),
            None => {}
        }
    }
    pairs.sort_by_key(|(opened, _)| opened.start);
    Some(pairs)
}

/// Returns edits that replace pairs by tags, and insert backslashes before the other marks.
fn tags(marks: &[Mark], pairs: &[(Mark, Mark)]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for mark in marks {
        let range = mark.start..mark.end();
        let is_strong = mark.length == 2;
        let text = if pairs.iter().any(|(opened, _)| opened.start == mark.start) {
            if is_strong { "<strong>" } else { "<em>" }
        } else if pairs.iter().any(|(_, closed)| closed.start == mark.start) {
            if is_strong { "</strong>" } else { "</em>" }
        } else if !mark.can_open && !mark.can_close {
            continue;
        } else if is_strong {
            "\\*\\*"
        } else {
            "\\*"
        };
        edits.push(Edit {
            range,
            text: Cow::Borrowed(text),
        });
    }
    edits
}
