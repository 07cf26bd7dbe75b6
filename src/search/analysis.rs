//! From text to terms: words, in lower case, without accents, as stems.

use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use icu_normalizer::DecomposingNormalizerBorrowed;

/// Longest term, in characters; the rest of a word is ignored.
const TERM_CHARACTERS_MAX: usize = 40;

/// Turns texts of one language into terms.
#[derive(Clone, Debug)]
pub struct Analyzer {
    stemming: Option<Algorithm>,
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The term by which it is found.
    pub term: String,
    /// The word without stemming.
    pub form: String,
    /// Its place in the text, in bytes.
    pub range: Range<usize>,
}

impl Analyzer {
    /// Returns the analyzer for a site in this language, such as `en` or `pt-BR`. Words of languages without a stemmer are
    /// found in the form in which they are written.
    pub fn for_locale(locale: &str) -> Self {
        let language = locale.split(['-', '_']).next().unwrap_or_default();
        let algorithm = match &*language.to_ascii_lowercase() {
            "ar" => Algorithm::Arabic,
            "ca" => Algorithm::Catalan,
            "cs" => Algorithm::Czech,
            "da" => Algorithm::Danish,
            "de" => Algorithm::German,
            "el" => Algorithm::Greek,
            "en" => Algorithm::English,
            "eo" => Algorithm::Esperanto,
            "es" => Algorithm::Spanish,
            "et" => Algorithm::Estonian,
            "eu" => Algorithm::Basque,
            "fa" => Algorithm::Persian,
            "fi" => Algorithm::Finnish,
            "fr" => Algorithm::French,
            "ga" => Algorithm::Irish,
            "hi" => Algorithm::Hindi,
            "hu" => Algorithm::Hungarian,
            "hy" => Algorithm::Armenian,
            "id" => Algorithm::Indonesian,
            "it" => Algorithm::Italian,
            "lt" => Algorithm::Lithuanian,
            "nb" | "nn" | "no" => Algorithm::Norwegian,
            "ne" => Algorithm::Nepali,
            "nl" => Algorithm::Dutch,
            "pl" => Algorithm::Polish,
            "pt" => Algorithm::Portuguese,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sr" => Algorithm::Serbian,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return Self { stemming: None },
        };
        Self {
            stemming: Some(algorithm),
        }
    }

    /// Visits the words of a text, in their order.
    pub fn each_word(&self, text: &str, mut visit: impl FnMut(Word)) {
        let stemmer = self.stemming.map(Stemmer::new);
        for range in word_ranges(text) {
            let form = folded(&text[range.clone()]);
            let term = term_of(&form, stemmer.as_ref());
            visit(Word { term, form, range });
        }
    }

    /// Returns the term of one word of a text.
    pub fn term(&self, word: &str) -> String {
        let stemmer = self.stemming.map(Stemmer::new);
        term_of(&folded(word), stemmer.as_ref())
    }

    /// Returns the words of a text.
    pub fn words(&self, text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        self.each_word(text, |word| words.push(word));
        words
    }
}

fn term_of(form: &str, stemmer: Option<&Stemmer>) -> String {
    match stemmer.filter(|_| !form.starts_with(is_word_alone)) {
        Some(stemmer) => stemmer.stem(form).into_owned(),
        None => form.to_owned(),
    }
}

/// Returns the places of the words of a text, in bytes, in their order.
pub fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let mut start = None;
        let mut place = next;
        while let Some(byte) = text.as_bytes().get(place) {
            let (is_part, is_alone, length) = if byte.is_ascii() {
                (byte.is_ascii_alphanumeric(), false, 1)
            } else {
                let character = text[place..].chars().next()?;
                let is_part = character.is_alphanumeric();
                let is_alone = is_part && is_word_alone(character);
                (is_part, is_alone, character.len_utf8())
            };
            match start {
                Some(start) if !is_part || is_alone => {
                    next = place;
                    return Some(start..place);
                }
                None if is_alone => {
                    next = place + length;
                    return Some(place..next);
                }
                None if is_part => start = Some(place),
                _ => {}
            }
            place += length;
        }
        next = place;
        start.map(|start| start..place)
    })
}

/// Returns a word in lower case and, in Latin and Greek script, without accents.
fn folded(word: &str) -> String {
    const NORMALIZER: DecomposingNormalizerBorrowed = DecomposingNormalizerBorrowed::new_nfd();
    let lower = word
        .chars()
        .take(TERM_CHARACTERS_MAX)
        .flat_map(char::to_lowercase);
    if word.is_ascii() {
        return lower.collect();
    }
    let lower: String = lower.collect();
    let has_accents =
        |character: char| matches!(character, '\u{c0}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}');
    if !lower.contains(has_accents) {
        return lower;
    }
    let is_accent = |character: &char| matches!(character, '\u{300}'..='\u{36f}');
    NORMALIZER
        .normalize(&lower)
        .chars()
        .filter(|character| !is_accent(character))
        .collect()
}

/// Returns whether a character is a word of its own: in scripts that put no spaces between words.
pub fn is_word_alone(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(locale: &str, text: &str) -> Vec<String> {
        let words = Analyzer::for_locale(locale).words(text);
        words.into_iter().map(|word| word.term).collect()
    }

    #[test]
    fn words_of_one_stem_have_one_term() {
        assert_eq!(terms("en", "Ferries"), terms("en-GB", "ferry"));
        assert_eq!(terms("de", "Häuser"), terms("de", "hauser"));
        assert_ne!(terms("xx", "ferries"), terms("xx", "ferry"));
        assert_eq!(terms("en", "Café, café\u{301}"), ["cafe", "cafe"]);
    }

    #[test]
    fn scripts_without_spaces_have_a_term_for_each_character() {
        assert_eq!(terms("ja", "海の Ferry2"), ["海", "の", "ferry2"]);
    }

    #[test]
    fn words_know_their_place() {
        let text = "Der Übergang.";
        let words = Analyzer::for_locale("de").words(text);
        assert_eq!(&text[words[1].range.clone()], "Übergang");
        assert_eq!(words[1].form, "ubergang");
    }
}
