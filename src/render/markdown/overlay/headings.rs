//! Attributes at the end of headings.

use std::ops::Range;

use super::{Findings, Marks};
use crate::render::markdown::{attribute_list::AttributeList, dialect::Attributes, survey::Survey};

pub(super) fn find(
    marks: &mut Marks,
    survey: &Survey,
    attributes: Attributes,
    found: &mut Findings<'_>,
) {
    let source = found.source;
    for heading in &survey.headings {
        let Some(range) = braces(source, survey, heading) else {
            continue;
        };
        if let Some(list) = read(&source[range.start + 1..range.end - 1], attributes) {
            marks.headings.insert(heading.start, list);
            found.blank(range);
        }
    }
}

/// Returns the range of the braces at the end of a heading's text.
fn braces(source: &str, survey: &Survey, heading: &Range<usize>) -> Option<Range<usize>> {
    let rest = survey
        .pieces
        .partition_point(|piece| piece.range.start < heading.end);
    let last = &survey.pieces.get(rest.checked_sub(1)?)?.range;
    if last.start < heading.start {
        return None;
    }
    let text = source[last.clone()].trim_end();
    let inner = text.strip_suffix('}')?;
    // A quoted value may contain characters at which the text is split, but no other brace.
    let start = heading.start + source[heading.start..last.start + inner.len()].rfind('{')?;
    let is_text = start >= last.start && !source[..start].ends_with('\\');
    let rest = source[last.start + text.len()..heading.end].trim();
    // Closing hashes or an underline may follow the braces (`ids in headings` in
    // tests/it/render/dialects.jsonl).
    let is_at_end = rest.is_empty()
        || rest.bytes().all(|byte| byte == b'#')
        || rest.bytes().all(|byte| byte == b'=')
        || rest.bytes().all(|byte| byte == b'-');
    (is_text && is_at_end).then(|| start..last.start + text.len())
}

fn read(inner: &str, attributes: Attributes) -> Option<AttributeList> {
    let list = AttributeList::read(inner)?;
    let is_id_alone = list.id.is_some()
        && list.classes.is_empty()
        && list.others.is_empty()
        && list.words.is_empty()
        && inner.starts_with('#');
    match attributes {
        Attributes::Blocks => list.words.is_empty().then_some(list),
        _ => is_id_alone.then_some(list),
    }
}
