//! Changes of a source before parsing, for dialects whose blocks differ from those of the parser:
//! lines indented by four spaces that are not code, and the content of raw HTML.

use std::{borrow::Cow, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use super::{
    block_rules,
    dialect::{Dialect, Family},
    edit::Edit,
    formulas, html_content,
    positions::Positions,
    stars,
    survey::Survey,
};

/// The least indentation of code, in spaces.
const CODE_INDENT: usize = 4;

/// Returns the source in the form for the parser, with the original positions; `None` if nothing
/// changes.
pub(super) fn rewritten(source: &str, dialect: Dialect) -> Option<(String, Positions)> {
    let mut edits = if !dialect.indented_code {
        indents(source, dialect)
    } else {
        let mut edits = Vec::new();
        if dialect.kramdown && source.contains('<') {
            // First, as `merge` drops the later one of two lists that overlap.
            edits = html_content::edits(source, dialect);
        }
        if dialect.family != Family::CommonMark && source.contains(['*', '>', ']', '`', '~']) {
            let survey = Survey::of(source, dialect.options());
            merge(&mut edits, block_rules::edits(source, &survey, dialect));
            merge(&mut edits, stars::edits(source, &survey));
        }
        edits
    };
    if dialect.math.has_blocks_in_paragraphs() && dialect.math.may_be_in(source) {
        let survey = Survey::of(source, dialect.options());
        merge(
            &mut edits,
            formulas::separations(source, &survey, dialect.math),
        );
    }
    (!edits.is_empty()).then(|| applied(source, &edits))
}

/// Merges lists of edits into `edits`, in order. If an edit of a list overlaps an edit in `edits`,
/// the whole list is dropped.
fn merge(edits: &mut Vec<Edit>, lists: Vec<Vec<Edit>>) {
    let mut added = Vec::new();
    for list in lists {
        let overlaps = |edit: &Edit| {
            let next = edits.partition_point(|known| known.range.end < edit.range.start);
            edits
                .get(next)
                .is_some_and(|known| known.range.start <= edit.range.end)
        };
        if !list.iter().any(overlaps) {
            added.extend(list);
        }
    }
    if !added.is_empty() {
        edits.append(&mut added);
        edits.sort_by_key(|edit| edit.range.start);
    }
}

fn applied(source: &str, edits: &[Edit]) -> (String, Positions) {
    let mut text = String::with_capacity(source.len() + edits.len());
    let mut positions = Positions::default();
    let mut copied = 0;
    for edit in edits {
        positions.add(text.len(), copied..edit.range.start);
        text.push_str(&source[copied..edit.range.start]);
        text.push_str(&edit.text);
        copied = edit.range.end;
    }
    positions.add(text.len(), copied..source.len());
    text.push_str(&source[copied..]);
    (text, positions)
}

/// Returns edits that remove the indentation by which lines would be code, except for that of the
/// enclosing item.
fn indents(source: &str, dialect: Dialect) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut in_code = false;
    for (event, range) in Parser::new_ext(source, dialect.options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(_) if in_code => {
                // The parser returns parts of a tab as separate texts.
                let free = edits.last().map_or(0, |edit: &Edit| edit.range.end);
                edits.extend(indent(source, range, free));
            }
            _ => {}
        }
    }
    edits
}

/// Returns an edit that removes the white space at the start of a line, from the byte offset `free`
/// on.
fn indent(source: &str, line: Range<usize>, free: usize) -> Option<Edit> {
    let before = &source.as_bytes()[..line.start];
    let indent = if before.ends_with(b"\t") {
        1
    } else {
        let blanks = before.iter().rev().take(CODE_INDENT);
        blanks.take_while(|byte| **byte == b' ').count()
    };
    let written = &source[line.clone()];
    let own = written.len() - written.trim_start_matches([' ', '\t']).len();
    let range = (line.start - indent).max(free)..line.start + own;
    (!range.is_empty()).then_some(Edit {
        range,
        text: Cow::Borrowed(""),
    })
}
