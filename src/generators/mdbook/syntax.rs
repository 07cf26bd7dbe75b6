//! Expands directives of mdBook's own preprocessor: `{{#include file:lines}}` and the like, and hidden lines of Rust code.
//!
//! Directives are expanded everywhere, also in code, as in mdBook. Tags of other preprocessors (`<Listing number="1">`) are
//! dropped, and their content is retained.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use crate::generators::syntax::{
    ExpandedText, ExpansionScope,
    code::{line_end, verbatim_length},
    selected_lines::SelectedLines,
    writer::{ExpansionWriter, fence_for},
};

/// Maximum length of a directive and of a preprocessor's tag, in bytes. Longer ones are plain text.
const DIRECTIVE_BYTES_MAX: usize = 1_000;
const TAG_BYTES_MAX: usize = 4_000;

/// The part of a file that an inclusion selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeOrAnchor<'a> {
    /// Lines from the first number, counted from 1, to the last one.
    Lines(usize, usize),
    /// The text between `ANCHOR: name` and `ANCHOR_END: name`.
    Anchor(&'a str),
}

/// `{{#name arguments}}`.
struct Directive<'t> {
    range: Range<usize>,
    name: &'t str,
    arguments: &'t str,
}

/// Expands the directives of a text.
pub fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    for (start, _) in text.match_indices("{{") {
        if start < writer.offset() {
            continue;
        }
        let Some(Directive {
            range,
            name,
            arguments,
        }) = directive_at(text, start)
        else {
            continue;
        };
        if text[..start].ends_with('\\') {
            // A backslash escapes it.
            writer.copy_to(start - 1);
            writer.skip_to(start);
            writer.copy_to(range.end);
            continue;
        }
        writer.copy_to(start);
        writer.skip_to(range.end);
        match name {
            "include" | "rustdoc_include" => {
                let (path, part) = path_and_range(arguments);
                if let Some(text) = included(&mut writer, start, path, part, scope) {
                    // mdBook inserts the text verbatim, whatever the container.
                    writer.put(&text);
                }
            }
            "playground" | "playpen" => {
                let path = arguments.split_whitespace().next().unwrap_or_default();
                if let Some(code) = included(&mut writer, start, path, RangeOrAnchor::ALL, scope) {
                    let fence = fence_for(&code);
                    writer.put(&format!("{fence}rust\n{code}\n{fence}"));
                }
            }
            "title" => {}
            name => {
                let message = format!("the directive `{name}` is not known and is left out");
                writer.remark(start, message);
            }
        }
    }
    writer.finish()
}

/// Returns the directive whose braces open at the byte `start`.
fn directive_at(text: &str, start: usize) -> Option<Directive<'_>> {
    let window = &text[start..text.floor_char_boundary(start + DIRECTIVE_BYTES_MAX)];
    let (inside, _) = window[2..].split_once('}')?;
    let end = start + 2 + inside.len();
    let words = inside.trim_start().strip_prefix('#')?;
    let (name, arguments) = words.split_once(char::is_whitespace)?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let is_whole = text[end..].starts_with("}}") && !name.is_empty() && name.chars().all(is_name);
    // Without an argument it is plain text, as in documentation of directives.
    let is_whole = is_whole && !arguments.trim().is_empty();
    is_whole.then(|| Directive {
        range: start..end + 2,
        name,
        arguments: arguments.trim(),
    })
}

/// Drops the lines of Rust code that mdBook hides, and the tags of preprocessors.
pub fn hide(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let mut reported = HashSet::new();
    let mut offset = 0;
    while offset < text.len() {
        let next = line_end(text, offset);
        if let Some(length) = verbatim_length(&text[offset..]) {
            if is_rust(&text[offset..next]) {
                hide_lines(&mut writer, next..offset + length);
            }
            offset += length;
        } else if let Some((name, range)) = tag_at(text, offset) {
            writer.copy_to(range.start);
            // Each component is reported once, because a book may contain hundreds of them.
            if !name.starts_with('/') && reported.insert(name) {
                let message = format!("the component `{name}` is not known; its content stays");
                writer.remark(range.start, message);
            }
            writer.skip_to(range.end);
            offset = range.end;
        } else {
            offset = next;
        }
    }
    writer.finish()
}

/// Drops the lines of Rust code in the range `lines` that mdBook hides.
fn hide_lines(writer: &mut ExpansionWriter<'_>, lines: Range<usize>) {
    let text = writer.source;
    let mut line = lines.start;
    while line < lines.end {
        let end = line_end(&text[..lines.end], line);
        let shown = shown(&text[line..end]);
        if !matches!(shown, Some(Cow::Borrowed(_))) {
            writer.copy_to(line);
            writer.put(&shown.unwrap_or_default());
            writer.skip_to(end);
        }
        line = end;
    }
}

/// Returns the tag that is alone on the line at the byte `offset` and is not an HTML element: its name, which for a closing
/// tag includes the slash, and its range.
fn tag_at(text: &str, offset: usize) -> Option<(&str, Range<usize>)> {
    let window = &text[offset..text.floor_char_boundary(offset + TAG_BYTES_MAX)];
    let tag = window.trim_start_matches([' ', '\t']);
    let inside = tag.strip_prefix('<')?;
    let bare = inside.strip_prefix('/').unwrap_or(inside);
    let length = bare.find(|character: char| !character.is_ascii_alphanumeric())?;
    // The second character must be in lower case, because HTML elements may be written in capitals.
    let mut characters = bare[..length].bytes();
    let is_component = characters
        .next()
        .is_some_and(|character| character.is_ascii_uppercase())
        && characters
            .next()
            .is_some_and(|character| character.is_ascii_lowercase());
    if !is_component {
        return None;
    }
    let name = &inside[..inside.len() - bare.len() + length];
    let mut quote = None;
    let end = bare.char_indices().skip(length).find(|(_, character)| {
        match (quote, character) {
            (Some(open), character) if open == *character => quote = None,
            (None, '"' | '\'') => quote = Some(*character),
            (None, '>') => return true,
            _ => {}
        }
        false
    });
    let (end, _) = end?;
    let rest = &bare[end + 1..];
    let is_alone =
        rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || rest.trim().is_empty();
    let start = offset + window.len() - tag.len();
    let end = start + tag.len() - rest.len();
    is_alone.then_some((name, start..end))
}

impl RangeOrAnchor<'_> {
    const ALL: Self = Self::Lines(1, usize::MAX);
}

/// Returns a part of a file with its own directives expanded. Reports failures as remarks.
fn included(
    writer: &mut ExpansionWriter<'_>,
    offset: usize,
    path: &str,
    part: RangeOrAnchor<'_>,
    scope: ExpansionScope<'_>,
) -> Option<String> {
    match scope.included(path) {
        Ok(included) => {
            // The part is selected first, so that only its directives are expanded.
            let selected = selected(&included.text, part);
            let expanded = pass(&selected.text(), scope.within(&included));
            writer.remark_all(offset, &included.path, selected.in_file(expanded.remarks));
            Some(expanded.text)
        }
        Err(refusal) => {
            let message = format!("the file `{path}` is not included: {refusal}");
            writer.remark(offset, message);
            None
        }
    }
}

/// Splits the arguments of an inclusion into path and part: `file.rs`, `file.rs:2`, `file.rs:2:5`, `file.rs::5`,
/// `file.rs:anchor`.
fn path_and_range(arguments: &str) -> (&str, RangeOrAnchor<'_>) {
    let mut parts = arguments.split(':');
    let path = parts.next().unwrap_or_default();
    let (first, last) = (parts.next(), parts.next());
    let number = |written: &str| written.trim().parse::<usize>().ok();
    let part = match (first.map(str::trim), last.map(str::trim)) {
        (None, _) => RangeOrAnchor::ALL,
        (Some(first), None) => match number(first) {
            Some(line) => RangeOrAnchor::Lines(line, line),
            None if first.is_empty() => RangeOrAnchor::ALL,
            None => RangeOrAnchor::Anchor(first),
        },
        (Some(first), Some(last)) => match number(first) {
            Some(line) => RangeOrAnchor::Lines(line, number(last).unwrap_or(usize::MAX)),
            None if first.is_empty() => RangeOrAnchor::Lines(1, number(last).unwrap_or(usize::MAX)),
            None => RangeOrAnchor::Anchor(first),
        },
    };
    (path, part)
}

/// Selects a part of a file.
fn selected<'t>(text: &'t str, part: RangeOrAnchor<'_>) -> SelectedLines<'t> {
    match part {
        RangeOrAnchor::Lines(first, last) => SelectedLines::all(text).numbered(first, last),
        RangeOrAnchor::Anchor(name) => {
            let mut is_within = false;
            let selected = text.lines().enumerate().filter(|(_, line)| {
                let mark = anchor_in(line);
                if let Some((opens, _)) = mark.filter(|(_, known)| *known == name) {
                    is_within = opens;
                }
                // Marks of other anchors within the part are not shown either.
                is_within && mark.is_none()
            });
            selected.collect()
        }
    }
}

fn is_rust(opening: &str) -> bool {
    let opening = opening.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let language = opening.trim_start_matches(['`', '~']).trim_start();
    let end = language.find(|character: char| character == ',' || character.is_whitespace());
    &language[..end.unwrap_or(language.len())] == "rust"
}

/// Returns the visible part of a line of Rust code: `None` for `# hidden`, and `#` for `##`.
fn shown(line: &str) -> Option<Cow<'_, str>> {
    let code = line.trim_start_matches([' ', '\t', '>']);
    let Some(rest) = code.strip_prefix('#') else {
        return Some(Cow::Borrowed(line));
    };
    if rest.starts_with([' ', '\n', '\r']) || rest.is_empty() {
        return None;
    }
    Some(if rest.starts_with('#') {
        Cow::Owned(format!("{}{rest}", &line[..line.len() - code.len()]))
    } else {
        Cow::Borrowed(line)
    })
}

/// Returns the name of the anchor that begins or ends in a line, and whether the anchor begins.
fn anchor_in(line: &str) -> Option<(bool, &str)> {
    let (_, mark) = line.split_once("ANCHOR")?;
    let (opens, name) = match mark.strip_prefix("_END:") {
        Some(name) => (false, name),
        None => (true, mark.strip_prefix(':')?),
    };
    let name = name.trim_start();
    let is_other =
        |character: char| !(character.is_ascii_alphanumeric() || "_-".contains(character));
    let name = &name[..name.find(is_other).unwrap_or(name.len())];
    (!name.is_empty()).then_some((opens, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_select_lines_and_anchors() {
        let text =
            "1\n2\n// ANCHOR: a\n3\n// ANCHOR: b\n4\n// ANCHOR_END: b\n// ANCHOR_END: a\n5\n";
        for (arguments, expected) in [
            ("f.rs:2", "2"),
            ("f.rs:1:2", "1\n2"),
            ("f.rs::1", "1"),
            ("f.rs:9:", "5"),
            ("f.rs:a", "3\n4"),
            ("f.rs:b", "4"),
            ("f.rs:c", ""),
            ("f.rs:90:100", ""),
            ("f.rs:0:1", "1"),
        ] {
            let (path, part) = path_and_range(arguments);
            assert_eq!(path, "f.rs");
            assert_eq!(selected(text, part).text(), expected, "{arguments}");
        }
        assert_eq!(path_and_range("f.rs"), ("f.rs", RangeOrAnchor::ALL));
    }

    #[test]
    fn hidden_rust_lines_are_removed() {
        let text =
            "```rust,ignore\n# use a;\n#\n  # b\n#[c]\n## d\ne\n```\n\n```toml\n# f\n```\n\n# g\n";
        assert_eq!(
            hide(text).text,
            "```rust,ignore\n#[c]\n# d\ne\n```\n\n```toml\n# f\n```\n\n# g\n"
        );
    }

    #[test]
    fn preprocessor_tags_are_removed_with_a_diagnostic() {
        let expanded = hide(
            "<Listing number=\"1\"\n caption=\"a > b\">\n\n*a*\n\n</Listing>\n\n`<Vec>` <div>\n",
        );
        assert_eq!(expanded.text, "\n\n*a*\n\n\n\n`<Vec>` <div>\n");
        let remarks: Vec<&str> = expanded
            .remarks
            .iter()
            .map(|remark| remark.text.as_str())
            .collect();
        assert_eq!(
            remarks,
            ["the component `Listing` is not known; its content stays"]
        );
    }
}
