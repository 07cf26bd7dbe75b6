//! Texts of Galley's pages and mails for readers, in the language of the site.
//!
//! The English text is the key of its translations. There is one file for each language. Themes have separate texts.

use std::{collections::HashMap, sync::LazyLock};

use jiff::civil::Date;

/// The fallback language, which is also that of the keys.
const ENGLISH: &str = "en";

/// Languages that are written from right to left.
const RIGHT_TO_LEFT: [&str; 10] = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

/// The translations of each language, by its code.
static LANGUAGES: LazyLock<HashMap<&str, Translations>> = LazyLock::new(|| {
    let files = [
        ("ar", include_str!("reader_texts/ar.json")),
        ("de", include_str!("reader_texts/de.json")),
        ("es", include_str!("reader_texts/es.json")),
        ("fr", include_str!("reader_texts/fr.json")),
        ("ja", include_str!("reader_texts/ja.json")),
        ("nl", include_str!("reader_texts/nl.json")),
    ];
    // A file that cannot be parsed would leave its language in English; a test parses all of them.
    let read = |(code, file)| Some((code, serde_json::from_str(file).ok()?));
    files.into_iter().filter_map(read).collect()
});

/// The translations of a language, by their English texts.
type Translations = HashMap<String, String>;

/// The texts for readers of one site.
#[derive(Clone, Copy, Debug)]
pub struct ReaderTexts {
    code: &'static str,
    translations: Option<&'static Translations>,
}

impl Default for ReaderTexts {
    /// Returns the texts in English.
    fn default() -> Self {
        Self {
            code: ENGLISH,
            translations: None,
        }
    }
}

impl ReaderTexts {
    /// Returns the texts in the language of a locale such as `de` or `de-CH`; in English if there are no translations.
    pub fn of(locale: &str) -> Self {
        let found = LANGUAGES.get_key_value(&*language_of(locale));
        found.map_or_else(Self::default, |(code, translations)| Self {
            code,
            translations: Some(translations),
        })
    }

    /// Returns the code of the language of the texts, for the `lang` attribute of HTML.
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Returns the direction of the language, for the `dir` attribute of HTML.
    pub fn direction(self) -> &'static str {
        direction_of(self.code)
    }

    /// Returns the translation of a text; the text itself if it has none.
    pub fn text(self, english: &str) -> &str {
        let translations = self.translations;
        let translated = translations.and_then(|translations| translations.get(english));
        translated.map_or(english, String::as_str)
    }

    /// Returns the translation of a text in which names in braces, such as `{site}`, are replaced by values.
    pub fn filled(self, english: &str, values: &[(&str, &str)]) -> String {
        let mut rest = self.text(english);
        let mut filled = String::with_capacity(rest.len());
        // In a single pass, so that braces in a value remain unchanged.
        while let Some((before, name, after)) = rest.split_once('{').and_then(|(before, inside)| {
            let (name, after) = inside.split_once('}')?;
            Some((before, name, after))
        }) {
            filled.push_str(before);
            match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => filled.push_str(value),
                None => filled.extend(["{", name, "}"]),
            }
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// Returns a date with a short month: `3 Oct 2026`.
    pub fn date(self, date: Date) -> String {
        let values = [
            ("day", self.day(date)),
            (
                "short_month",
                self.text(&date.strftime("%b").to_string()).to_owned(),
            ),
            ("year", date.year().to_string()),
        ];
        let values = values
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        self.filled("{day} {short_month} {year}", &values)
    }

    /// Returns a date with the whole month: `3 October 2026`.
    pub fn long_date(self, date: Date) -> String {
        let values = [
            ("day", self.day(date)),
            (
                "month",
                self.text(&date.strftime("%B").to_string()).to_owned(),
            ),
            ("year", date.year().to_string()),
        ];
        let values = values
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        self.filled("{day} {month} {year}", &values)
    }

    /// Returns the day of the month. Some languages write the first one as an ordinal: `1er`.
    fn day(self, date: Date) -> String {
        match date.day() {
            1 => self.text("1").to_owned(),
            day => day.to_string(),
        }
    }
}

/// Returns the direction of the language of a locale, for the `dir` attribute of HTML.
pub fn direction_of(locale: &str) -> &'static str {
    if RIGHT_TO_LEFT.contains(&&*language_of(locale)) {
        "rtl"
    } else {
        "ltr"
    }
}

fn language_of(locale: &str) -> String {
    let language = locale.split(['-', '_']).next().unwrap_or_default();
    language.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    /// Returns the texts that the sources use, in calls of `text` and `filled` and in their tables.
    fn english_texts() -> BTreeSet<String> {
        LANGUAGES["de"].keys().cloned().collect()
    }

    /// The names of a month in dates.
    fn names_of(month: i8) -> [String; 2] {
        let date = jiff::civil::date(2026, month, 1);
        ["%b", "%B"].map(|format| date.strftime(format).to_string())
    }

    fn names_in(text: &str) -> BTreeSet<&str> {
        let parts = text.split('{').skip(1);
        parts
            .filter_map(|part| Some(part.split_once('}')?.0))
            .collect()
    }

    #[test]
    fn every_language_has_every_text_with_known_names_only() {
        assert_eq!(LANGUAGES.len(), 6, "a file is not valid JSON");
        let texts = english_texts();
        for (code, translations) in LANGUAGES.iter() {
            let own: BTreeSet<String> = translations.keys().cloned().collect();
            assert_eq!(own, texts, "{code}");
            for (english, translation) in translations {
                assert!(!translation.trim().is_empty(), "{code}: {english}");
                let unknown: Vec<_> = names_in(translation)
                    .difference(&names_in(english))
                    .copied()
                    .collect();
                assert!(unknown.is_empty(), "{code}: {english}: {unknown:?}");
            }
        }
    }

    #[test]
    fn every_translated_text_is_used_and_every_used_text_is_translated() {
        let sources = sources();
        for text in english_texts() {
            let is_month = (1..=12).any(|month| names_of(month).contains(&text));
            assert!(
                is_month || sources.contains(&format!("\"{text}\"")),
                "no source has {text:?}"
            );
        }
        let known = english_texts();
        for call in [
            "texts.text(\"",
            "texts.filled(\"",
            "texts().text(\"",
            "texts().filled(\"",
        ] {
            for part in sources.split(call).skip(1) {
                let (text, _) = part.split_once('"').unwrap();
                assert!(known.contains(text), "{text:?} has no translation");
            }
        }
    }

    /// Returns the text of all sources and page templates, with whitespace collapsed, because formatters break calls into
    /// lines.
    fn sources() -> String {
        let mut text = String::new();
        for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
            let path = entry.unwrap().into_path();
            let is_source = path.extension().is_some_and(|extension| {
                extension == "rs" || extension == "html" || extension == "js"
            });
            if is_source {
                let source = fs::read_to_string(path).unwrap();
                // Texts that only tests contain are not used.
                let (used, _) = source.split_once("#[cfg(test)]").unwrap_or((&source, ""));
                text.push_str(used);
            }
        }
        text.replace("(\n", "(")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace("( ", "(")
    }

    #[test]
    fn values_fill_a_translation_once() {
        let texts = ReaderTexts::of("de-CH");
        let filled = texts.filled(
            "Your link for signing in to {site}",
            &[("site", "{site} & {code}")],
        );
        assert_eq!(filled, "Ihr Link zum Anmelden bei {site} & {code}");
    }

    #[test]
    fn unknown_languages_are_english() {
        let texts = ReaderTexts::of("tlh");
        assert_eq!((texts.code(), texts.text("Sign in")), ("en", "Sign in"));
        assert_eq!(ReaderTexts::of("ar").direction(), "rtl");
        assert_eq!((direction_of("he-IL"), direction_of("pl")), ("rtl", "ltr"));
    }

    #[test]
    fn dates_are_written_as_in_the_language() {
        let date = jiff::civil::date(2026, 10, 3);
        for (locale, written) in [
            ("en", "3 Oct 2026"),
            ("de", "3. Okt. 2026"),
            ("ja", "2026年10月3日"),
            ("es", "3 oct 2026"),
            ("fr", "3 oct. 2026"),
            ("nl", "3 okt 2026"),
            ("ar", "3 أكتوبر 2026"),
        ] {
            assert_eq!(ReaderTexts::of(locale).date(date), written);
        }
        assert_eq!(ReaderTexts::of("de").long_date(date), "3. Oktober 2026");
        assert_eq!(
            ReaderTexts::of("es").long_date(date),
            "3 de octubre de 2026"
        );
        let first = jiff::civil::date(2026, 1, 1);
        assert_eq!(ReaderTexts::of("fr").date(first), "1er janv. 2026");
        assert_eq!(ReaderTexts::of("fr").long_date(first), "1er janvier 2026");
        assert_eq!(ReaderTexts::of("de").date(first), "1. Jan. 2026");
    }
}
