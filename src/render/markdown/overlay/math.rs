//! Math between dollars, which is preserved for the front end to typeset.

use std::ops::Range;

use super::{Findings, OverlayContent};
use crate::render::markdown::{
    dialect::Math,
    survey::{Survey, TextPart},
};

/// Longest math across blocks, such as lines that look like lists, in bytes.
const BLOCK_BYTES_MAX: usize = 20_000;

/// The most bytes of white space and quote markers before math at the beginning of a line.
const PREFIX_BYTES_MAX: usize = 200;

/// Longest inline math, in bytes.
const INLINE_BYTES_MAX: usize = 1000;

pub(super) fn find(survey: &Survey, math: Math, found: &mut Findings<'_>) {
    let source = found.source;
    let mut end = 0;
    for (index, piece) in survey.pieces.iter().enumerate() {
        let mut position = piece.range.start.max(end);
        while position < piece.range.end {
            let rest = &source.as_bytes()[position..piece.range.end];
            let Some(offset) = memchr::memchr(b'$', rest) else {
                break;
            };
            let start = position + offset;
            let is_display = source[start..piece.range.end].starts_with("$$");
            let range = if is_display {
                display(source, survey, index, start)
            } else if math == Math::Dollars {
                dollars(source, survey, index, start)
            } else {
                None
            };
            position = start + if is_display { 2 } else { 1 };
            if let Some(range) = range {
                end = range.end;
                position = end;
                let written = text(source, piece, &range, math);
                found.add(range, OverlayContent::Text(written));
            }
        }
    }
}

/// Returns the replacement for math.
fn text(source: &str, piece: &TextPart, range: &Range<usize>, math: Math) -> String {
    let written = &source[range.clone()];
    if math != Math::Kramdown {
        return written.to_owned();
    }
    let inner = written.trim_matches('$');
    let is_block = source[piece.bounds.clone()].trim() == written;
    if is_block {
        format!("\\[{}\\]", inner.trim())
    } else {
        format!("\\({inner}\\)")
    }
}

/// Returns the range of `$$…$$`: inside its block, or, at the beginning of a line, up to the next
/// blank line.
fn display(source: &str, survey: &Survey, index: usize, start: usize) -> Option<Range<usize>> {
    let from = start + 2;
    let closes = |piece: &TextPart| {
        let begin = piece.range.start.max(from);
        let rest = source.get(begin..piece.range.end)?;
        rest.find("$$").map(|offset| begin + offset)
    };
    let begins_line = begins_line(source, start);
    let block = survey.pieces[index].block;
    let mut blanks_before = from;
    for piece in &survey.pieces[index..] {
        let is_near = piece.range.start <= from + BLOCK_BYTES_MAX
            && (piece.block == block || begins_line)
            && !source
                .get(blanks_before..piece.range.start)
                .is_some_and(|between| between.contains("\n\n"));
        if !is_near {
            break;
        }
        blanks_before = piece.range.end.max(from);
        if let Some(close) = closes(piece) {
            let is_empty = source[from..close].trim().is_empty();
            return (!is_empty).then_some(start..close + 2);
        }
    }
    None
}

/// Returns whether only white space and quote markers precede a position in its line.
fn begins_line(source: &str, position: usize) -> bool {
    let before = source.as_bytes()[..position].iter().rev();
    let mut before = before.take(PREFIX_BYTES_MAX);
    let first_other = before.find(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
    first_other.is_none_or(|byte| *byte == b'\n')
}

/// Returns the range of `$…$`: text adjoins the dollars on the inside, and neither letters nor
/// digits on the outside.
fn dollars(source: &str, survey: &Survey, index: usize, start: usize) -> Option<Range<usize>> {
    let from = start + 1;
    let piece = &survey.pieces[index];
    let before = source[..start].chars().next_back();
    let after = source[from..].chars().next();
    let may_open = !before.is_some_and(|before| before.is_alphanumeric() || "\\$".contains(before))
        && after.is_some_and(|after| !after.is_whitespace() && after != '$');
    if !may_open {
        return None;
    }
    let limit = survey.next_hole(from).map_or(usize::MAX, |hole| hole.start);
    let limit = limit.min(from + INLINE_BYTES_MAX);
    let same_block = survey.pieces[index..]
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
            return may_close.then_some(start..close + 1);
        }
    }
    None
}
