//! Converts links and escapes of Python-Markdown to CommonMark. In Python-Markdown, URLs of links may contain spaces, as in
//! kramdown; fewer characters can be escaped; and mail URLs in angle brackets are shown without their scheme.

use crate::generators::syntax::{ExpandedText, code::Code, writer::ExpansionWriter};

/// Characters that can be escaped in CommonMark but not in Python-Markdown. Others, which extensions escape, are not listed.
const NOT_ESCAPED: &str = "\"%&',/:;<=?@";

/// Maximum length of the URL and the title of a link, in bytes. Longer links are unchanged.
const TARGET_BYTES_MAX: usize = 2_000;

/// Converts only the links of a text, as kramdown parses them.
pub fn links(text: &str) -> ExpandedText {
    converted(text, &[']'], false)
}

/// Converts the links and escapes of a text. With `may_have_formulas`, escapes are unchanged in a text with formulas, where
/// a backslash may begin a command.
pub fn pass(text: &str, may_have_formulas: bool) -> ExpandedText {
    converted(text, &[']', '\\', '<'], may_have_formulas)
}

fn converted(text: &str, signs: &[char], may_have_formulas: bool) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    // In formulas, a backslash begins a command.
    let marks = ["$", "\\(", "\\["];
    let has_formulas = may_have_formulas && marks.iter().any(|mark| text.contains(mark));
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find(signs) {
        let start = offset + found;
        offset = start + 1;
        if let Some(code) = code.at(start) {
            offset = code.end;
            continue;
        }
        let rest = &text[start..];
        if let Some(after) = rest.strip_prefix('\\') {
            let Some(escaped) = after.chars().next() else {
                break;
            };
            if !has_formulas && NOT_ESCAPED.contains(escaped) {
                writer.copy_to(start);
                writer.put("\\");
            } else {
                offset += escaped.len_utf8();
            }
        } else if rest.starts_with("<mailto:") {
            writer.copy_to(start + 1);
            writer.skip_to(start + "<mailto:".len());
        } else if let Some(target) = rest.strip_prefix("](") {
            let first = start + "](".len();
            if let Some(url) = url_with_blanks(target) {
                writer.copy_to(first);
                writer.put(&format!("<{url}>"));
                writer.skip_to(first + url.len());
            }
        }
    }
    writer.finish()
}

/// Returns the URL at the beginning of a link target, up to its title or closing parenthesis; `None` if the URL contains no
/// spaces.
fn url_with_blanks(target: &str) -> Option<&str> {
    let target = &target[..target.floor_char_boundary(TARGET_BYTES_MAX)];
    let mut depth = 0;
    // Parentheses in the URL must be balanced, as in CommonMark.
    let end = target.find(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth < 0 || "\n[]".contains(character)
    })?;
    if !target[end..].starts_with(')') {
        return None;
    }
    let target = target[..end].trim_end();
    let url = match target
        .chars()
        .next_back()
        .filter(|last| "\"'".contains(*last))
    {
        Some(quote) => {
            let title = target[..target.len() - 1].find(quote)?;
            target[..title].trim_end()
        }
        None => target,
    };
    let is_plain = !url.starts_with(char::is_whitespace) && !url.contains(['<', '>', '\\']);
    (is_plain && url.contains(' ')).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_escapes_are_those_of_commonmark() {
        for (text, expected) in [
            ("[a](b c.md) d", "[a](<b c.md>) d"),
            ("[a](b c.md \"d e\")", "[a](<b c.md> \"d e\")"),
            ("![a](b (c) d.png)", "![a](<b (c) d.png>)"),
            ("[a](b.md \"c\") [d](e.md)", "[a](b.md \"c\") [d](e.md)"),
            ("[a](<b c.md>) [d](e\nf)", "[a](<b c.md>) [d](e\nf)"),
            ("`[a](b c.md)`", "`[a](b c.md)`"),
            ("\\\"a\\\" \\* \\<b \\\\", "\\\\\"a\\\\\" \\* \\\\<b \\\\"),
            ("<mailto:a@b.example>", "<a@b.example>"),
        ] {
            assert_eq!(pass(text, true).text, expected, "{text}");
        }
        let formula = "$a\\,b$ \\\"";
        assert_eq!(pass(formula, true).text, formula);
        assert_eq!(pass(formula, false).text, "$a\\\\,b$ \\\\\"");
    }
}
