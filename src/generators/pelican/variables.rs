//! Literal values of variables in the settings of Pelican, which are Python.

use crate::generators::settings::literals::regex;

/// Returns the first line of the value of a variable.
pub(super) fn value<'s>(script: &'s str, key: &str) -> Option<&'s str> {
    let pattern = format!(r"(?m)^{key}[ \t]*=[ \t]*([^\n#]*)");
    let captures = regex(&pattern).captures(script)?;
    Some(captures.get(1)?.as_str().trim())
}

/// Returns the literal text of a variable.
pub(super) fn text(script: &str, key: &str) -> Option<String> {
    let pattern = format!(r#"(?m)^{key}[ \t]*=[ \t]*r?(?:"([^"\n]*)"|'([^'\n]*)')"#);
    let captures = regex(&pattern).captures(script)?;
    let value = captures.iter().skip(1).flatten().next()?;
    Some(value.as_str().to_owned()).filter(|value| !value.is_empty())
}

/// Returns the literal texts of a list.
pub(super) fn list(script: &str, key: &str) -> Option<Vec<String>> {
    let pattern = format!(r"(?m)^{key}[ \t]*=[ \t]*[\[(]([^\])]*)[\])]");
    let captures = regex(&pattern).captures(script)?;
    let entries = regex(r#"["']([^"'\n]*)["']"#);
    let entries = entries.captures_iter(captures.get(1)?.as_str());
    Some(entries.map(|entry| entry[1].to_owned()).collect())
}
