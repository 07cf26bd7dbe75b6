//! Converts blocks of Python-Markdown to CommonMark where their indentation differs: lists nest by four spaces, and the
//! first line of indented code may name its language.

use crate::generators::syntax::{
    ExpandedText,
    code::{TextPart, TextParts, is_item},
    writer::{ExpansionWriter, fence_for},
};

/// Number of spaces by which a nested list or code is indented.
pub(super) const INDENTATION: usize = 4;

/// Maximum depth of lists that are moved. Deeper lists are unchanged.
const DEPTH_MAX: usize = 20;

/// Moves lines whose indentation is not a multiple of four spaces to the level at which Python-Markdown reads them. An item
/// indented by two spaces is not nested, and a paragraph or code indented by three spaces, after a blank line, ends the
/// list.
pub fn lists(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let mut is_in_list = false;
    for part in TextParts::of(text) {
        let content = part.text.trim_start_matches(' ');
        if content.trim().is_empty() {
            continue;
        }
        let spaces = part.text.len() - content.len();
        let is_item = !part.is_code && is_item(content);
        // Lines that continue a paragraph may have any indentation.
        let begins_block = is_item || is_after_blank(text, part.start);
        let extra = spaces % INDENTATION;
        if is_in_list && begins_block && extra > 0 && spaces < INDENTATION * DEPTH_MAX {
            move_lines(&mut writer, part, extra);
        }
        if is_item {
            is_in_list |= spaces < INDENTATION;
        } else if begins_block && spaces < INDENTATION {
            is_in_list = false;
        }
    }
    writer.finish()
}

/// Moves the lines of a part to the left.
fn move_lines(writer: &mut ExpansionWriter<'_>, part: TextPart<'_>, columns: usize) {
    let mut start = part.start;
    for line in part.text.split_inclusive('\n') {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        writer.copy_to(start);
        writer.skip_to(start + spaces.min(columns));
        start += line.len();
    }
}

/// Returns whether the line before the byte `offset` is blank.
fn is_after_blank(text: &str, offset: usize) -> bool {
    let before = text[..offset].trim_end_matches(['\n', '\r']);
    text[before.len()..offset].matches('\n').count() != 1
        || before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .trim()
            .is_empty()
}

/// Converts indented code whose first line names its language, `:::python` or `#!python`, to fenced code.
pub fn code_languages(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains(":::") && !text.contains("#!") {
        return writer.finish();
    }
    let mut is_after_blank = true;
    let mut parts = TextParts::of(text);
    while let Some(part) = parts.next() {
        let line = part.text;
        let indentation = line.len() - line.trim_start_matches(' ').len();
        let language = language_of(line.trim()).filter(|_| !part.is_code);
        if let Some(language) = language.filter(|_| is_after_blank && indentation >= INDENTATION) {
            let end = part.end();
            let length = code_length(&text[end..], indentation);
            let code = &text[end..end + length];
            let outer = " ".repeat(indentation - INDENTATION);
            let fence = fence_for(code);
            writer.copy_to(part.start);
            writer.put(&format!("{outer}{fence}{language}\n"));
            for line in code.trim_end().split_inclusive('\n') {
                let inner = line.get(indentation..).unwrap_or("\n");
                writer.put(&format!("{outer}{inner}"));
            }
            writer.put(&format!("\n{outer}{fence}\n"));
            writer.skip_to(end + length);
            parts.continue_at(end + length);
            if length > 0 {
                writer.put("\n");
            }
            is_after_blank = true;
            continue;
        }
        is_after_blank = part.is_code || line.trim().is_empty();
    }
    writer.finish()
}

/// Returns the language in the first line of code; `None` for other lines, such as the path of a program.
fn language_of(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix(":::")
        .or_else(|| line.strip_prefix("#!"))?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, options) = rest.split_at(end);
    let is_of_name =
        |character: char| character.is_ascii_alphanumeric() || "+#._-".contains(character);
    let has_options_only = options.trim().is_empty() || options.trim().starts_with("hl_lines");
    (!name.is_empty() && name.chars().all(is_of_name) && has_options_only).then_some(name)
}

/// Returns the length of the leading lines that are blank or indented by `indentation` spaces, in bytes.
fn code_length(text: &str, indentation: usize) -> usize {
    let mut length = 0;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        let spaces = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() {
            continue;
        }
        if spaces < indentation {
            break;
        }
        length = offset;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_with_few_spaces_are_not_nested() {
        for (text, expected) in [
            ("- a\n  - b\n    - c\n", "- a\n- b\n    - c\n"),
            ("1. a\n      * b\n", "1. a\n    * b\n"),
            ("- a\n\nb\n\n  - c\n", "- a\n\nb\n\n  - c\n"),
            ("1. a\n\n   b\n   c\n", "1. a\n\nb\n   c\n"),
            ("1. a\n\n     b\n", "1. a\n\n    b\n"),
            (
                "1. a\n\n   ```\n   b\n     c\n   ```\n\n2. d\n",
                "1. a\n\n```\nb\n  c\n```\n\n2. d\n",
            ),
            ("1. a\n   b\n", "1. a\n   b\n"),
            (
                "- a\n\n    ```\n      - b\n    ```\n",
                "- a\n\n    ```\n      - b\n    ```\n",
            ),
            ("a - b\n", "a - b\n"),
        ] {
            assert_eq!(lists(text).text, expected, "{text}");
        }
    }

    #[test]
    fn first_line_of_code_names_its_language() {
        for (text, expected) in [
            (
                "a\n\n    :::python\n    b = 1\n\n      c\n\nd\n",
                "a\n\n```python\nb = 1\n\n  c\n```\n\n\nd\n",
            ),
            (
                "- a\n\n        #!sh\n        b\n",
                "- a\n\n    ```sh\n    b\n    ```\n\n",
            ),
            ("    #!/bin/sh\n    a\n", "    #!/bin/sh\n    a\n"),
            ("a\n    :::python\n", "a\n    :::python\n"),
        ] {
            assert_eq!(code_languages(text).text, expected, "{text}");
        }
    }
}
