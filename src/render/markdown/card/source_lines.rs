//! Lines of Markdown source: columns, inline tags in them, and insertion of characters.

use std::borrow::Cow;

use pulldown_cmark::{Tag, TagEnd};

/// The most columns of indentation for a heading.
pub(super) const INDENT_MAX: usize = 3;

/// Inserts `character` before each of `positions`, which are in ascending order.
pub(super) fn with_inserted<'a>(
    source: Cow<'a, str>,
    positions: &[usize],
    character: char,
) -> Cow<'a, str> {
    if positions.is_empty() {
        return source;
    }
    let mut inserted = String::with_capacity(source.len() + positions.len());
    let mut copied = 0;
    for &position in positions {
        inserted.push_str(&source[copied..position]);
        inserted.push(character);
        copied = position;
    }
    inserted.push_str(&source[copied..]);
    Cow::Owned(inserted)
}

/// Returns the column at `position`, with tab stops at every fourth column.
pub(super) fn column(source: &str, position: usize) -> usize {
    let line = source[..position].rfind('\n').map_or(0, |end| end + 1);
    source[line..position]
        .chars()
        .fold(0, |column, character| match character {
            '\t' => column / 4 * 4 + 4,
            _ => column + 1,
        })
}

/// Returns whether this tag is inline.
pub(super) fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }
    )
}

/// Returns whether this is the end of an inline tag.
pub(super) fn is_inline_end(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image
    )
}
