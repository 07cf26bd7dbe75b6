//! Finds values in scripts by their keys, without running the scripts.

use serde_json::Value as Json;

use crate::generators::{
    settings::{Regex, literals::regex},
    syntax::mdx::js::{self, NameValues},
};

/// Maximum number of objects with the first key of a setting in which the other keys are searched.
const OBJECTS_MAX: usize = 20;

/// Returns the source text of a setting's value, whose keys are separated by dots. The first one anywhere in the script is
/// used.
pub(crate) fn value<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    // Several plugins may have an object with this key, so the
    // first one with the other keys counts.
    let mut values = values_of(script, first).take(OBJECTS_MAX);
    match rest {
        None => values.next(),
        Some(rest) => values.find_map(|value| member(value, rest)),
    }
}

/// Returns the number of braces that are open at a byte offset.
pub(crate) fn depth(script: &str, position: usize) -> usize {
    let before = &script[..position];
    let opened = before.matches('{').count();
    opened.saturating_sub(before.matches('}').count())
}

/// Returns the source texts of the values of all keys with this name, outside of comments.
pub(crate) fn values_of<'s>(script: &'s str, key: &str) -> impl Iterator<Item = &'s str> {
    let pattern = key_pattern(key);
    let ends: Vec<usize> = pattern
        .find_iter(script)
        .filter(|found| !is_in_comment(script, found.start()))
        .map(|found| found.end())
        .collect();
    ends.into_iter().map(move |end| expression(&script[end..]))
}

/// Returns the source text of the value at dotted keys in the source text of an object.
pub(crate) fn member<'s>(object: &'s str, key: &str) -> Option<&'s str> {
    let (first, rest) = match key.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (key, None),
    };
    let entries = js::entries(object)?;
    let mut values = entries.into_iter().filter(|(name, _)| name == first);
    let value = values.find_map(|(_, value)| value)?.trim();
    match rest {
        None => Some(value),
        Some(rest) => member(value, rest),
    }
}

/// Returns the literal that the source text of a value contains.
pub(crate) fn literal(text: &str) -> Option<Json> {
    js::literal_of_known(text, &NameValues::new())
}

/// Returns whether the source text of a value is a literal.
pub(crate) fn is_literal(text: &str) -> bool {
    literal(text).is_some()
}

/// Returns a literal string, number or Boolean as text.
pub(crate) fn scalar(text: &str) -> Option<String> {
    match literal(text)? {
        Json::String(text) => Some(text),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// Returns the literal Boolean value of a setting.
pub(crate) fn truth(script: &str, key: &str) -> Option<bool> {
    match literal(value(script, key)?)? {
        Json::Bool(truth) => Some(truth),
        _ => None,
    }
}

fn key_pattern(key: &str) -> Regex {
    let key = key.replace('.', "[.]");
    regex(&format!(r#"(?-u:\b){key}["']?[ \t\r\n]*:[ \t\r\n]*"#))
}

/// Returns whether a byte offset is in a line comment, or in a line that begins in a block comment.
pub(crate) fn is_in_comment(script: &str, position: usize) -> bool {
    let start = script[..position].rfind('\n').map_or(0, |end| end + 1);
    let before = script[start..position].trim_start();
    before.starts_with("//")
        || before.starts_with('*')
        || before.starts_with("/*") && !before.contains("*/")
}

/// Returns the leading expression of a text, up to the comma or bracket that ends it.
fn expression(text: &str) -> &str {
    text[..js::expression_length(text)].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_keys() {
        let script = "import x from 'y';\n// markdown: { a: 0 }\nexport default defineConfig({\n  markdown: { 'a': true, b: [1, 2], c: f(1, {a: 2}) },\n  other: { markdown: { d: \"x\" } },\n  last: -1\n});\n";
        for (key, expected) in [
            ("markdown.a", Some("true")),
            ("markdown.b", Some("[1, 2]")),
            ("markdown.c", Some("f(1, {a: 2})")),
            ("markdown.d", Some("\"x\"")),
            ("markdown.e", None),
            ("last", Some("-1")),
        ] {
            assert_eq!(value(script, key), expected, "{key}");
        }
        assert_eq!(truth(script, "markdown.a"), Some(true));
        assert_eq!(scalar("'a'").as_deref(), Some("a"));
        assert!(!is_literal("f(1)"));
    }
}
