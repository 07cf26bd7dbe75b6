//! Reads literal values in settings files and scripts, without running them.

use std::{
    io::{self, Read},
    path::Path,
    sync::LazyLock,
};

use regex::Regex;

use crate::{
    confined_folder::ConfinedFolder,
    content_text::{
        Diagnostic, Source, document,
        document::{DocumentError, Kind, Language, Table, Value},
    },
};

/// Maximum length of a settings file, in bytes.
const SETTINGS_BYTES_MAX: u64 = 512 << 10;

/// Extensions of settings files, and their languages. JSON is YAML (YAML 1.2, section 1.3).
const DATA: [(&str, Language); 4] = [
    ("toml", Language::Toml),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("json", Language::Yaml),
];

/// Extensions of scripts that may contain settings.
pub(crate) const SCRIPTS: [&str; 5] = ["js", "mjs", "cjs", "ts", "mts"];

/// Returns the path in `root` of the settings file with the name `stem`, and its language.
pub(crate) fn settings_file(root: &Path, stem: &str) -> Option<(String, Language)> {
    DATA.iter().find_map(|(extension, language)| {
        let path = format!("{stem}.{extension}");
        root.join(&path).is_file().then_some((path, *language))
    })
}

/// Returns the text of a file of the project in `root`; empty if it cannot be read, like a file without settings.
pub(crate) fn text_of(root: &Path, path: &str) -> String {
    read_text(root, path).unwrap_or_default()
}

/// Returns the text of a file of the project in `root`, up to [`SETTINGS_BYTES_MAX`].
///
/// # Errors
///
/// `RefusedLink` for a link out of the project, or if the file cannot be read.
pub(crate) fn read_text(root: &Path, path: &str) -> io::Result<String> {
    // Settings may name folders outside of the project.
    let (outside, path) = path.split_at(path.len() - path.trim_start_matches("../").len());
    let (file, _) = ConfinedFolder::open(&root.join(outside))?.open_real(path)?;
    let mut bytes = Vec::new();
    // A longer file is cut off here, and `unused_file` reports it by its length.
    file.take(SETTINGS_BYTES_MAX).read_to_end(&mut bytes)?;
    // The limit may divide a character, so invalid bytes are no error.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the warning about a data file that is not used because it is malformed or too long. `text` is the text that
/// [`text_of`] returns for it.
pub(crate) fn unused_file(file: &str, text: &str, malformed: DocumentError) -> Diagnostic {
    if text.len() as u64 >= SETTINGS_BYTES_MAX {
        let message = format!("file ignored: larger than {} KiB", SETTINGS_BYTES_MAX >> 10);
        return Diagnostic::about_file(file, message, "shorten it").into_warning();
    }
    let message = format!("file ignored: {}", malformed.message);
    match Source::decode(file, text.as_bytes()) {
        Ok(source) => source.warning(malformed.span, message, malformed.advice),
        Err(problem) => problem.into_warning(),
    }
}

/// Returns the literal `permalink` of a script.
pub(crate) fn permalink_in(script: &str) -> Option<String> {
    static PERMALINK: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)permalink["']?[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`]+)["'`]"#)
    });
    let captures = PERMALINK.captures(script)?;
    Some(captures[1].to_owned())
}

/// Returns the first literal string value of `key` in a script.
pub(crate) fn literal(script: &str, key: &str) -> Option<String> {
    let pattern =
        format!(r#"(?-u:\b){key}["']?[ \t\r\n]*:[ \t\r\n]*(?:"([^"$]+)"|'([^'$]+)'|`([^`$]+)`)"#);
    let captures = regex(&pattern).captures(script)?;
    let value = captures.iter().skip(1).flatten().next()?;
    Some(value.as_str().to_owned())
}

/// Compiles a regular expression that is a constant of this program.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("invariant: the pattern is a constant")
}

/// Compiles a regular expression from a project's settings, in the syntax of Go or Python; `None` if it is invalid or has
/// unsupported parts, such as look-ahead.
pub(crate) fn written_regex(pattern: &str) -> Option<Regex> {
    let mut translated = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            translated.push(character);
            continue;
        }
        // Non-ASCII characters all count as letters.
        match characters.next()? {
            'd' => translated.push_str("[0-9]"),
            'D' => translated.push_str("[^0-9]"),
            'w' => translated.push_str("[0-9A-Za-z_\\x{80}-\\x{10FFFF}]"),
            'W' => translated.push_str("[^0-9A-Za-z_\\x{80}-\\x{10FFFF}]"),
            's' => translated.push_str("[ \\t\\r\\n]"),
            'S' => translated.push_str("[^ \\t\\r\\n]"),
            'b' => translated.push_str("(?-u:\\b)"),
            // In Python, `\Z` is the end of the text.
            'Z' => translated.push_str("\\z"),
            escaped => translated.extend(['\\', escaped]),
        }
    }
    Regex::new(&translated).ok()
}

/// Returns the path of a folder without a leading `./` and surrounding slashes.
pub(crate) fn clean(folder: &str) -> String {
    let folder = folder.trim().trim_end_matches('/');
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    match folder.trim_start_matches('/') {
        "." => String::new(),
        folder => folder.to_owned(),
    }
}

/// Returns an http or https URL without its scheme; `None` for other URLs.
pub(super) fn without_scheme(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("//")?;
    let is_web = ["", "http:", "https:"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    is_web.then_some(rest)
}

/// Returns the path of a site's URL: `/blog` for `https://example.com/blog/`.
pub(super) fn path_of_url(url: &str) -> String {
    let below = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = below.find('/').map_or("", |start| &below[start..]);
    path.trim_end_matches('/').to_owned()
}

/// Returns the value of `key`, ignoring case.
pub(crate) fn value<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut entries = table.entries.iter();
    let entry = entries.find(|(name, _)| name.value.eq_ignore_ascii_case(key));
    entry.map(|(_, value)| value)
}

/// Returns the string value of `key`; `None` if it is empty or not a string.
pub(crate) fn text(table: &Table, key: &str) -> Option<String> {
    match &value(table, key)?.value {
        Kind::Text(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// Returns the strings in the list of `key`. Other elements are skipped.
pub(crate) fn texts(table: &Table, key: &str) -> Vec<String> {
    let Some(Kind::List(list)) = value(table, key).map(|value| &value.value) else {
        return Vec::new();
    };
    let text = |value: &Value| match &value.value {
        Kind::Text(text) => Some(text.clone()),
        _ => None,
    };
    list.iter().filter_map(text).collect()
}

/// Returns the table of `key`.
pub(crate) fn inner<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    match &value(table, key)?.value {
        Kind::Table(inner) => Some(inner),
        _ => None,
    }
}

/// Returns the value at dotted keys.
pub(crate) fn value_at<'a>(table: &'a Table, keys: &str) -> Option<&'a Value> {
    match keys.split_once('.') {
        None => value(table, keys),
        Some((first, rest)) => value_at(inner(table, first)?, rest),
    }
}

/// Returns the Boolean at dotted keys.
pub(crate) fn truth_at(table: &Table, keys: &str) -> Option<bool> {
    match value_at(table, keys)?.value {
        Kind::Boolean(truth) => Some(truth),
        _ => None,
    }
}

/// Returns the string at dotted keys.
pub(crate) fn text_at<'a>(table: &'a Table, keys: &str) -> Option<&'a str> {
    match &value_at(table, keys)?.value {
        Kind::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the keys of a table, in order.
pub(crate) fn keys(table: &Table) -> Vec<String> {
    table
        .entries
        .iter()
        .map(|(key, _)| key.value.clone())
        .collect()
}

/// Returns whether `value` is a table in which `key` is `true`.
pub(crate) fn is_set(value: &Value, key: &str) -> bool {
    let Kind::Table(table) = &value.value else {
        return false;
    };
    matches!(self::value(table, key), Some(value) if value.value == Kind::Boolean(true))
}

/// Returns the parsed settings file with the name `stem` in `root`; `None` if it does not exist or is malformed.
pub(crate) fn data_in(root: &Path, stem: &str) -> Option<Table> {
    let (path, language) = settings_file(root, stem)?;
    document::parse(language, &text_of(root, &path), 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_of_settings_are_compiled() {
        for (pattern, text, is_match) in [
            (r"^\d{4}-[\w-]+$", "2024-né", true),
            (r"\.draft\.md$", "a.draft.md", true),
            (r"\bold\b", "bolder", false),
            (r"a\sb", "a b", true),
        ] {
            let regex = written_regex(pattern).unwrap();
            assert_eq!(regex.is_match(text), is_match, "{pattern}");
        }
        assert!(written_regex("(?=a)").is_none() && written_regex("(").is_none());
    }
}
