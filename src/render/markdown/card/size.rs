//! What a card becomes, reckoned from its source before it is parsed.

use crate::render::limits::{Budget, Excess, MARKUP_NODE_BYTES};

/// Memory of a mark in the parser, and of the element that two of them may become, in bytes.
const MARK_BYTES: usize = 72;

/// Memory of a mark beside that while the paragraph is written in which it stands, in bytes.
const OPEN_MARK_BYTES: usize = 300;

/// Nodes that a line may become at which something begins: an item with its text, and the line breaks behind them.
const BLOCK_NODES: usize = 4;

/// Nodes of the HTML that a cell of a table may become.
const CELL_NODES: usize = 3;

/// Takes what the card with this source becomes.
///
/// # Errors
///
/// As [`Budget::take`].
pub(crate) fn take(markdown: &str, budget: &mut Budget) -> Result<(), Excess> {
    let mut columns = 0;
    let (mut marks_of_paragraph, mut marks_max) = (0, 0);
    let mut begins = true;
    for line in markdown.split(['\n', '\r']) {
        let content = line.trim_matches([' ', '\t', '>']);
        begins |= content.len() < line.len() || content.starts_with(begins_block);
        let nodes = if begins { BLOCK_NODES } else { 1 };
        let marks = line.bytes().filter(|byte| is_mark(*byte)).count();
        budget.take(nodes, nodes * MARKUP_NODE_BYTES + marks * MARK_BYTES)?;
        begins = content.is_empty();
        if begins {
            (columns, marks_of_paragraph) = (0, 0);
        } else if is_table_head(content) {
            columns = columns.max(content.matches('|').count() + 1);
        }
        marks_of_paragraph += marks;
        marks_max = marks_max.max(marks_of_paragraph);
        // A row has as many cells as the head, however few are written.
        let cells = columns * CELL_NODES;
        budget.take(cells, cells * MARKUP_NODE_BYTES)?;
    }
    // Paragraphs are written one by one.
    let mut of_paragraph = *budget;
    of_paragraph.take(0, marks_max * OPEN_MARK_BYTES)
}

/// Whether a line with this first character may begin a block.
fn begins_block(first: char) -> bool {
    first.is_ascii_digit()
        || matches!(
            first,
            '-' | '*' | '+' | '#' | '|' | '[' | '<' | '=' | '`' | '~'
        )
}

/// Whether a byte may begin or end something in a line.
fn is_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'_'
            | b'['
            | b']'
            | b'!'
            | b'<'
            | b'&'
            | b'\\'
            | b'`'
            | b'|'
            | b'~'
            | b'^'
            | b'>'
            | b':'
            | b'#'
            | b'+'
            | b'='
    )
}

/// Whether a line may be the one under the head of a table.
fn is_table_head(line: &str) -> bool {
    line.contains(['|', ':', '-']) && line.bytes().all(|byte| b"|:- \t*+".contains(&byte))
}
