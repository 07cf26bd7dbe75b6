//! Colons at the start of a line that begin no definition, because no white space follows them. The
//! parser requires none. `:warning: text` is a paragraph that begins with an emoji.

use std::borrow::Cow;

use super::{Findings, OverlayContent};
use crate::render::markdown::survey::Survey;

/// Returns the byte offsets of such colons.
pub(super) fn positions(source: &str) -> Vec<usize> {
    let mut positions = Vec::new();
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t', '>']);
        let start = offset + line.len() - inner.len();
        offset += line.len();
        let after = inner.strip_prefix(':').and_then(|rest| rest.chars().next());
        if after.is_some_and(|after| !after.is_whitespace()) {
            positions.push(start);
        }
    }
    positions
}

/// Returns the source for the survey, with meaningless characters instead of the colons.
pub(super) fn masked<'s>(source: &'s str, positions: &[usize]) -> Cow<'s, str> {
    if positions.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut text = source.as_bytes().to_vec();
    for position in positions {
        // One byte for one byte, so that the positions of the survey are those of the source.
        text[*position] = b'.';
    }
    String::from_utf8(text).map_or(Cow::Borrowed(source), Cow::Owned)
}

/// Covers the colons that no other finding covers.
pub(super) fn find(positions: &[usize], survey: &Survey, found: &mut Findings<'_>) {
    for position in positions {
        if !survey.is_verbatim(*position) {
            let range = *position..*position + 1;
            found.add(range, OverlayContent::Text(":".to_owned()));
        }
    }
}
