//! Reads literal values of variables in the settings of Pelican, which are Python.

use crate::generators::settings::literals::regex;

/// Returns a regular expression for the start of an assignment to a variable, which may have a type annotation.
pub(super) fn assignment(key: &str) -> String {
    format!(r"(?m)^{key}[ \t]*(?::[^=\n]*)?=[ \t]*")
}

/// Returns the first line of the value of a variable.
pub(super) fn value<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let pattern = format!(r"{}([^\n#]*)", assignment(key));
    let captures = regex(&pattern).captures(script)?;
    Some(captures.get(1)?.as_str().trim())
}

/// Returns the literal string value of a variable; `None` if it is empty.
pub(super) fn text(script: &str, key: &str) -> Option<String> {
    let pattern = format!(r#"{}r?(?:"([^"\n]*)"|'([^'\n]*)')"#, assignment(key));
    let captures = regex(&pattern).captures(script)?;
    let value = captures.iter().skip(1).flatten().next()?;
    Some(value.as_str().to_owned()).filter(|value| !value.is_empty())
}

/// Returns the literal strings in a list. Other entries are skipped.
pub(super) fn list(script: &str, key: &str) -> Option<Vec<String>> {
    let pattern = format!(r"{}[\[(]([^\])]*)[\])]", assignment(key));
    let captures = regex(&pattern).captures(script)?;
    let entries = regex(r#"["']([^"'\n]*)["']"#);
    let entries = entries.captures_iter(captures.get(1)?.as_str());
    Some(entries.map(|entry| entry[1].to_owned()).collect())
}

/// Returns the source text of a list up to its closing bracket at the end of a line. Its entries need not be literals.
pub(super) fn list_text<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let rest = after_opening(script, key)?;
    Some(&rest[..rest.find("]\n").unwrap_or(rest.len())])
}

/// Returns the strings of a list; `None` if an entry is not a literal string.
pub(super) fn literal_list(script: &str, key: &str) -> Option<Vec<String>> {
    let mut rest = after_opening(script, key)?;
    let mut entries = Vec::new();
    loop {
        rest = after_blanks(rest);
        if rest.starts_with([']', ')']) {
            return Some(entries);
        }
        let (entry, after) = literal(rest)?;
        entries.push(entry);
        rest = after_entry(after)?;
    }
}

/// Returns the pairs of strings in a list; `None` if an entry is not such a pair.
pub(super) fn literal_pairs(script: &str, key: &str) -> Option<Vec<(String, String)>> {
    let mut rest = after_opening(script, key)?;
    let mut pairs = Vec::new();
    loop {
        rest = after_blanks(rest);
        if rest.starts_with([']', ')']) {
            return Some(pairs);
        }
        let (first, after) = literal(after_blanks(rest.strip_prefix(['(', '['])?))?;
        let after = after_blanks(after).strip_prefix(',')?;
        let (second, after) = literal(after_blanks(after))?;
        let after = after_blanks(after_entry(after)?);
        pairs.push((first, second));
        rest = after_entry(after.strip_prefix([')', ']'])?)?;
    }
}

/// Returns the text after the bracket that opens the value of a variable.
fn after_opening<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let found = regex(&assignment(key)).find(script)?;
    script[found.end()..].strip_prefix(['[', '('])
}

/// Returns the text after the comma that follows an entry of a list, or from the end of the list on. `None` if neither
/// follows.
fn after_entry(rest: &str) -> Option<&str> {
    let rest = after_blanks(rest);
    match rest.strip_prefix(',') {
        Some(rest) => Some(rest),
        None => rest.starts_with([']', ')']).then_some(rest),
    }
}

/// Returns the text after blanks, line breaks and comments.
fn after_blanks(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start();
        if !rest.starts_with('#') {
            return rest;
        }
        rest = rest.split_once('\n').map_or("", |(_, below)| below);
    }
}

/// Returns the literal string at the start of `rest`, and the text after it.
fn literal(rest: &str) -> Option<(String, &str)> {
    let (is_raw, rest) = match rest.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        // `u` is the prefix of texts in Python 2.
        None => (false, rest.strip_prefix('u').unwrap_or(rest)),
    };
    let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
    let mut text = String::new();
    let mut characters = rest[1..].char_indices();
    while let Some((offset, character)) = characters.next() {
        match character {
            _ if character == quote => return Some((text, &rest[offset + 2..])),
            '\n' => return None,
            '\\' => {
                let (_, escaped) = characters.next()?;
                // As in Python, a backslash before another character is literal.
                if is_raw || !"\\'\"".contains(escaped) {
                    text.push('\\');
                }
                text.push(escaped);
            }
            _ => text.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_if_all_entries_are_literal() {
        for (script, expected) in [
            ("A = ['a', \"b\"]\n", Some(vec!["a", "b"])),
            ("A: list[str] = [\n  'a',  # 'b'\n]\n", Some(vec!["a"])),
            ("A = ('a',)\n", Some(vec!["a"])),
            ("A = []\n", Some(vec![])),
            ("A = [a]\n", None),
            ("A = ['a' + b]\n", None),
            ("A = 'a'\n", None),
        ] {
            let expected = expected.map(|list| list.into_iter().map(str::to_owned).collect());
            assert_eq!(literal_list(script, "A"), expected, "{script}");
        }
    }

    #[test]
    fn pairs_are_read_with_their_escapes() {
        let script = "A = [\n    (r'[^\\w\\s-]', ''),  # marks\n    ('C\\\\+', \"it's\"),\n]\n";
        let pair = |first: &str, second: &str| (first.to_owned(), second.to_owned());
        let expected = vec![pair("[^\\w\\s-]", ""), pair("C\\+", "it's")];
        assert_eq!(literal_pairs(script, "A"), Some(expected));
        assert_eq!(literal_pairs("A = [('a', b)]\n", "A"), None);
    }
}
