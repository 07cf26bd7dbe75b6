//! Emoji by their names, guillemets, and signs.

use super::{Findings, OverlayContent};
use crate::render::markdown::survey::Survey;

/// Longest name of an emoji, in bytes.
const NAME_BYTES_MAX: usize = 50;

/// Finds `:name:`.
pub(super) fn find_emoji(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for piece in &survey.pieces {
        let text = &source[piece.range.clone()];
        let mut start = None;
        for colon in memchr::memchr_iter(b':', text.as_bytes()) {
            let emoji = start
                .filter(|start| colon - start <= NAME_BYTES_MAX)
                .filter(|start| stands_alone(&text[..start - 1], &text[colon + 1..]))
                .and_then(|start| emojis::get_by_shortcode(&text[start..colon]));
            start = match (emoji, start) {
                (Some(emoji), Some(start)) => {
                    let range = piece.range.start + start - 1..piece.range.start + colon + 1;
                    found.add(range, OverlayContent::Text(emoji.as_str().to_owned()));
                    None
                }
                _ => Some(colon + 1),
            };
        }
    }
}

/// Returns whether the text between two texts is not part of a word, as in `a:b:c` or `a::b::c`.
fn stands_alone(before: &str, after: &str) -> bool {
    !before.ends_with(|character: char| character.is_alphanumeric() || character == ':')
        && !after.starts_with(|character: char| character.is_alphanumeric() || character == ':')
}

/// Finds `<<` and `>>`.
pub(super) fn find_guillemets(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for piece in &survey.pieces {
        let text = &source[piece.range.clone()];
        for (typed, guillemet) in [("<<", "«"), (">>", "»")] {
            for (start, _) in text.match_indices(typed) {
                let start = piece.range.start + start;
                found.add(start..start + 2, OverlayContent::Text(guillemet.to_owned()));
            }
        }
    }
}

/// Finds `(c)`, `(r)`, `(tm)` and `+-`.
pub(super) fn find_signs(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for piece in &survey.pieces {
        let text = source[piece.range.clone()].to_ascii_lowercase();
        for (typed, sign) in [("(c)", "©"), ("(r)", "®"), ("(tm)", "™"), ("+-", "±")] {
            for (start, _) in text.match_indices(typed) {
                let start = piece.range.start + start;
                let range = start..start + typed.len();
                found.add(range, OverlayContent::Text(sign.to_owned()));
            }
        }
    }
}
