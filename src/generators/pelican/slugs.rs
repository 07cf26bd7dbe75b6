//! Builds slugs of titles, names, categories and authors like Pelican.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use regex::Regex;
use serde_json::{Map, Value as Json, json};

use crate::{
    generators::{
        pelican::variables::{literal_pairs, value},
        settings::literals::written_regex,
    },
    render::slug,
};

/// The setting with the regular expressions that build slugs, each with its replacement.
pub(super) const SUBSTITUTIONS: &str = "SLUG_REGEX_SUBSTITUTIONS";

/// The settings that retain non-ASCII letters and upper case.
const UNICODE: &str = "SLUGIFY_USE_UNICODE";
const CASE: &str = "SLUGIFY_PRESERVE_CASE";

/// Returns the site variables with the rules for slugs in the settings.
pub(super) fn variables(scripts: &[String]) -> Map<String, Json> {
    let mut variables = Map::new();
    for key in [UNICODE, CASE] {
        let mut values = scripts.iter().filter_map(|script| value(script, key));
        if values.next() == Some("True") {
            variables.insert(key.to_owned(), true.into());
        }
    }
    let mut pairs = scripts
        .iter()
        .filter_map(|script| literal_pairs(script, SUBSTITUTIONS));
    if let Some(pairs) = pairs.next().filter(|pairs| are_usable(pairs)) {
        variables.insert(SUBSTITUTIONS.to_owned(), json!(pairs));
    }
    variables
}

/// Returns whether all regular expressions are supported.
pub(super) fn are_usable(pairs: &[(String, String)]) -> bool {
    pairs.iter().all(|(pattern, _)| compiled(pattern).is_some())
}

/// Returns the slug of a text by the rules in `site`.
pub(super) fn of(text: &str, site: &Map<String, Json>) -> String {
    let is_set = |key: &str| site.get(key) == Some(&Json::Bool(true));
    // Titles may contain HTML, which Pelican removes before it makes the slug.
    let text = without_tags(text);
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&text);
    let text = if is_set(UNICODE) {
        composed.into_owned()
    } else {
        slug::ascii(&composed)
    };
    let slug = match site.get(SUBSTITUTIONS).and_then(Json::as_array) {
        Some(pairs) => substituted(text, pairs),
        None => usual(&text),
    };
    let slug = slug.trim();
    if is_set(CASE) {
        slug.to_owned()
    } else {
        slug.to_lowercase()
    }
}

/// Applies the default of [`SUBSTITUTIONS`]: retains letters, digits and `_`, and replaces each run of spaces and hyphens
/// with a hyphen.
fn usual(text: &str) -> String {
    let is_separator = |character: char| character == '-' || character.is_whitespace();
    let is_retained = |character: &char| {
        character.is_alphanumeric() || *character == '_' || is_separator(*character)
    };
    let retained: String = text.chars().filter(is_retained).collect();
    let mut slug = String::with_capacity(retained.len());
    for character in retained.trim().chars() {
        if !is_separator(character) {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug
}

/// Replaces the matches of each regular expression.
fn substituted(mut text: String, pairs: &[Json]) -> String {
    for pair in pairs {
        let part = |index: usize| pair.get(index).and_then(Json::as_str).unwrap_or_default();
        if let Some(regex) = compiled(part(0)) {
            let replacement = replacement(part(1));
            let replaced = regex.replace_all(&text, replacement.as_str());
            text = replaced.into_owned();
        }
    }
    text
}

/// Compiles a regular expression that ignores case; `None` if it is not supported.
fn compiled(pattern: &str) -> Option<Regex> {
    written_regex(&format!("(?i){pattern}"))
}

/// Converts references to groups in a replacement to the syntax of the crate `regex`: `${1}` for `\1`.
fn replacement(written: &str) -> String {
    let mut parts = written.split('\\');
    // `$` begins a reference in the crate, but is text in Python.
    let first = parts.next().unwrap_or_default().replace('$', "$$");
    parts.fold(first, |mut replacement, part| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            replacement.push_str(&format!("${{{}}}", &part[..digits]));
        }
        replacement.push_str(&part[digits..].replace('$', "$$"));
        replacement
    })
}

/// Returns a text without HTML tags.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut rest = text;
    let mut outside = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once('<') {
        let Some((_, behind)) = after.split_once('>') else {
            break;
        };
        outside.push_str(before);
        rest = behind;
    }
    outside.push_str(rest);
    Cow::Owned(outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug_with(settings: &str, text: &str) -> String {
        of(text, &variables(&[settings.to_owned()]))
    }

    #[test]
    fn marks_are_removed_and_words_are_joined() {
        for (text, expected) in [
            ("Bayes's formula", "bayess-formula"),
            ("gitgraph.js", "gitgraphjs"),
            ("Law (1/4)", "law-14"),
            ("AT&T – the story", "att-the-story"),
            ("x_y z", "x_y-z"),
            ("Python 3.6, f-strings", "python-36-f-strings"),
            ("don’t stop", "dont-stop"),
            ("Été à la mer", "ete-a-la-mer"),
            ("ﬁn ½", "fin-12"),
            ("港の灯り", "gang-nodeng-ri"),
            ("a <em>b</em> c", "a-b-c"),
            ("a < b", "a-b"),
            ("C++", "c"),
        ] {
            assert_eq!(slug_with("", text), expected, "{text}");
        }
    }

    #[test]
    fn settings_change_the_rules() {
        for (settings, text, expected) in [
            ("SLUGIFY_USE_UNICODE = True\n", "Été!", "été"),
            (
                "SLUGIFY_PRESERVE_CASE = True\n",
                "Night Ferry",
                "Night-Ferry",
            ),
            (
                "SLUG_REGEX_SUBSTITUTIONS = [\n    (r'C\\+\\+', 'cpp'),\n    (r'[^\\w\\s-]', ''),\n    (r'(?u)\\A\\s*', ''),\n    (r'(?u)\\s*\\Z', ''),\n    (r'[-\\s]+', '-'),\n]\n",
                "c++ & Rust ",
                "cpp-rust",
            ),
            (
                "SLUG_REGEX_SUBSTITUTIONS = [(r'(\\d)\\.(\\d)', r'\\1-\\2'), (' ', '_')]\n",
                "Of 3.6",
                "of_3-6",
            ),
        ] {
            assert_eq!(slug_with(settings, text), expected, "{settings}");
        }
    }
}
