//! Estimate of a card's cost from its source, before parsing.

use crate::render::limits::{Budget, Excess, MARKUP_NODE_BYTES};

/// Memory of a delimiter in the parser, and of the element for a pair of delimiters, in bytes.
const MARK_BYTES: usize = 72;

/// Additional memory of a delimiter while its paragraph is rendered, in bytes.
const OPEN_MARK_BYTES: usize = 300;

/// Maximum number of nodes for a line that begins a block: an item with its text, and the line breaks
/// after both.
const BLOCK_NODES: usize = 4;

/// The most HTML nodes for a table cell.
const CELL_NODES: usize = 3;

/// Deducts the cost of a card with this source from `budget`.
///
/// # Errors
///
/// As [`Budget::take`].
pub(crate) fn take_cost(markdown: &str, budget: &mut Budget) -> Result<(), Excess> {
    let mut columns = 0;
    let (mut marks_of_paragraph, mut marks_max) = (0, 0);
    let mut begins = true;
    for line in markdown.split(['\n', '\r']) {
        let content = line.trim_matches([' ', '\t', '>']);
        begins |= content.len() < line.len() || content.starts_with(begins_block);
        let nodes = if begins { BLOCK_NODES } else { 1 };
        let marks = line.bytes().filter(|byte| is_mark(*byte)).count();
        budget.take(nodes, nodes * MARKUP_NODE_BYTES + marks * MARK_BYTES)?;
        // The line after an empty one begins a block, whatever its first character is.
        begins = content.is_empty();
        if begins {
            (columns, marks_of_paragraph) = (0, 0);
        } else if is_table_head(content) {
            columns = columns.max(content.matches('|').count() + 1);
        }
        marks_of_paragraph += marks;
        marks_max = marks_max.max(marks_of_paragraph);
        // Each row has as many cells as the header, even if fewer are written.
        let cells = columns * CELL_NODES;
        budget.take(cells, cells * MARKUP_NODE_BYTES)?;
    }
    // Paragraphs are rendered one after another, so only the one with the most delimiters counts.
    let mut of_paragraph = *budget;
    of_paragraph.take(0, marks_max * OPEN_MARK_BYTES)
}

/// Returns whether a line with this first character may begin a block.
fn begins_block(first: char) -> bool {
    first.is_ascii_digit()
        || matches!(
            first,
            '-' | '*' | '+' | '#' | '|' | '[' | '<' | '=' | '`' | '~'
        )
}

/// Returns whether a byte may be an inline delimiter.
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

/// Returns whether a line may be the delimiter row of a table.
fn is_table_head(line: &str) -> bool {
    line.contains(['|', ':', '-']) && line.bytes().all(|byte| b"|:- \t*+".contains(&byte))
}
