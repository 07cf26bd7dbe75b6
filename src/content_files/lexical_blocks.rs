//! Checks fenced blocks of the language `lexical`, which contain nodes of the editor's document.

use super::{body::Body, keys::Reader};
use crate::render::{
    markdown::{self, Block},
    markdown_to_lexical::{FENCE, FenceContent},
};

/// Reports fenced blocks with invalid nodes.
pub fn check(body: &Body, reader: &mut Reader<'_>) {
    for block in markdown::blocks(body.text(), body.dialect, |_| None) {
        if let Block::Code {
            language,
            code,
            position,
        } = block
            && language == FENCE
            && let Err(problem) = FenceContent::parse(&code)
        {
            let start = position_of_line(body.text(), position, problem.line);
            reader.error(
                body.span(start, end_of_line(body.text(), start)),
                problem.message,
                "write a node of the editor's document as JSON, or a list of nodes",
            );
        }
    }
}

/// Returns the byte offset of the start of the line that is `line` lines below `position`;
/// `position` itself for 0.
fn position_of_line(text: &str, position: usize, line: usize) -> usize {
    let mut start = position;
    for _ in 0..line {
        match text[start..].find('\n') {
            Some(length) => start += length + 1,
            None => break,
        }
    }
    start
}

/// Returns the byte offset of the end of the line that contains `position`.
pub(super) fn end_of_line(text: &str, position: usize) -> usize {
    text[position..]
        .find('\n')
        .map_or(text.len(), |length| position + length)
}
