//! The tokens of line-based languages: keys with values, and diffs.

use super::{
    language::Words,
    tokens::{Kind, Token, add_tokens, line_length},
};

/// Returns the tokens of keys with values: sections in brackets, and the key at the start of a line with its value.
pub fn keys(words: &Words, code: &str) -> Vec<Token> {
    let mut found = Vec::new();
    // Lines without a key are read together with the value before them, so that a string may span several lines.
    let mut value_start = 0;
    let mut line_start = 0;
    for line in code.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t', '-']).len();
        let text = line[indent..].trim_end();
        let start = line_start + indent;
        let head = if text.starts_with('[') && text.ends_with(']') {
            Some((Kind::Type, text.len()))
        } else {
            key_length(text).map(|length| (Kind::Key, length))
        };
        if let Some((kind, length)) = head {
            add_tokens(words, code, value_start..start, &mut found);
            found.push(Token {
                kind,
                range: start..start + length,
            });
            value_start = start + length;
        }
        line_start += line.len();
    }
    add_tokens(words, code, value_start..code.len(), &mut found);
    found
}

/// Returns the length of the key at the start of a line: a name, which may be quoted, before `=` or before a colon with white
/// space after it.
fn key_length(line: &str) -> Option<usize> {
    let end = line.find(['=', ':', '#', ',', '[', '{', '('])?;
    let after = &line[end + 1..];
    let is_separator = match line.as_bytes()[end] {
        b'=' => true,
        // In YAML, a colon without a space after it is part of the text, as in URLs.
        b':' => after.is_empty() || after.starts_with([' ', '\t']),
        _ => false,
    };
    let key = line[..end].trim_end();
    (is_separator && !key.is_empty()).then_some(key.len())
}

/// Returns the tokens of a diff, at most one for each line.
pub fn changes(code: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let kind = match line.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Some(Kind::Type),
            [b'@', b'@', ..] => Some(Kind::Variable),
            [b'+', ..] => Some(Kind::Added),
            [b'-', ..] => Some(Kind::Removed),
            _ if line.starts_with("diff ") || line.starts_with("index ") => Some(Kind::Comment),
            _ => None,
        };
        if let Some(kind) = kind {
            found.push(Token {
                kind,
                range: start..start + line_length(line),
            });
        }
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{
        super::{languages::by_name, tokens::texts},
        *,
    };

    fn read(code: &str) -> Vec<(Kind, &str)> {
        texts(keys(by_name("yaml").unwrap(), code), code)
    }

    #[test]
    fn keys_of_yaml_have_values_and_comments() {
        assert_eq!(
            read(
                "# top\nsite:\n  - title: \"A: b\" # c\n    url: https://x.test/#y\n    on: yes\n"
            ),
            [
                (Kind::Comment, "# top"),
                (Kind::Key, "site"),
                (Kind::Key, "title"),
                (Kind::String, "\"A: b\""),
                (Kind::Comment, "# c"),
                (Kind::Key, "url"),
                (Kind::Key, "on"),
                (Kind::Constant, "yes"),
            ]
        );
    }

    #[test]
    fn sections_of_toml_are_types() {
        assert_eq!(
            read("[server]\nport = 8080\nname = 'a'\n"),
            [
                (Kind::Type, "[server]"),
                (Kind::Key, "port"),
                (Kind::Number, "8080"),
                (Kind::Key, "name"),
                (Kind::String, "'a'"),
            ]
        );
    }

    #[test]
    fn changes_are_read_by_line() {
        let code = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same";
        let found = texts(changes(code), code);
        assert_eq!(
            found,
            [
                (Kind::Type, "--- a"),
                (Kind::Type, "+++ b"),
                (Kind::Variable, "@@ -1 +1 @@"),
                (Kind::Removed, "-old"),
                (Kind::Added, "+new"),
            ]
        );
    }
}
