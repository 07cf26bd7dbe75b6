//! Separates formulas between lines `$$` from the text around them: in Obsidian and Quartz they are blocks.

use crate::generators::syntax::{ExpandedText, code::TextParts, writer::ExpansionWriter};

/// The line before and after a formula.
const MARK: &str = "$$";

/// Adds blank lines around the formulas of a text.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains(MARK) {
        return writer.finish();
    }
    let mut is_after_blank = true;
    // The positions before a formula and whether it is after a blank line, from its first line on.
    let mut open: Option<(usize, bool)> = None;
    let mut closed = false;
    for part in TextParts::of(text) {
        let line = part.text.trim();
        if std::mem::take(&mut closed) && !line.is_empty() {
            writer.copy_to(part.start);
            writer.put("\n");
        }
        let is_opening = line
            .strip_prefix(MARK)
            .is_some_and(|rest| !rest.contains('$'));
        match open {
            // A formula has no blank lines.
            _ if part.is_code || line.is_empty() => open = None,
            Some((start, is_apart)) if line.ends_with(MARK) => {
                if !is_apart {
                    writer.copy_to(start);
                    writer.put("\n");
                }
                writer.copy_to(part.end());
                closed = true;
                open = None;
            }
            None if is_opening => open = Some((part.start, is_after_blank)),
            _ => {}
        }
        is_after_blank = line.is_empty() || part.is_code;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_between_lines_are_blocks() {
        for (text, expected) in [
            ("a\n$$\nb\n$$\nc\n", "a\n\n$$\nb\n$$\n\nc\n"),
            ("- a\n  $$\n  b\n  $$\n", "- a\n\n  $$\n  b\n  $$\n"),
            ("a\n\n$$\nb\n$$\n\nc\n", "a\n\n$$\nb\n$$\n\nc\n"),
            ("a\n$$b$$\nc\n", "a\n$$b$$\nc\n"),
            ("a\n$$\nb\n\nc\n", "a\n$$\nb\n\nc\n"),
            ("```\na\n$$\nb\n$$\nc\n```\n", "```\na\n$$\nb\n$$\nc\n```\n"),
        ] {
            assert_eq!(pass(text).text, expected, "{text}");
        }
    }
}
