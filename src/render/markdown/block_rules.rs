//! Blocks and references that kramdown and Python-Markdown read in another way than CommonMark.
//!
//! - Python-Markdown joins quotes with only blank lines between them.
//! - kramdown puts blocks directly below the text of a list item into the item: see [`lazy_items`](super::lazy_items).
//! - In both, a blank may precede the name of a reference: `[text] [name]`.

use std::{borrow::Cow, ops::Range};

use super::{
    dialect::{Dialect, Family},
    edit::Edit,
    lazy_items,
    survey::Survey,
};

/// Longest text of a link with a blank before its name, in bytes.
const TEXT_BYTES_MAX: usize = 500;

/// Returns the changes by which `source` is parsed as in `dialect`. Changes of a list belong together.
pub(super) fn edits(source: &str, survey: &Survey, dialect: Dialect) -> Vec<Vec<Edit>> {
    let mut edits = references(source, survey);
    if dialect.family == Family::Python {
        edits.extend(joined_quotes(source, survey));
    } else {
        edits.extend(lazy_items::edits(source, survey));
    }
    edits
}

/// Joins quotes that only blank lines separate.
fn joined_quotes(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut end: Option<usize> = None;
    for quote in &survey.quotes {
        if end.is_some_and(|end| quote.start < end) {
            continue;
        }
        let text = source[quote.clone()].trim_start_matches(['>', ' ']);
        // The mark of a callout begins a separate quote.
        let between = end.map(|end| (end, &source[end..quote.start]));
        let between = between.filter(|_| !text.starts_with("[!"));
        if let Some((end, _)) = between.filter(|(_, between)| between.trim().is_empty()) {
            let before = source[..end].trim_end_matches('\n').len();
            let blank = &source[before..quote.start];
            let lines = blank.match_indices('\n').skip(1);
            let is_plain = blank.bytes().all(|byte| byte == b'\n');
            let marks = lines
                .filter(|_| is_plain)
                .map(|(line, _)| Edit::insertion(before + line, ">"));
            edits.push(marks.collect());
        }
        end = Some(quote.end);
    }
    edits
}

/// Removes the blanks between the text of a link and the name of its reference.
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
