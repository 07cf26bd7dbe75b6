//! Separates lines with Vue components from the Markdown around them. In VitePress and VuePress, a component that is
//! complete on its line is a separate block, while an HTML block in Markdown extends to the next blank line.

use crate::generators::syntax::{
    ExpandedText,
    code::{TextParts, line_end},
    writer::ExpansionWriter,
};

/// The components that are a separate block on their line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentLines {
    /// Complete components: `<Demo />`, `<Demo>a</Demo>` (VitePress, VuePress 2).
    Complete,
    /// Also opening tags: `<code-block title="a">` (VuePress 1).
    Opening,
}

/// Adds blank lines around the components of a text that are separate blocks on their line.
pub fn pass(text: &str, lines: ComponentLines) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains('<') {
        return writer.finish();
    }
    let mut is_in_html = false;
    let mut is_after_blank = true;
    let mut parts = TextParts::of(text);
    loop {
        // In an HTML block, a fence is text.
        let part = if is_in_html {
            parts.next_line()
        } else {
            parts.next()
        };
        let Some(part) = part else {
            break;
        };
        if part.is_code {
            is_after_blank = true;
            continue;
        }
        let (line, end) = (part.text.trim(), part.end());
        let ends_here = !is_in_html && ends_with_line(line, lines);
        if line.is_empty() {
            is_in_html = false;
        } else if ends_here {
            if !is_after_blank {
                writer.copy_to(part.start);
                writer.put("\n");
            }
            let next = text[end..line_end(text, end)].trim();
            if !next.is_empty() {
                writer.copy_to(end);
                writer.put("\n");
            }
        } else if is_after_blank && line.starts_with('<') && !line.starts_with("<http") {
            is_in_html = true;
        }
        is_after_blank = line.is_empty() || ends_here;
    }
    writer.finish()
}

/// Returns whether a line is a component that is a separate block.
fn ends_with_line(line: &str, lines: ComponentLines) -> bool {
    let Some(rest) = line.strip_prefix('<') else {
        return false;
    };
    let is_of_name =
        |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let length = rest.find(|character| !is_of_name(character));
    let (name, rest) = rest.split_at(length.unwrap_or(rest.len()));
    let is_component = name.starts_with(|first: char| first.is_ascii_uppercase())
        || name.starts_with(|first: char| first.is_ascii_lowercase()) && name.contains('-');
    if !is_component || !rest.starts_with(['>', '/', ' ', '\t']) || !rest.ends_with('>') {
        return false;
    }
    let is_one_tag = rest.matches('<').count() == 0;
    let is_closed = rest.ends_with(&format!("</{name}>"));
    is_one_tag && (rest.ends_with("/>") || lines == ComponentLines::Opening) || is_closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_end_with_their_line_are_blocks() {
        use ComponentLines::{Complete, Opening};
        for (lines, text, expected) in [
            (Complete, "<Demo />\n# A\n", "<Demo />\n\n# A\n"),
            (
                Complete,
                "a\n<my-demo>b</my-demo>\nc\n",
                "a\n\n<my-demo>b</my-demo>\n\nc\n",
            ),
            (Complete, "<Demo>\n*a*\n</Demo>\n", "<Demo>\n*a*\n</Demo>\n"),
            (
                Complete,
                "<div>\n<Demo />\na\n</div>\n",
                "<div>\n<Demo />\na\n</div>\n",
            ),
            (Complete, "a <Demo />\nb\n", "a <Demo />\nb\n"),
            (
                Complete,
                "```\n<Demo />\na\n```\n",
                "```\n<Demo />\na\n```\n",
            ),
            (
                Opening,
                "<code-block title=\"a\">\n```js\nb\n```\n</code-block>\n",
                "<code-block title=\"a\">\n\n```js\nb\n```\n</code-block>\n",
            ),
        ] {
            assert_eq!(pass(text, lines).text, expected, "{text}");
        }
    }
}
