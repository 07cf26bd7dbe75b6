//! Normalises the line that opens a code block: `js{1,3}`, `js [title.js]`, `{ .yaml .annotate title="x" }`. The language is
//! retained, the title becomes a line above, and options of highlighters are dropped.

use crate::generators::syntax::{
    ExpandedText,
    code::{container_length, fence_mark, line_end, verbatim_length},
    escape::html,
    writer::ExpansionWriter,
};

/// Normalises the code blocks of a text.
pub fn pass(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    let mut offset = 0;
    while offset < text.len() {
        let end = line_end(text, offset);
        let Some(length) = verbatim_length(&text[offset..]) else {
            offset = end;
            continue;
        };
        let line = text[offset..end].trim_end();
        let content = offset + container_length(line);
        if let Some((_, marks)) = fence_mark(line) {
            let start = (content + marks).min(offset + line.len());
            let written = &text[start..offset + line.len()];
            let info = FenceInfo::of(written);
            if let Some(title) = info.title {
                writer.copy_to(content);
                let (prefix, _) = writer.line_so_far();
                writer.put(&format!(
                    "<div class=\"code-block-title\">{}</div>\n{}\n{prefix}",
                    html(title),
                    prefix.trim_end()
                ));
            }
            // An unchanged line is copied with its spaces, so that plain code stays as it is.
            if info.language != written.trim() {
                writer.copy_to(start);
                writer.put(info.language);
                writer.skip_to(offset + line.len());
            }
        }
        offset += length;
    }
    writer.finish()
}

/// Comments that mark other lines for highlighters, if they are alone on a line of code.
const HIGHLIGHTS: [&str; 4] = [
    "highlight-next-line",
    "highlight-start",
    "highlight-end",
    "highlight-line",
];

/// The beginnings of comments that may contain such a mark.
const COMMENTS: [&str; 7] = ["{/*", "<!--", "//", "/*", "--", "#", ";"];

/// Drops comments for highlighters in the code blocks of a text: `// highlight-next-line`, `// [!code ++]`. Comments of the
/// first kind are retained if the opening line of the block lists lines (`{1,3}`), because they have no effect there
/// (Docusaurus 3.10, seen in its build).
pub fn without_highlights(text: &str) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !text.contains("highlight-") && !text.contains("[!code ") {
        return writer.finish();
    }
    let mut offset = 0;
    while offset < text.len() {
        let Some(length) = verbatim_length(&text[offset..]) else {
            offset = line_end(text, offset);
            continue;
        };
        let end = offset + length;
        let opening = &text[offset..line_end(text, offset)];
        if fence_mark(opening).is_none() {
            offset = end;
            continue;
        }
        let block = HighlightedBlock {
            names_lines: opening.split('{').skip(1).any(begins_with_digit),
            is_quoted: opening.trim_start().starts_with('>'),
        };
        offset = line_end(text, offset);
        while offset < end {
            let next = line_end(text, offset).min(end);
            let line = text[offset..next].trim_end();
            if let Some(shown) = block.without_mark(line) {
                let is_dropped = block.code(shown).is_empty();
                writer.copy_to(offset + if is_dropped { 0 } else { shown.len() });
                writer.skip_to(if is_dropped {
                    next
                } else {
                    offset + line.len()
                });
            }
            offset = next;
        }
    }
    writer.finish()
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|character: char| character.is_ascii_digit())
}

/// A code block that may contain comments for highlighters.
struct HighlightedBlock {
    /// Whether the opening line lists lines.
    names_lines: bool,
    /// Whether the block is in a quote, whose markers begin its lines.
    is_quoted: bool,
}

impl HighlightedBlock {
    /// Returns the code of a line, without surrounding spaces and leading quote markers.
    fn code<'t>(&self, line: &'t str) -> &'t str {
        let line = line.trim();
        if self.is_quoted {
            line.trim_start_matches(['>', ' ', '\t'])
        } else {
            line
        }
    }

    /// Returns a line of code without its comment for highlighters; `None` if it has none.
    fn without_mark<'t>(&self, line: &'t str) -> Option<&'t str> {
        let comment_before = |end: usize| {
            let starts = COMMENTS
                .iter()
                .filter_map(|comment| line[..end].rfind(comment));
            starts.min()
        };
        // This notation also marks the line itself, so the code before the comment is shown.
        if let Some(mark) = line.find("[!code ") {
            let between = line[..mark].trim_end();
            let comment = COMMENTS
                .iter()
                .find(|comment| between.ends_with(**comment))?;
            return Some(between[..between.len() - comment.len()].trim_end());
        }
        if self.names_lines {
            return None;
        }
        let mark = HIGHLIGHTS.iter().find_map(|name| line.find(name))?;
        let start = comment_before(mark)?;
        let words = line[start..].trim_matches(|character: char| "{/*<!->#;} ".contains(character));
        let is_mark = HIGHLIGHTS.contains(&words);
        (is_mark && self.code(&line[..start]).is_empty()).then_some("")
    }
}

/// The visible parts of an opening line.
struct FenceInfo<'t> {
    language: &'t str,
    title: Option<&'t str>,
}

impl<'t> FenceInfo<'t> {
    fn of(written: &'t str) -> Self {
        let written = written.trim();
        let title = attribute(written, "title=").or_else(|| bracketed(written));
        let rest = written.trim_start_matches(['{', ' ']);
        // In braces, only a class is a language: `{ .yaml }`.
        let rest = if written.starts_with('{') {
            rest.strip_prefix('.').unwrap_or_default()
        } else {
            rest
        };
        let end =
            rest.find(|character: char| character.is_whitespace() || "{}[:,".contains(character));
        let language = &rest[..end.unwrap_or(rest.len())];
        let is_attribute = language.contains('=');
        Self {
            language: if is_attribute { "" } else { language },
            title,
        }
    }
}

/// Returns the quoted text after `name`.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(name)?;
    let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
    rest[1..].split_once(quote).map(|(inside, _)| inside)
}

/// Returns the text in brackets, as in `js [title.js]`.
fn bracketed(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    let inside = rest
        .strip_suffix(']')
        .or_else(|| rest.split_once(']').map(|(inside, _)| inside))?;
    (!inside.is_empty()).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_title_of_code_remain() {
        for (line, expected) in [
            ("```js{1,3}", "```js"),
            ("```js {1,3}", "```js"),
            ("```ts:line-numbers {1}", "```ts"),
            (
                "```js [a & b.js]",
                "<div class=\"code-block-title\">a &amp; b.js</div>\n\n```js",
            ),
            (
                "``` { .yaml .annotate title=\"c\" }",
                "<div class=\"code-block-title\">c</div>\n\n```yaml",
            ),
            ("``` py hl_lines=\"2 3\"", "```py"),
            (
                "``` title=\"d\"",
                "<div class=\"code-block-title\">d</div>\n\n```",
            ),
            ("```rust", "```rust"),
            ("```", "```"),
        ] {
            let text = format!("{line}\nx{{1}}\n```\n");
            let expected = format!("{expected}\nx{{1}}\n```\n");
            assert_eq!(pass(&text).text, expected, "{line}");
        }
    }

    #[test]
    fn comments_for_highlighters_are_dropped() {
        let text = "```js\n// highlight-next-line\na; // [!code ++]\n{/* highlight-start */}\nb; // highlight-end of c\n# highlight-end\n```\n// highlight-next-line\n";
        let expected = "```js\na;\nb; // highlight-end of c\n```\n// highlight-next-line\n";
        assert_eq!(without_highlights(text).text, expected);
        let text = "```js {1}\n// highlight-next-line\na; // [!code ++]\n```\n";
        let expected = "```js {1}\n// highlight-next-line\na;\n```\n";
        assert_eq!(without_highlights(text).text, expected);
    }
}
