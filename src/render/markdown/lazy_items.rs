//! Blocks directly below the text of a list item, which kramdown puts into the item regardless of their indentation:
//! fenced code, quotes, headings, and lists of the other kind. CommonMark ends the list there, and nests lists only by
//! the column of the item's text.

use super::{edit::Edit, survey::Survey};

/// Deepest nesting of items that is tracked.
const DEPTH_MAX: usize = 20;

/// An open item.
#[derive(Clone, Copy)]
struct OpenItem {
    /// The column at which the text of the item begins.
    column: usize,
    is_ordered: bool,
    /// The number of spaces that are inserted before its line.
    shift: usize,
}

/// Returns the insertions of spaces before lines after which CommonMark parses their blocks as parts of the items
/// above. The edits of each inner list are applied together.
pub(super) fn edits(source: &str, survey: &Survey) -> Vec<Vec<Edit>> {
    let mut lines = ItemLines::default();
    let mut offset = 0;
    while offset < source.len() {
        let start = offset;
        let line = line_at(source, start);
        offset += line.len();
        let text = line.trim_start_matches(' ');
        let column = line.len() - text.len();
        if text.trim().is_empty() {
            lines.is_after_blank = true;
            continue;
        }
        let first = start + column;
        let fence = fence_of(text).filter(|_| !survey.is_html(first));
        if fence.is_none() && survey.is_verbatim(first) {
            continue;
        }
        if let Some(fence) = fence {
            // An unclosed fence contains the rest of the document.
            let Some(end) = closing(source, offset, fence) else {
                break;
            };
            lines.pass_fence(&source[start..end], start, column);
            offset = end;
        } else {
            lines.pass(text, start, column);
        }
        lines.is_after_blank = false;
    }
    lines.edits.into_iter().map(|edit| vec![edit]).collect()
}

#[derive(Default)]
struct ItemLines {
    open: Vec<OpenItem>,
    is_after_blank: bool,
    edits: Vec<Edit>,
}

impl ItemLines {
    fn pass(&mut self, text: &str, start: usize, column: usize) {
        let mark = item_mark(text);
        let level = self.level_of(column, mark.map(|(is_ordered, _)| is_ordered));
        self.open.truncate(level.items);
        let begins_block = mark.is_some() || text.starts_with('>') || is_heading(text);
        let mut shift = self.shift_at(column, begins_block);
        if let Some((is_ordered, width)) = mark {
            shift = level.sibling_shift.unwrap_or(shift);
            if self.open.len() < DEPTH_MAX {
                self.open.push(OpenItem {
                    column: column + width,
                    is_ordered,
                    shift,
                });
            }
        }
        self.insert(start, shift);
    }

    /// Processes fenced code. It is not moved into an item if it contains a blank line.
    fn pass_fence(&mut self, code: &str, start: usize, column: usize) {
        let level = self.level_of(column, None);
        self.open.truncate(level.items);
        let is_whole = !code.lines().any(|line| line.trim().is_empty());
        let shift = self.shift_at(column, is_whole);
        let is_inside = self.open.last().is_none_or(|item| column >= item.column);
        if !is_whole && !is_inside {
            // The fence then ends the list, as in CommonMark.
            self.open.clear();
            return;
        }
        let mut from = start;
        for line in code.split_inclusive('\n') {
            if !line.trim().is_empty() {
                self.insert(from, shift);
            }
            from += line.len();
        }
    }

    /// Returns the items that contain a line at `column`. A line directly below the text of an item is in that item,
    /// unless it begins the next item of the same list.
    fn level_of(&self, column: usize, is_ordered: Option<bool>) -> Level {
        for (index, item) in self.open.iter().enumerate() {
            if column >= item.column {
                continue;
            }
            if is_ordered == Some(item.is_ordered) {
                return Level {
                    items: index,
                    sibling_shift: Some(item.shift),
                };
            }
            if self.is_after_blank {
                return Level {
                    items: index,
                    sibling_shift: None,
                };
            }
        }
        Level {
            items: self.open.len(),
            sibling_shift: None,
        }
    }

    /// Returns the number of spaces to insert before a line in the innermost item.
    fn shift_at(&self, column: usize, begins_block: bool) -> usize {
        match self.open.last() {
            Some(item) if column >= item.column => item.shift,
            // kramdown 2.4: `lists directly below an item` in tests/it/render/dialects.jsonl.
            Some(item) if begins_block => item.column + item.shift - column,
            _ => 0,
        }
    }

    fn insert(&mut self, position: usize, blanks: usize) {
        if blanks > 0 {
            self.edits
                .push(Edit::insertion(position, " ".repeat(blanks)));
        }
    }
}

/// The position of a line among the open items.
struct Level {
    /// The number of items that contain the line.
    items: usize,
    /// The number of spaces inserted before the previous item of the same list, if the line begins an item.
    sibling_shift: Option<usize>,
}

/// Returns whether a line begins a numbered item, and the length of its mark including the spaces after it; `None` if
/// the line begins no item.
fn item_mark(text: &str) -> Option<(bool, usize)> {
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_ordered = digits.len() < text.len();
    let rest = if is_ordered {
        digits.strip_prefix('.')?
    } else {
        text.strip_prefix(['-', '*', '+'])?
    };
    let content = rest.trim_start_matches(' ');
    let blanks = rest.len() - content.len();
    let is_rule = content
        .chars()
        .all(|character| "-*_ \n\r".contains(character));
    ((1..=4).contains(&blanks) && !is_rule).then(|| (is_ordered, text.len() - content.len()))
}

fn is_heading(text: &str) -> bool {
    let rest = text.trim_start_matches('#');
    (1..=6).contains(&(text.len() - rest.len())) && rest.starts_with(' ')
}

/// Returns the fence that a line opens, if any.
fn fence_of(text: &str) -> Option<&str> {
    let mark = ["```", "~~~"]
        .into_iter()
        .find(|mark| text.starts_with(mark))?;
    let rest = text.trim_start_matches(&mark[..1]);
    let fence = &text[..text.len() - rest.len()];
    (!rest.contains('`')).then_some(fence)
}

/// Returns the byte offset after the line that closes a fence. `start` is the start of the first line after the fence.
fn closing(source: &str, start: usize, fence: &str) -> Option<usize> {
    let mut offset = start;
    while offset < source.len() {
        let line = line_at(source, offset);
        offset += line.len();
        let text = line.trim();
        if text.starts_with(fence) && text.trim_start_matches(&fence[..1]).is_empty() {
            return Some(offset);
        }
    }
    None
}

fn line_at(source: &str, start: usize) -> &str {
    let rest = &source[start..];
    &rest[..memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(source: &str) -> String {
        let mut text = source.to_owned();
        let survey = Survey::of(source, pulldown_cmark::Options::empty());
        let found: Vec<Edit> = edits(source, &survey).into_iter().flatten().collect();
        for edit in found.into_iter().rev() {
            text.replace_range(edit.range, &edit.text);
        }
        text
    }

    #[test]
    fn blocks_directly_below_an_item_are_in_it() {
        for (source, expected) in [
            (
                "1. a\n- b\n  - c\n- d\n2. e\n",
                "1. a\n   - b\n     - c\n   - d\n2. e\n",
            ),
            ("1. a\n  - b\n  - c\n2. d\n", "1. a\n   - b\n   - c\n2. d\n"),
            ("- a\n> b\n- c\n", "- a\n  > b\n- c\n"),
            ("- a\n# b\n- c\n", "- a\n  # b\n- c\n"),
            (
                "1. a\n```\nb\n```\n2. c\n",
                "1. a\n   ```\n   b\n   ```\n2. c\n",
            ),
            ("1. a\n```\nb\n\nc\n```\n", "1. a\n```\nb\n\nc\n```\n"),
            ("- a\n\n1. b\n", "- a\n\n1. b\n"),
            ("- a\n  - b\n- c\n", "- a\n  - b\n- c\n"),
            ("- a\nb\n- c\n", "- a\nb\n- c\n"),
            ("- a\n***\n# b\n", "- a\n***\n  # b\n"),
            ("a\n# b\n> c\n", "a\n# b\n> c\n"),
        ] {
            assert_eq!(shifted(source), expected, "{source}");
        }
    }
}
