//! Emoji by name, guillemets, and symbols.

use super::{Findings, OverlayContent};
use crate::render::markdown::survey::Survey;

/// Longest name of an emoji, in bytes.
const NAME_BYTES_MAX: usize = 50;

/// Finds emoji such as `:name:`.
pub(super) fn find_emoji(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for piece in &survey.pieces {
        let text = &source[piece.range.clone()];
        let mut start = None;
        // The end of the last emoji.
        let mut end = None;
        for colon in memchr::memchr_iter(b':', text.as_bytes()) {
            let emoji = start
                .filter(|start| colon - start <= NAME_BYTES_MAX)
                .filter(|start| {
                    // Emoji may adjoin each other (`emoji beside each other` in
                    // tests/it/render/dialects.jsonl).
                    let is_next = end == Some(start - 1);
                    (is_next || begins_alone(&text[..start - 1])) && ends_alone(&text[colon + 1..])
                })
                .and_then(|start| emojis::get_by_shortcode(&text[start..colon]));
            start = match (emoji, start) {
                (Some(emoji), Some(start)) => {
                    let range = piece.range.start + start - 1..piece.range.start + colon + 1;
                    found.add(range, OverlayContent::Text(emoji.as_str().to_owned()));
                    end = Some(colon + 1);
                    None
                }
                _ => Some(colon + 1),
            };
        }
    }
}

/// Returns whether a name after this text is not part of a word, as it is in `a:b:` or `a::b`. In
/// scripts that do not separate words by spaces, a name need not be separated either.
fn begins_alone(before: &str) -> bool {
    !before.ends_with(|character: char| character.is_ascii_alphanumeric() || character == ':')
}

/// Returns whether a name before this text is not part of a word. Another emoji may follow.
fn ends_alone(after: &str) -> bool {
    match after
        .strip_prefix(':')
        .and_then(|rest| rest.split(':').next())
    {
        Some(name) => emojis::get_by_shortcode(name).is_some(),
        None => !after.starts_with(|character: char| character.is_ascii_alphanumeric()),
    }
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
        // Folding ASCII alone leaves all byte offsets as they are.
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
