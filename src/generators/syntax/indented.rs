//! Expands blocks whose content is indented by four spaces below a marker: admonitions `!!! note "Title"`, foldable ones
//! `??? note`, and tabs `=== "Title"`. The content becomes Markdown between HTML elements.

use crate::generators::syntax::{
    ExpandedText,
    code::{fence_length, fence_mark, line_end},
    escape::{html, inline_markdown},
    writer::ExpansionWriter,
};

/// Indentation of the content, in spaces.
const INDENTATION: usize = 4;

/// Maximum depth of nested blocks.
const DEPTH_MAX: usize = 20;

/// An open block.
struct OpenBlock {
    /// The indentation of its marker in the source.
    indentation: usize,
    /// The markup after its content.
    close: &'static str,
}

/// The code block that contains the current line.
struct OpenFence {
    mark: char,
    length: usize,
    depth: usize,
}

/// Expands the blocks of a text.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !["!!!", "???", "==="]
        .iter()
        .any(|marker| text.contains(marker))
    {
        return writer.finish();
    }
    let mut open: Vec<OpenBlock> = Vec::new();
    let mut fence: Option<OpenFence> = None;
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let line = text[offset..end].trim_end_matches(['\n', '\r']);
        let indentation = indentation_of(line);
        if line.trim().is_empty() {
            offset = end;
            continue;
        }
        writer.copy_to(offset);
        close_to(&mut writer, &mut open, indentation);
        // Text at a lower level ends a block, and with it unclosed code in the block.
        if fence.as_ref().is_some_and(|fence| fence.depth > open.len()) {
            fence = None;
        }
        dedent(&mut writer, offset, open.len());
        if let Some(inside) = &fence {
            let content = line.trim();
            let is_end = content.len() >= inside.length
                && content.trim_start_matches(inside.mark).is_empty();
            if is_end {
                fence = None;
            }
        } else if let Some((mark, length)) = fence_mark(line) {
            if open.is_empty() {
                // Code outside of blocks is copied unchanged.
                offset += fence_length(&text[offset..]).unwrap_or(line.len());
                continue;
            }
            fence = Some(OpenFence {
                mark,
                length,
                depth: open.len(),
            });
        } else if open.len() < DEPTH_MAX
            && let Some((start, close)) = markup(line.trim())
        {
            writer.copy_to(offset + spaces_before(line));
            writer.skip_to(offset + line.len());
            writer.separate();
            writer.open_block(&start);
            open.push(OpenBlock { indentation, close });
        }
        offset = end;
    }
    writer.copy_to(text.len());
    if !open.is_empty() && !text.ends_with('\n') {
        writer.put("\n");
    }
    close_to(&mut writer, &mut open, 0);
    writer.finish()
}

/// Closes the blocks that do not contain a line with this indentation.
fn close_to(writer: &mut ExpansionWriter<'_>, open: &mut Vec<OpenBlock>, indentation: usize) {
    while let Some(block) = open.pop_if(|block| indentation < block.indentation + INDENTATION) {
        // The blocks around have been moved to the left, so the end tag is, too.
        let prefix = " ".repeat(block.indentation.saturating_sub(INDENTATION * open.len()));
        writer.put(&format!("\n{prefix}{}\n\n", block.close));
    }
}

/// Skips the part of the indentation of the line at the byte `offset` that belongs to `depth` blocks.
fn dedent(writer: &mut ExpansionWriter<'_>, offset: usize, depth: usize) {
    let mut spaces = depth * INDENTATION;
    let mut end = offset;
    for byte in writer.source[offset..].bytes() {
        let width = match byte {
            b' ' => 1,
            b'\t' => INDENTATION,
            _ => break,
        };
        if spaces < width {
            break;
        }
        spaces -= width;
        end += 1;
    }
    writer.skip_to(end);
}

fn spaces_before(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the indentation of a line. A tab counts as four spaces.
fn indentation_of(line: &str) -> usize {
    let spaces = line.bytes().take_while(|byte| b" \t".contains(byte));
    spaces
        .map(|byte| if byte == b'\t' { INDENTATION } else { 1 })
        .sum()
}

/// Returns the markup of an admonition, with its kind as a class and its title above the content.
pub fn admonition(kind: &str, title: Option<&str>) -> (String, String) {
    let title = title.map_or_else(|| capitalised(kind), inline_markdown);
    match kind {
        "details" => (
            format!("<details><summary>{title}</summary>"),
            "</details>".to_owned(),
        ),
        "tab" => (
            format!(
                "<div class=\"tabbed-block\"><p class=\"tabbed-title\"><strong>{title}</strong></p>"
            ),
            "</div>".to_owned(),
        ),
        kind => (
            format!("<div class=\"admonition {kind}\"><p class=\"admonition-title\">{title}</p>"),
            "</div>".to_owned(),
        ),
    }
}

/// Returns the markup before and after the content of the block that a line opens.
fn markup(line: &str) -> Option<(String, &'static str)> {
    let (marker, rest) = line.split_at_checked(3)?;
    match marker {
        "===" => {
            let rest = rest.trim_start_matches(['!', '+']);
            let title = quoted(rest.trim())?;
            Some((
                format!(
                    "<div class=\"tabbed-block\"><p class=\"tabbed-title\"><strong>{}</strong></p>",
                    inline_markdown(title)
                ),
                "</div>",
            ))
        }
        "!!!" | "???" => {
            let is_open = rest.starts_with('+');
            let rest = rest.trim_start_matches('+').trim();
            let (classes, title) = match rest.find('"') {
                Some(quote) => (rest[..quote].trim(), Some(quoted(&rest[quote..])?)),
                None => (rest, None),
            };
            let is_class =
                |character: char| character.is_alphanumeric() || "-_ ".contains(character);
            let kind = classes.split_whitespace().next()?;
            if !classes.chars().all(is_class) {
                return None;
            }
            let title = title.map_or_else(|| capitalised(kind), inline_markdown);
            let classes = html(&classes.to_lowercase());
            Some(if marker == "???" {
                let open = if is_open { " open" } else { "" };
                let summary = format!("<summary>{title}</summary>");
                (
                    format!("<details class=\"{classes}\"{open}>{summary}"),
                    "</details>",
                )
            } else {
                let title = match title.as_str() {
                    "" => String::new(),
                    title => format!("<p class=\"admonition-title\">{title}</p>"),
                };
                (
                    format!("<div class=\"admonition {classes}\">{title}"),
                    "</div>",
                )
            })
        }
        _ => None,
    }
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| "\"'".contains(*quote))?;
    text[1..].strip_suffix(quote)
}

/// Returns the kind like Python-Markdown, with only the first letter capitalised.
fn capitalised(kind: &str) -> String {
    let mut characters = kind.chars();
    let first = characters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    html(&(first + &characters.as_str().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_blocks_become_elements_around_markdown() {
        for (text, expected) in [
            (
                "a\n\n!!! note\n    *b*\n\n    c\n\nd\n",
                "a\n\n<div class=\"admonition note\"><p class=\"admonition-title\">Note</p>\n\n*b*\n\nc\n\n\n</div>\n\nd\n",
            ),
            (
                "??? tip \"A *b*\"\n\n    c\n",
                "<details class=\"tip\"><summary>A <em>b</em></summary>\n\n\nc\n\n</details>\n\n",
            ),
            (
                "!!! note \"\"\n    a\n\n    ```\n    !!! b\n    ```\nc\n",
                "<div class=\"admonition note\">\n\na\n\n```\n!!! b\n```\n\n</div>\n\nc\n",
            ),
            (
                "=== \"A\"\n\n    !!! warning inline end\n        b\n\n=== \"C\"\n\n    d\n",
                "<div class=\"tabbed-block\"><p class=\"tabbed-title\"><strong>A</strong></p>\n\n<div class=\"admonition warning inline end\"><p class=\"admonition-title\">Warning</p>\n\nb\n\n\n</div>\n\n\n</div>\n\n<div class=\"tabbed-block\"><p class=\"tabbed-title\"><strong>C</strong></p>\n\nd\n\n</div>\n\n",
            ),
            ("```\n!!! note\n```\n", "```\n!!! note\n```\n"),
            ("!!!\n===\n??? \n", "!!!\n===\n??? \n"),
            ("Title\n=====\n", "Title\n=====\n"),
        ] {
            assert_eq!(squeezed(&pass(text).text), squeezed(expected), "{text}");
        }
    }

    /// Replaces several blank lines with one.
    fn squeezed(text: &str) -> String {
        let mut text = text.to_owned();
        while text.contains("\n\n\n") {
            text = text.replace("\n\n\n", "\n\n");
        }
        text
    }
}
