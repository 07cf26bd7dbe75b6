//! Converts blocks of Python-Markdown to CommonMark. In Python-Markdown, a list only begins at the beginning of a block, so
//! list markers within a paragraph are text; `1)` is not a list marker; and `#text` is a heading without a space.

use crate::generators::syntax::{
    ExpandedText,
    code::{TextParts, is_item},
    python_markdown::INDENTATION,
    writer::ExpansionWriter,
};

/// The beginnings of lines that start raw text, which is not Markdown, with the ends of the raw text.
const RAW: [(&str, &str); 8] = [
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("$$", "$$"),
    ("\\[", "\\]"),
    ("\\begin{", "\\end{"),
];

/// The beginnings of lines that do not belong to a paragraph: attributes, templates, definitions, blocks of extensions.
const APART: [&str; 12] = [
    "{", "[^", "*[", "!!!", "???", "=== ", "///", ":::", "--8<--", "+++", "[TOC]", "<",
];

/// The block that a line continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// None: the line begins a block.
    None,
    /// A paragraph.
    Paragraph,
    /// An HTML element.
    Html,
    /// Another block, in which list markers are not text of a paragraph.
    Other,
}

/// Escapes list markers within paragraphs and numbers with a parenthesis, and adds a space after the marks of headings. With
/// `needs_blank`, only marks with a space are headings, so none is added.
pub fn pass(text: &str, needs_blank: bool) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let mut block = Block::None;
    // The end of the current raw text, and the columns before the last list item.
    let mut raw_end: Option<&str> = None;
    let mut item: Option<usize> = None;
    for part in TextParts::of(text) {
        let content = part.text.trim();
        if let Some(end) = raw_end {
            raw_end = raw_end.filter(|_| !content.contains(end));
            continue;
        }
        if part.is_code || content.is_empty() {
            block = Block::None;
            continue;
        }
        let (indentation, columns) = indentation_of(part.text);
        if block == Block::None && columns == 0 && !is_item(content) {
            item = None;
        }
        raw_end = raw_end_of(content);
        // Code is indented by four columns, and by eight within an item.
        let is_code = columns >= item.map_or(INDENTATION, |item| item + 2 * INDENTATION);
        if raw_end.is_some() || block == Block::None && is_code {
            block = Block::Other;
            continue;
        }
        // Python-Markdown finds a heading also within a paragraph, so the line ends it.
        if let Some(level) = heading_level(content).filter(|_| indentation == 0) {
            if !needs_blank && !content[level..].starts_with([' ', '\t']) {
                writer.copy_to(part.start + level);
                writer.put(" ");
            }
            block = Block::None;
            continue;
        }
        let digits = content.len() - after_digits(content).len();
        if block != Block::Html && is_number_in_parenthesis(content) {
            writer.copy_to(part.start + indentation + digits);
            writer.put("\\");
        }
        match block {
            Block::None if is_item(content) => {
                item = Some(columns);
                block = Block::Other;
            }
            Block::None if !is_apart(content) => block = Block::Paragraph,
            // An HTML element continues until the next blank line.
            Block::None if content.starts_with('<') => block = Block::Html,
            Block::Paragraph if is_rule(content) => block = Block::None,
            Block::Paragraph if is_item(content) => {
                writer.copy_to(part.start + indentation + digits);
                writer.put("\\");
            }
            Block::Other | Block::Html if is_item(content) => item = Some(columns),
            _ => {}
        }
    }
    writer.finish()
}

/// Returns the number of bytes and of columns before the text of a line.
pub(super) fn indentation_of(line: &str) -> (usize, usize) {
    let mut columns = 0;
    let bytes = line.bytes().take_while(|byte| {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += INDENTATION - columns % INDENTATION,
            _ => return false,
        }
        true
    });
    (bytes.count(), columns)
}

fn after_digits(content: &str) -> &str {
    content.trim_start_matches(|character: char| character.is_ascii_digit())
}

/// Returns whether a line begins with a number and a parenthesis, which is a list marker in CommonMark only.
fn is_number_in_parenthesis(content: &str) -> bool {
    let rest = after_digits(content);
    let is_mark = rest.len() < content.len() && rest.starts_with(')');
    is_mark && (rest.len() == 1 || rest[1..].starts_with([' ', '\t']))
}

/// Returns the end mark of the raw text that a line begins; `None` if the raw text ends on the line.
fn raw_end_of(content: &str) -> Option<&'static str> {
    let mut raw = RAW.iter();
    let (start, end) = raw.find(|(start, _)| content.starts_with(start))?;
    (!content[start.len()..].contains(end)).then_some(end)
}

/// Returns the level of a heading: the number of its marks.
fn heading_level(content: &str) -> Option<usize> {
    let text = content.trim_start_matches('#');
    let level = content.len() - text.len();
    ((1..=6).contains(&level) && !text.is_empty()).then_some(level)
}

fn is_apart(content: &str) -> bool {
    let is_definition = content.starts_with('[') && content.contains("]:");
    is_definition || is_rule(content) || APART.iter().any(|mark| content.starts_with(mark))
}

/// Returns whether a line is a rule, or underlines a heading.
pub(super) fn is_rule(content: &str) -> bool {
    let is_of = |mark: char| {
        let marks = content.chars().filter(|c| *c == mark).count();
        marks >= 3 && content.chars().all(|c| c == mark || c == ' ')
    };
    ['-', '*', '_', '='].into_iter().any(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_in_paragraphs_are_text() {
        for (text, expected) in [
            ("a\n- b\n- c\n", "a\n\\- b\n\\- c\n"),
            ("a\n1. b\n", "a\n1\\. b\n"),
            ("1) a\n2) b\n", "1\\) a\n2\\) b\n"),
            ("- a\n  1) b\n", "- a\n  1\\) b\n"),
            ("<div>\n1) a\n</div>\n", "<div>\n1) a\n</div>\n"),
            ("```\n1) a\n```\n", "```\n1) a\n```\n"),
            ("1)a\n", "1)a\n"),
            ("a\n\n- b\n- c\n", "a\n\n- b\n- c\n"),
            ("- a\nb\n- c\n", "- a\nb\n- c\n"),
            ("## a\n- b\n", "## a\n- b\n"),
            ("a\n---\n- b\n", "a\n---\n- b\n"),
            ("```\na\n```\n- b\n", "```\na\n```\n- b\n"),
            ("- a\n\n    b\n    - c\n", "- a\n\n    b\n    \\- c\n"),
            ("a\n\n    b\n    - c\n", "a\n\n    b\n    - c\n"),
            ("a\n\n\tb\n\t- c\n", "a\n\n\tb\n\t- c\n"),
            (
                "- a\n\n        b\n        - c\n",
                "- a\n\n        b\n        - c\n",
            ),
            ("<div>\na\n- b\n</div>\n", "<div>\na\n- b\n</div>\n"),
            (
                "<pre>\n\na\n- b\n</pre>\nc\n- d\n",
                "<pre>\n\na\n- b\n</pre>\nc\n- d\n",
            ),
            ("$$\na\n- b\n$$\n", "$$\na\n- b\n$$\n"),
            ("{% a %}\n- b\n", "{% a %}\n- b\n"),
            (
                "[a]: https://b.example\n- c\n",
                "[a]: https://b.example\n- c\n",
            ),
        ] {
            assert_eq!(pass(text, false).text, expected, "{text}");
        }
    }

    #[test]
    fn headings_need_no_blank_unless_an_extension_requires_it() {
        for (text, expected) in [
            ("###a\nb\n", "### a\nb\n"),
            ("a\n#b\n", "a\n# b\n"),
            ("# a\n", "# a\n"),
            ("    #a\n", "    #a\n"),
            ("```\n#a\n```\n", "```\n#a\n```\n"),
        ] {
            assert_eq!(pass(text, false).text, expected, "{text}");
            assert_eq!(pass(text, true).text, text, "{text}");
        }
    }
}
