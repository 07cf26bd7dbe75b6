//! Quotes that begin with `[!NOTE]`: GitHub's alerts and Obsidian's callouts.

use super::{Findings, Marks, OverlayContent};
use crate::render::markdown::line_ends::line_end;
use crate::render::markdown::{dialect::Alerts, survey::Survey};

/// The kinds of GitHub's alerts.
const GITHUB: [&str; 5] = ["note", "tip", "important", "warning", "caution"];

/// Longest name of a kind, in bytes.
const KIND_BYTES_MAX: usize = 50;

/// Maximum number of spaces between the quote mark and the alert marker. After more spaces, the text
/// would be code.
const BLANKS_MAX: usize = 4;

/// An alert in a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::render::markdown) struct Alert {
    /// The kind in lower case.
    pub(in crate::render::markdown) kind: String,
    /// The initial state, if it is foldable.
    pub(in crate::render::markdown) fold: Option<Fold>,
    /// The byte offset of the end of the title at the start of the first paragraph, if there is a
    /// title.
    pub(in crate::render::markdown) title_end: Option<usize>,
}

/// The initial state of a foldable alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render::markdown) enum Fold {
    Open,
    Closed,
}

impl Alert {
    /// Returns the name that is shown if there is no title.
    pub(in crate::render::markdown) fn name(&self) -> String {
        let words = self.kind.replace('-', " ");
        let mut characters = words.chars();
        let first = characters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(characters).collect()
    }
}

pub(super) fn find(marks: &mut Marks, survey: &Survey, alerts: Alerts, found: &mut Findings<'_>) {
    let source = found.source;
    for quote in &survey.quotes {
        let bytes = source.as_bytes()[quote.clone()].iter();
        let blanks = bytes
            .skip(1)
            .take(BLANKS_MAX)
            .take_while(|byte| **byte == b' ');
        let start = quote.start + 1 + blanks.count();
        if !source
            .get(start..)
            .is_some_and(|rest| rest.starts_with("[!"))
        {
            continue;
        }
        let end = line_end(source, start).min(quote.end);
        let inner = source.get(start..end).unwrap_or_default().trim_end();
        let Some((kind, rest)) = mark(inner) else {
            continue;
        };
        let (fold, title) = fold(rest);
        // GitHub shows any other quote as written (`alerts with titles are quotes` in
        // tests/it/render/dialects.jsonl).
        let is_github = fold.is_none() && title.trim().is_empty() && GITHUB.contains(&&*kind);
        if alerts == Alerts::GitHub && !is_github {
            continue;
        }
        let title_start = start + inner.len() - title.trim_start().len();
        let line_end = start + inner.len();
        let title_end = if title.trim().is_empty() {
            found.blank(start..line_end);
            None
        } else {
            found.add(start..title_start, OverlayContent::nothing());
            Some(line_end)
        };
        let alert = Alert {
            kind,
            fold,
            title_end,
        };
        marks.alerts.insert(quote.start, alert);
    }
}

/// Parses `[!kind]`. Returns the kind in lower case, and the rest of the line.
fn mark(line: &str) -> Option<(String, &str)> {
    let (kind, rest) = line.strip_prefix("[!")?.split_once(']')?;
    // Obsidian permits metadata after the kind: `[!note|wide]`.
    let kind = kind.split('|').next().unwrap_or_default().trim();
    let is_kind = !kind.is_empty()
        && kind.len() <= KIND_BYTES_MAX
        && kind
            .chars()
            .all(|character| character.is_alphanumeric() || "-_ ".contains(character));
    is_kind.then(|| (kind.to_lowercase().replace(' ', "-"), rest))
}

fn fold(rest: &str) -> (Option<Fold>, &str) {
    match rest.as_bytes().first() {
        Some(b'+') => (Some(Fold::Open), &rest[1..]),
        Some(b'-') => (Some(Fold::Closed), &rest[1..]),
        _ => (None, rest),
    }
}
