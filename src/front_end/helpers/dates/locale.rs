//! How languages write dates: their names, formats and plural forms in moment 2.30.

use std::sync::LazyLock;

use regex::Regex;

use crate::front_end::helpers::languages::{Language, Languages};

/// The languages.
static LANGUAGES: LazyLock<Languages> =
    LazyLock::new(|| Languages::read(include_str!("locales.txt"), ALIASES));

/// Language names that Ghost replaces by the name of a language in the table.
const ALIASES: &[(&str, &str)] = &[
    ("hy", "hy-am"),
    ("in", "id"),
    ("iw", "he"),
    ("mo", "ro"),
    ("pa", "pa-in"),
    ("sh", "sr"),
    ("tl", "fil"),
    ("zh", "zh-cn"),
    ("zh-hans", "zh-cn"),
    ("zh-hant", "zh-tw"),
];

/// Patterns of formats whose month is next to a day: the default, then those that languages set
/// with `inDate`.
static IN_DATE: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let usual = ["", r"D[oD]?(\[[^\[\]]*\]|[ \t])+MMMM?"];
    let own = include_str!("locales.txt")
        .lines()
        .filter_map(|line| line.strip_prefix("inDate "));
    let rules = std::iter::once((usual[0], usual[1])).chain(own.map(|rule| (rule, rule)));
    rules
        // The expressions are compiled once: each `{{date}}` of a list would otherwise compile its
        // own.
        .filter_map(|(name, rule)| Some((name, Regex::new(rule).ok()?)))
        .collect()
});

/// Returns a language by name.
pub fn find(name: &str) -> Language {
    LANGUAGES.find(name)
}

/// Returns whether the month of a format is next to a day, where some languages inflect it.
pub fn has_month_in_date(language: &Language, format: &str, is_long: bool) -> bool {
    let rule = language
        .get("inDate")
        .filter(|_| is_long)
        .unwrap_or_default();
    let rule = IN_DATE.iter().find(|(name, _)| *name == rule);
    rule.is_some_and(|(_, rule)| rule.is_match(format))
}

/// Returns a string with the digits and the comma of a language.
pub fn localized(language: &Language, text: String) -> String {
    let comma = language.get("comma");
    if comma.is_none() && language.get("digits").is_none() {
        return text;
    }
    let mut localized = String::with_capacity(text.len());
    for character in text.chars() {
        match comma.filter(|_| character == ',') {
            Some(comma) => localized.push_str(comma),
            None => localized.push(language.digit(character)),
        }
    }
    localized
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_have_their_parts() {
        let heads = include_str!("locales.txt")
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
        for head in heads {
            let name = head.split(' ').next().unwrap_or_default();
            let language = find(name);
            let parts = |key| {
                language
                    .get(key)
                    .map_or(0, |value: &str| value.split('_').count())
            };
            assert_eq!(
                (parts("months"), parts("short"), parts("days")),
                (12, 12, 7),
                "{name}"
            );
            assert_eq!(
                (parts("past"), parts("pastMany"), parts("futureMany")),
                (6, 5, 5),
                "{name}"
            );
        }
    }
}
