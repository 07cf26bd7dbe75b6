//! Obsidian's syntax: `%%comments%%`, `==highlights==`, `^[notes]`, and names of blocks (` ^name`).

use std::collections::HashMap;

use super::{Findings, OverlayContent, window};
use crate::render::markdown::line_ends::line_start;
use crate::render::{
    html_escape::push_attribute,
    markdown::survey::{Survey, TextPart},
};

/// Longest inline footnote, in bytes.
const NOTE_BYTES_MAX: usize = 1000;

/// Finds content between two `%%`, either inline or between separate lines.
pub(super) fn find_comments(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    let marks = survey.pieces.iter().flat_map(|piece| {
        let text = &source[piece.range.clone()];
        text.match_indices("%%")
            .map(move |(start, _)| (piece, piece.range.start + start))
    });
    let mut open: Option<(&TextPart, usize)> = None;
    for (piece, position) in marks {
        match open.take() {
            Some((opening, start)) if opening.block == piece.block => {
                found.add(start..position + 2, OverlayContent::nothing());
            }
            Some((_, start)) if begins_line(source, start) => found.blank(start..position + 2),
            // A mark in another block that begins no line is text, and this one may open a comment.
            _ => open = Some((piece, position)),
        }
    }
}

fn begins_line(source: &str, position: usize) -> bool {
    let before = &source[line_start(source, position)..position];
    before.trim().is_empty()
}

/// Finds pairs of `==` in the same emphasis.
pub(super) fn find_highlights(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    // The position of the open mark, by block and enclosing emphasis.
    let mut open: HashMap<(usize, usize), usize> = HashMap::new();
    for piece in &survey.pieces {
        let text = &source[piece.range.clone()];
        for (start, _) in text.match_indices("==") {
            let position = piece.range.start + start;
            let before = source[..position].chars().next_back();
            let after = source[position + 2..].chars().next();
            if before == Some('=') || after == Some('=') {
                continue;
            }
            let key = (piece.block, piece.parent);
            let is_text = |side: Option<char>| side.is_some_and(|side| !side.is_whitespace());
            match open.get(&key) {
                Some(&start) if is_text(before) => {
                    open.remove(&key);
                    // Checked before the start is added: a lone `<mark>` would stay open.
                    let is_free = found.is_free(&(position..position + 2));
                    if is_free && found.add(start..start + 2, html("<mark>")) {
                        found.add(position..position + 2, html("</mark>"));
                    }
                }
                None if is_text(after) => {
                    open.insert(key, position);
                }
                _ => {}
            }
        }
    }
}

fn html(html: &str) -> OverlayContent {
    OverlayContent::Html(html.to_owned())
}

/// Finds `^[text]`.
pub(super) fn find_notes(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    let mut end = 0;
    for (index, piece) in survey.pieces.iter().enumerate() {
        for (offset, _) in source[piece.range.clone()].match_indices("^[") {
            let start = piece.range.start + offset;
            if start < end {
                continue;
            }
            let Some(close) = note_end(source, &survey.pieces[index..], start + 2) else {
                continue;
            };
            end = close + 1;
            let is_free = found.is_free(&(start..start + 2)) && found.is_free(&(close..close + 1));
            // Both marks or none: a lone beginning would make the rest of the block a footnote.
            if is_free {
                found.add(start..start + 2, OverlayContent::NoteStart);
                found.add(close..close + 1, OverlayContent::NoteEnd);
            }
        }
    }
}

/// Returns the byte offset of the bracket that closes a note.
fn note_end(source: &str, pieces: &[TextPart], start: usize) -> Option<usize> {
    let first = pieces.first()?;
    let mut depth = 0_usize;
    let near = pieces.iter().take_while(|piece| {
        piece.block == first.block && piece.range.start < start + NOTE_BYTES_MAX
    });
    for piece in near.filter(|piece| piece.parent == first.parent) {
        let from = piece.range.start.max(start);
        if from >= piece.range.end {
            continue;
        }
        let text = window(source, from, piece.range.end, NOTE_BYTES_MAX);
        for (offset, byte) in text.bytes().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' if depth == 0 => return Some(from + offset),
                b']' => depth -= 1,
                _ => {}
            }
        }
    }
    None
}

/// Finds ` ^name` at the end of the text of a block.
pub(super) fn find_block_names(survey: &Survey, found: &mut Findings<'_>) {
    let source = found.source;
    for (index, piece) in survey.pieces.iter().enumerate() {
        let is_last = survey
            .pieces
            .get(index + 1)
            .is_none_or(|next| next.block != piece.block);
        if !is_last {
            continue;
        }
        let text = source[piece.range.clone()].trim_end();
        let name_length = text
            .bytes()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            .count();
        let Some(before) = text[..text.len() - name_length].strip_suffix('^') else {
            continue;
        };
        if name_length > 0 && (before.is_empty() || before.ends_with(char::is_whitespace)) {
            let mut anchor = String::from("<a");
            push_attribute(&mut anchor, "id", &text[before.len()..]);
            let start = piece.range.start + before.trim_end().len();
            let end = piece.range.start + text.len();
            found.add(start..end, OverlayContent::Html(anchor + "></a>"));
        }
    }
}
