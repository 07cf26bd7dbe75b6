//! Blocks and references that kramdown and Python-Markdown read differently from CommonMark.
//!
//! - Python-Markdown joins quotes that are separated only by blank lines, including nested quotes.
//! - kramdown puts blocks directly below the text of a list item into the item: see
//!   [`lazy_items`](super::lazy_items).
//! - Both accept a space before the name of a reference: `[text] [name]`.

use std::{borrow::Cow, ops::Range};

use super::{
    dialect::{Dialect, Family},
    edit::Edit,
    lazy_items,
    survey::Survey,
};

/// Quote marks, as many as the deepest nesting that is joined.
const MARKS: &str = ">>>>>>>>>>>>>>>>";

/// Longest text of a link that may be separated from its reference name, in bytes.
const TEXT_BYTES_MAX: usize = 500;

/// Returns the edits after which `source` is parsed as in `dialect`. The edits of each inner list
/// are applied together.
pub(super) fn edits(source: &str, survey: &Survey, dialect: Dialect) -> Vec<Vec<Edit>> {
    let mut edits = references(source, survey);
    if dialect.family == Family::Python {
        edits.extend(joined_quotes(source, survey));
        edits.extend(joined_inner_quotes(source, survey));
    } else {
        edits.extend(lazy_items::edits(source, survey));
    }
    edits
}

/// Joins quotes that are separated only by blank lines.
fn joined_quotes(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut end: Option<usize> = None;
    for quote in &survey.quotes {
        // The range of a quote includes its inner quotes, which `joined_inner_quotes` joins.
        if end.is_some_and(|end| quote.start < end) {
            continue;
        }
        let text = source[quote.clone()].trim_start_matches(['>', ' ']);
        // The mark of a callout begins a separate quote.
        let between = end.map(|end| (end, &source[end..quote.start]));
        let between = between.filter(|_| !text.starts_with("[!"));
        // Python-Markdown joins quotes (`quotes are joined` in tests/it/render/dialects.jsonl).
        if let Some((end, _)) = between.filter(|(_, between)| between.trim().is_empty()) {
            let before = source[..end].trim_end_matches('\n').len();
            let blank = &source[before..quote.start];
            let lines = blank.match_indices('\n').skip(1);
            let is_plain = blank.bytes().all(|byte| byte == b'\n');
            // Inner quotes are joined, too. A line that continues a quote may have no mark.
            let last = source[..before].rsplit('\n').next().unwrap_or_default();
            let depth = marks_of(last).min(marks_of(&source[quote.start..])).max(1);
            let marks = lines
                .filter(|_| is_plain)
                .map(|(line, _)| Edit::insertion(before + line, &MARKS[..depth]));
            edits.push(marks.collect());
        }
        end = Some(quote.end);
    }
    edits
}

/// Joins inner quotes that are separated by lines with only the marks of the outer quotes.
fn joined_inner_quotes(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut last_line = None;
    for quote in &survey.quotes {
        let line = source[..quote.start].rfind('\n').map_or(0, |end| end + 1);
        let depth = marks_of(&source[line..]);
        let is_inner = source[line..quote.start].contains('>');
        let is_callout = source[quote.start..]
            .trim_start_matches(['>', ' '])
            .starts_with("[!");
        // Several quotes may begin in one line.
        if !is_inner || is_callout || last_line.replace(line) == Some(line) {
            continue;
        }
        let mut list = Vec::new();
        let mut end = line;
        while let Some(above) = source[..end].strip_suffix('\n') {
            let start = above.rfind('\n').map_or(0, |end| end + 1);
            let text = &above[start..];
            let marks = marks_of(text);
            let has_text = !text.trim_matches(['>', ' ']).is_empty();
            if has_text || marks == 0 || survey.is_verbatim(start) {
                // The text above is in an inner quote, too.
                let added = marks.min(depth);
                list.retain(|(_, marks)| *marks < added && has_text);
                let added = list
                    .iter()
                    .rev()
                    .map(|(position, marks)| Edit::insertion(*position, &MARKS[..added - marks]));
                edits.push(added.collect());
                break;
            }
            list.push((above.len(), marks));
            end = start;
        }
    }
    edits
}

/// Returns the number of quote marks at the start of a line, at most the length of [`MARKS`].
fn marks_of(line: &str) -> usize {
    let start = line.bytes().take_while(|byte| matches!(byte, b'>' | b' '));
    start.filter(|byte| *byte == b'>').take(MARKS.len()).count()
}

/// Removes the white space between the text of a link and the name of its reference.
fn references(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let names = survey.holes.iter().filter(|hole| {
        let name = &source[(*hole).clone()];
        name.starts_with('[') && name.ends_with(']') && name.matches(']').count() == 1
    });
    let blanks = names.filter_map(|name| {
        let before = &source[..name.start];
        let text = before.trim_end_matches([' ', '\n']);
        let blanks = text.len()..name.start;
        let is_short = !blanks.is_empty() && source[blanks.clone()].matches('\n').count() <= 1;
        let inner = text.strip_suffix(']')?;
        let inner = &inner[inner.ceil_char_boundary(inner.len().saturating_sub(TEXT_BYTES_MAX))..];
        let inner = &inner[inner.rfind('[')? + 1..];
        let is_text = !inner.contains(']') && !inner.contains("\n\n");
        // `[x] [name]` is a task whose text begins with a link, not a link.
        let is_task = inner.trim().is_empty() || inner.eq_ignore_ascii_case("x");
        (is_short && is_text && !is_task).then(|| vec![removal(blanks)])
    });
    blanks.collect()
}

fn removal(range: Range<usize>) -> Edit {
    Edit {
        range,
        text: Cow::Borrowed(""),
    }
}
