//! Search queries: words, phrases in quotes, and excluded words.

use super::analysis::{forms, is_word_alone};
use crate::error::{Error, Kind, Result};

/// Maximum number of words in a query.
const WORDS_MAX: usize = 20;

/// Maximum length of a query, in bytes.
const TEXT_BYTES_MAX: usize = 500;

/// A parsed query. Words are in lower case and without accents.
#[derive(Debug, Default)]
pub struct SearchQuery {
    /// The words that must all be present.
    pub(super) words: Vec<String>,
    /// The last word, if it may be the start of a longer one.
    pub(super) prefix: Option<String>,
    /// The words that must not be present.
    pub(super) excluded: Vec<String>,
    /// The phrases that must be present or, if excluded, must not.
    pub(super) phrases: Vec<Phrase>,
}

/// A sequence of words.
#[derive(Debug)]
pub(super) struct Phrase {
    pub(super) words: Vec<String>,
    pub(super) is_excluded: bool,
}

impl SearchQuery {
    /// Parses a query.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the query is too long, or contains no words to find.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |message: String| Err(Error::new(Kind::BadRequest, message));
        if text.len() > TEXT_BYTES_MAX {
            return invalid(format!("A search has at most {TEXT_BYTES_MAX} bytes."));
        }
        let mut query = Self::default();
        let mut is_quoted = false;
        let mut was_minus = false;
        // Every second part is in quotes; the last quote may be missing.
        for part in text.split('"') {
            if is_quoted {
                query.add_phrase(forms(part), was_minus);
            } else {
                for chunk in part.split_whitespace() {
                    match chunk.strip_prefix('-') {
                        Some(excluded) => query.exclude(forms(excluded)),
                        None => query.add_words(chunk),
                    }
                }
                // The minus of an excluded phrase is directly before the quote, and thus the end of
                // this part.
                was_minus = part.ends_with('-');
            }
            is_quoted = !is_quoted;
        }
        // After a space or a quote, the word is complete, and is not completed as a prefix.
        let ends_in_word = text.chars().next_back().is_some_and(char::is_alphanumeric);
        if !ends_in_word
            || text
                .split_whitespace()
                .next_back()
                .is_some_and(|last| last.starts_with('-'))
        {
            query.prefix = None;
        }
        if query.words.is_empty() {
            return invalid("A search needs a word to find.".to_owned());
        }
        if query.words.len() + query.excluded.len() > WORDS_MAX {
            return invalid(format!("A search has at most {WORDS_MAX} words."));
        }
        Ok(query)
    }

    fn add_words(&mut self, chunk: &str) {
        let words = forms(chunk);
        self.prefix = words.last().cloned();
        // In scripts without spaces, adjacent characters must be found together.
        if words.len() > 1 && chunk.chars().any(is_word_alone) {
            self.add_phrase(words, false);
        } else {
            self.words.extend(words);
        }
    }

    fn add_phrase(&mut self, words: Vec<String>, is_excluded: bool) {
        if words.is_empty() {
            return;
        }
        if !is_excluded {
            self.words.extend_from_slice(&words);
        }
        self.prefix = None;
        self.phrases.push(Phrase { words, is_excluded });
    }

    fn exclude(&mut self, words: Vec<String>) {
        // `-e-mail` excludes the sequence of words, not each word.
        if words.len() > 1 {
            self.add_phrase(words, true);
        } else {
            self.excluded.extend(words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SearchQuery> {
        SearchQuery::parse(text)
    }

    #[test]
    fn query_has_words_phrases_and_exclusions() {
        let query = parse("ferries \"night boat\" -storm har").unwrap();
        assert_eq!(query.words, ["ferries", "night", "boat", "har"]);
        assert_eq!(query.prefix.as_deref(), Some("har"));
        assert_eq!(query.excluded, ["storm"]);
        assert_eq!(query.phrases[0].words, ["night", "boat"]);
        assert!(parse("ferry \"night").unwrap().prefix.is_none());
        for text in [
            "",
            " ",
            "-ferry",
            "\"\"",
            &"a ".repeat(30),
            &"a".repeat(501),
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
