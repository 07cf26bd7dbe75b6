//! Text analysis: splits text into words, and converts them to terms: in lower case, without accents, stemmed.

use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use icu_normalizer::DecomposingNormalizerBorrowed;

/// Maximum length of a term, in characters; the rest of a word is ignored.
const TERM_CHARACTERS_MAX: usize = 40;

/// Converts text in one language to terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Analyzer {
    stemming: Option<Algorithm>,
}

/// A word in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The term that represents the word in the index.
    pub term: String,
    /// The word without stemming.
    pub form: String,
}

impl Analyzer {
    /// Returns the analyzer for a site in a language, such as `en` or `pt-BR`. Words in languages without a stemmer are found
    /// only in the form in which they are written.
    pub fn for_locale(locale: &str) -> Self {
        let language = locale.split(['-', '_']).next().unwrap_or_default();
        Self {
            stemming: stemming(language),
        }
    }

    /// Returns the analyzer for posts with a tag, if the tag is internal and names a language with a stemmer: `#de`, `#pt-br`.
    pub fn for_tag(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix('#')?.split(['-', '_']);
        let stemming = Some(stemming(parts.next()?)?);
        let is_region =
            |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
        // Otherwise, tags such as `#de-luxe` would change the language of their posts.
        parts.all(is_region).then_some(Self { stemming })
    }

    /// Visits the words of a text in order.
    pub fn each_word(self, text: &str, mut visit: impl FnMut(Word)) {
        for range in word_ranges(text) {
            let form = folded(&text[range]);
            let term = self.term(&form);
            visit(Word { term, form });
        }
    }

    /// Returns the term for the form of a word.
    pub fn term(self, form: &str) -> String {
        let stemming = self.stemming.filter(|_| !form.starts_with(is_word_alone));
        match stemming {
            Some(algorithm) => Stemmer::new(algorithm).stem(form).into_owned(),
            None => form.to_owned(),
        }
    }

    /// Returns the term for a word in a text, or `None` if no term with one of these first characters is possible.
    pub fn term_among(self, word: &str, first_characters: FirstCharacters) -> Option<String> {
        let is_ascii = |character: &u8| character.is_ascii();
        // Most words differ in their first character, so they need not be folded.
        if let Some(character) = word.as_bytes().first().copied().filter(is_ascii)
            && !first_characters.has(character.to_ascii_lowercase().into())
        {
            return None;
        }
        let form = folded(word);
        let is_possible = form
            .chars()
            .next()
            .is_none_or(|character| first_characters.has(character));
        is_possible.then(|| self.term(&form))
    }

    /// Returns the possible first characters of words whose terms begin with characters in `of_terms`.
    pub fn first_characters(self, of_terms: FirstCharacters) -> FirstCharacters {
        // Characters that a stemmer removes or replaces at the start of a word.
        let changed = match self.stemming {
            Some(
                Algorithm::Arabic | Algorithm::Persian | Algorithm::Serbian | Algorithm::Tamil,
            ) => {
                return FirstCharacters::ALL;
            }
            Some(Algorithm::Dutch) => "g",
            Some(Algorithm::Esperanto) => "cghjsu",
            Some(Algorithm::German) => "ß",
            Some(Algorithm::Greek) => "ς",
            Some(Algorithm::Indonesian) => "bdkmpst",
            Some(Algorithm::Irish) => "bcdfghmnpst",
            Some(Algorithm::Russian) => "ё",
            Some(Algorithm::Turkish) => "bcdğ",
            _ => "",
        };
        changed.chars().fold(of_terms, FirstCharacters::with)
    }
}

/// A set of first characters. It is approximate: it may also contain characters that were not added.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstCharacters(u64);

impl FirstCharacters {
    const ALL: Self = Self(u64::MAX);

    /// Adds the first character of a term.
    pub fn with_first_of(self, term: &str) -> Self {
        // The stem of a word may be empty, whatever its first character is.
        let first = term.chars().next();
        first.map_or(Self::ALL, |character| self.with(character))
    }

    fn with(self, character: char) -> Self {
        Self(self.0 | Self::bit(character))
    }

    fn has(self, character: char) -> bool {
        self.0 & Self::bit(character) != 0
    }

    fn bit(character: char) -> u64 {
        // Characters may share a bit: a word that passes wrongly is only analysed in vain.
        1 << (u32::from(character) % u64::BITS)
    }
}

/// Returns the stemming algorithm for a language.
fn stemming(language: &str) -> Option<Algorithm> {
    Some(match &*language.to_ascii_lowercase() {
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
        _ => return None,
    })
}

/// Returns the words of a text in lower case and without accents.
pub fn forms(text: &str) -> Vec<String> {
    word_ranges(text)
        .map(|range| folded(&text[range]))
        .collect()
}

/// Returns the byte ranges of the words in a text, in order.
pub fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let mut start = None;
        let mut offset = next;
        while let Some(byte) = text.as_bytes().get(offset) {
            // Most text is ASCII, which needs no decoding and no tables of Unicode.
            let (is_part, is_alone, length) = if byte.is_ascii() {
                (byte.is_ascii_alphanumeric(), false, 1)
            } else {
                let character = text[offset..].chars().next()?;
                let is_part = character.is_alphanumeric();
                let is_alone = is_part && is_word_alone(character);
                (is_part, is_alone, character.len_utf8())
            };
            match start {
                Some(start) if !is_part || is_alone => {
                    next = offset;
                    return Some(start..offset);
                }
                None if is_alone => {
                    next = offset + length;
                    return Some(offset..next);
                }
                None if is_part => start = Some(offset),
                _ => {}
            }
            offset += length;
        }
        next = offset;
        start.map(|start| start..offset)
    })
}

/// Converts a word to lower case and, in Latin and Greek script, removes accents.
fn folded(word: &str) -> String {
    const NORMALIZER: DecomposingNormalizerBorrowed = DecomposingNormalizerBorrowed::new_nfd();
    if word.is_ascii() {
        // Bytes are characters here, so the cut equals the one below.
        return word[..word.len().min(TERM_CHARACTERS_MAX)].to_ascii_lowercase();
    }
    let characters = word.chars().take(TERM_CHARACTERS_MAX);
    let lower: String = characters.flat_map(char::to_lowercase).collect();
    // Only these ranges are decomposed. Elsewhere a mark is part of the letter: without U+0306, the
    // Cyrillic й would become и.
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

/// Returns whether a character counts as a separate word, as in scripts without spaces between words.
pub fn is_word_alone(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(locale: &str, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Analyzer::for_locale(locale).each_word(text, |word| terms.push(word.term));
        terms
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
    fn words_have_their_offsets() {
        let text = "Der Übergang.";
        let words: Vec<_> = word_ranges(text).collect();
        assert_eq!(&text[words[1].clone()], "Übergang");
        assert_eq!(forms(text), ["der", "ubergang"]);
    }

    #[test]
    fn internal_tag_may_name_a_language() {
        let german = Some(Analyzer::for_locale("de"));
        for name in ["#de", "#DE", "#de-at", "#de_CH"] {
            assert_eq!(Analyzer::for_tag(name), german, "{name}");
        }
        for name in ["de", "#", "#xx", "#deals", "#de-luxe", "#no-index"] {
            assert_eq!(Analyzer::for_tag(name), None, "{name}");
        }
    }

    #[test]
    fn word_is_among_those_with_the_first_character_of_its_term() {
        let words = [
            ("ar", "والكتاب المكتبة"),
            ("de", "ßen Übergänge"),
            ("el", "Ελληνικά ςα"),
            ("en", "Dying Skies y"),
            ("eo", "cxiuj gxis"),
            ("fa", "اخبار کتاب"),
            ("ga", "bhfuil gcathair tseachtain n-athair hoíche"),
            ("id", "menulis terbang pembaca sebuah kepala"),
            ("nl", "Gelopen gezien"),
            ("pt", "Ação çedilha"),
            ("ru", "Ёлка книги"),
            ("sr", "књига djak"),
            ("ta", "படித்தான் களவிடவிடு"),
            ("tr", "buntan cları dımse ğüm İzmir"),
        ];
        for (locale, text) in words {
            let analyzer = Analyzer::for_locale(locale);
            for range in word_ranges(text) {
                let word = &text[range];
                let term = analyzer.term(&folded(word));
                let of_term = FirstCharacters::default().with_first_of(&term);
                let first_characters = analyzer.first_characters(of_term);
                let found = analyzer.term_among(word, first_characters);
                assert_eq!(found, Some(term), "{locale} {word}");
            }
        }
        let of_term = FirstCharacters::default().with_first_of("ferri");
        assert_eq!(
            Analyzer::for_locale("en").term_among("Night", of_term),
            None
        );
    }
}
