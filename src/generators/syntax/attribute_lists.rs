//! Rewrites attribute lists of Python-Markdown, `{ .class #id key=value }`, to the form that Galley's Markdown parser
//! supports: `{: .class}` after text and blocks, `{#id}` after headings.

use crate::generators::syntax::{ExpandedText, code::Code, writer::ExpansionWriter};

/// Maximum length of a list, in bytes. Longer ones are text.
const LENGTH_MAX: usize = 300;

/// Length of the text before a list in which an open formula is searched, in bytes.
const FORMULA_SEARCH_BYTES: usize = 8 << 10;

/// Rewrites the lists of a text.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find('{') {
        let start = offset + found;
        offset = match code.at(start) {
            Some(code) => code.end,
            None => rewrite(&mut writer, start).unwrap_or(start + 1),
        };
    }
    writer.finish()
}

/// Rewrites the list at the byte `start` and returns its end; `None` if there is none.
pub fn rewrite(writer: &mut ExpansionWriter<'_>, start: usize) -> Option<usize> {
    let text = writer.source;
    let list = at(text, start)?;
    let end = start + list.len();
    let before = &text[..start];
    let inside = list[1..list.len() - 1]
        .trim()
        .trim_start_matches(':')
        .trim();
    // The line is not searched for its start or end here: many lists in a long line would take quadratic time.
    let is_at_end = line_end_follows(&text[end..]);
    // Other attributes of headings are dropped, because the parser reads only ids there.
    let output = if is_at_end && is_heading(before) {
        let mut words = inside.split_whitespace();
        let id = words.find(|word| word.starts_with('#'));
        id.map_or_else(String::new, |id| format!("{{{id}}}"))
    } else if before.ends_with('_') && is_in_formula(text, start) {
        return None;
    } else if before.ends_with([')', ']', '`', '*', '_', '>']) || is_line_start(before) {
        format!("{{: {inside}}}")
    } else {
        return None;
    };
    writer.copy_to(start);
    writer.put(&output);
    writer.skip_to(end);
    Some(end)
}

/// Returns whether only blanks precede the line end at the start of a text.
fn line_end_follows(text: &str) -> bool {
    let rest =
        text.trim_start_matches(|character: char| character.is_whitespace() && character != '\n');
    rest.is_empty() || rest.starts_with('\n')
}

/// Returns whether only blanks follow the last line end of a text.
fn is_line_start(text: &str) -> bool {
    let rest =
        text.trim_end_matches(|character: char| character.is_whitespace() && character != '\n');
    rest.is_empty() || rest.ends_with('\n')
}

/// Returns whether the last line of a text begins with a heading.
fn is_heading(text: &str) -> bool {
    let line = &text[text.rfind('\n').map_or(0, |offset| offset + 1)..];
    line.trim_start().starts_with('#')
}

/// Returns whether a formula is open at `position`: `$…` or `$$…` in its paragraph, of which the last 8 KiB are searched.
fn is_in_formula(text: &str, position: usize) -> bool {
    let start = text.ceil_char_boundary(position.saturating_sub(FORMULA_SEARCH_BYTES));
    let paragraph = text[start..position]
        .rsplit("\n\n")
        .next()
        .unwrap_or_default();
    let mut open = None;
    let mut rest = paragraph;
    while let Some(found) = rest.find('$') {
        let marks = &rest[found..];
        let count = marks.len() - marks.trim_start_matches('$').len();
        let is_escaped = rest[..found].ends_with('\\');
        // A run of another length within a formula is part of it, as with backticks of code.
        open = match open {
            _ if is_escaped => open,
            Some(opened) if opened == count => None,
            Some(opened) => Some(opened),
            None => Some(count),
        };
        rest = &marks[count..];
    }
    open.is_some()
}

/// Returns the list at the byte `start`, with its braces.
pub fn at(text: &str, start: usize) -> Option<&str> {
    let text = &text[start..text.floor_char_boundary(start + LENGTH_MAX)];
    let end = text.find('}')?;
    let inside = text.strip_prefix('{')?.get(..end - 1)?.trim();
    let inside = inside.strip_prefix(':').unwrap_or(inside).trim();
    let is_attribute = |word: &str| {
        word.starts_with(['.', '#']) && word.len() > 1 && !word.contains(['%', '('])
            || word.split_once('=').is_some_and(|(key, _)| {
                !key.is_empty()
                    && key.chars().all(|character| {
                        character.is_ascii_alphanumeric() || "-_:".contains(character)
                    })
            })
    };
    let first = inside.split_whitespace().next()?;
    (is_attribute(first) && !inside.contains(['{', '\n'])).then(|| &text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_form_of_kramdown() {
        for (text, expected) in [
            ("![a](b.png){width=20}\n", "![a](b.png){: width=20}\n"),
            ("[a](b){ .c #d }\n", "[a](b){: .c #d}\n"),
            ("a\n{ .c }\n", "a\n{: .c}\n"),
            ("*a*{: .c }\n", "*a*{: .c}\n"),
            ("## A { #b .c }\n", "## A {#b}\n"),
            ("`[a](b){ .c }`\n", "`[a](b){ .c }`\n"),
            ("a {b} {{ c }} f{x=1}\n", "a {b} {{ c }} f{x=1}\n"),
            ("$a_{i=1}$\n", "$a_{i=1}$\n"),
        ] {
            assert_eq!(pass(text).text, expected, "{text}");
        }
    }
}
