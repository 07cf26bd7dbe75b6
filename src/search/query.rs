//! Searches: words, phrases in quotes, and words that must not be there.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    sync::Arc,
};

use super::{
    Terms,
    analysis::{Analyzer, Word, is_word_alone},
    documents::{Audience, Readers, text_for},
    index::Index,
    postings::Postings,
    ranking::{rarity, relevance},
};
use crate::{
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
    id::Id,
    site::SiteSnapshot,
};

/// Most words of a search.
const WORDS_MAX: usize = 20;

/// Longest text of a search, in bytes.
const TEXT_BYTES_MAX: usize = 500;

/// Most terms that a prefix or a misspelt word stands for.
const EXPANSIONS_MAX: usize = 200;

/// Most documents in which phrases are looked up, best first.
const PHRASE_DOCUMENTS_MAX: usize = 500;

/// Shortest prefix, in characters.
const PREFIX_CHARACTERS_MIN: usize = 2;

/// Weights of terms that are not the word itself.
const PREFIX_WEIGHT: f32 = 0.6;
const MISSPELT_WEIGHT: f32 = 0.4;

/// A search.
#[derive(Debug, Default)]
pub struct SearchQuery {
    /// All of them must be there.
    words: Vec<Word>,
    /// The last word, if it may be the beginning of one.
    prefix: Option<String>,
    /// Terms that must not be there.
    excluded: Vec<String>,
    phrases: Vec<Phrase>,
}

/// Words that are one after the other.
#[derive(Debug)]
struct Phrase {
    terms: Vec<String>,
    is_excluded: bool,
}

/// The posts that a search found, best first, and the terms by which.
pub struct FoundPosts {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The terms.
    pub terms: Terms,
}

impl SearchQuery {
    /// Parses a search.
    ///
    /// # Errors
    ///
    /// `BadRequest` if it is too long, or has no word to find.
    pub fn parse(text: &str, analyzer: &Analyzer) -> Result<Self> {
        let invalid = |message: String| Err(Error::new(Kind::BadRequest, message));
        if text.len() > TEXT_BYTES_MAX {
            return invalid(format!("A search has at most {TEXT_BYTES_MAX} bytes."));
        }
        let mut query = Self::default();
        let mut is_quoted = false;
        let mut was_minus = false;
        // Each second part is in quotes; the last quote may be missing.
        for part in text.split('"') {
            if is_quoted {
                query.add_phrase(analyzer.words(part), was_minus);
            } else {
                for chunk in part.split_whitespace() {
                    match chunk.strip_prefix('-') {
                        Some(excluded) => query.exclude(analyzer.words(excluded)),
                        None => query.add_words(chunk, analyzer),
                    }
                }
                was_minus = part.ends_with('-');
            }
            is_quoted = !is_quoted;
        }
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

    fn add_words(&mut self, chunk: &str, analyzer: &Analyzer) {
        let words = analyzer.words(chunk);
        self.prefix = words.last().map(|word| word.form.clone());
        // Scripts without spaces: characters that stand together must be found together.
        if words.len() > 1 && chunk.chars().any(is_word_alone) {
            self.add_phrase(words, false);
        } else {
            self.words.extend(words);
        }
    }

    fn add_phrase(&mut self, words: Vec<Word>, is_excluded: bool) {
        if words.is_empty() {
            return;
        }
        let terms = words.iter().map(|word| word.term.clone()).collect();
        if !is_excluded {
            self.words.extend(words);
        }
        self.prefix = None;
        self.phrases.push(Phrase { terms, is_excluded });
    }

    fn exclude(&mut self, words: Vec<Word>) {
        if words.len() > 1 {
            self.add_phrase(words, true);
        } else {
            self.excluded
                .extend(words.into_iter().map(|word| word.term));
        }
    }
}

impl Index {
    /// Returns the posts and pages, or those of one kind, that a query finds for a reader.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn find(
        &self,
        query: &SearchQuery,
        snapshot: &SiteSnapshot,
        kind: Option<PostKind>,
        audience: &Audience,
    ) -> Result<FoundPosts> {
        let mut terms = Terms::new();
        let scores = self.scores(query, &mut terms);
        let mut found: BTreeMap<Id, (f32, &Arc<Post>, Readers)> = BTreeMap::new();
        for (number, score) in scores {
            let Some(document) = self.document(number) else {
                continue;
            };
            let post = &document.post;
            let current = snapshot.catalog.posts.get(post.id);
            let is_current = current.is_some_and(|current| Arc::ptr_eq(current, post));
            let readers = Readers::of(audience, post);
            if is_current
                && kind.is_none_or(|kind| post.kind == kind)
                && document.readers.include(readers)
            {
                found.insert(post.id, (score, post, readers));
            }
        }
        let mut ranked: Vec<_> = found.into_values().collect();
        ranked.sort_by(|(score, post, _), (other_score, other, _)| {
            other_score
                .total_cmp(score)
                .then_with(|| other.published_at.cmp(&post.published_at))
                .then_with(|| other.id.cmp(&post.id))
        });
        if !query.phrases.is_empty() {
            ranked.truncate(PHRASE_DOCUMENTS_MAX);
            self.retain_with_phrases(query, snapshot, &mut ranked)?;
        }
        Ok(FoundPosts {
            posts: ranked
                .into_iter()
                .map(|(_, post, _)| Arc::clone(post))
                .collect(),
            terms,
        })
    }

    /// Returns the documents that have all words, with their scores.
    fn scores(&self, query: &SearchQuery, terms: &mut Terms) -> Vec<(u32, f32)> {
        let mut scores = vec![0.0; self.end()];
        let mut matched = vec![0_u8; self.end()];
        for (place, word) in query.words.iter().enumerate() {
            let is_last = place + 1 == query.words.len();
            let prefix = query.prefix.as_deref().filter(|_| is_last);
            let mut best: HashMap<u32, f32> = HashMap::new();
            for (term, postings, weight) in self.expansions(&word.term, prefix) {
                terms.insert(term.into());
                let weight = weight * rarity(self.end(), postings.len());
                postings.each(|number, occurrences| {
                    if usize::from(matched[number as usize]) == place {
                        let words = self.document(number).map_or(0, |document| document.words);
                        let relevance = relevance(occurrences, words, self.words_average());
                        let score = weight * relevance;
                        let best = best.entry(number).or_default();
                        *best = best.max(score);
                    }
                });
            }
            for (number, score) in best {
                scores[number as usize] += score;
                matched[number as usize] += 1;
            }
        }
        for term in &query.excluded {
            if let Some(postings) = self.terms().get(&**term) {
                postings.each(|number, _| matched[number as usize] = 0);
            }
        }
        let all = query.words.len();
        let found = matched.iter().enumerate();
        found
            .filter(|(_, matched)| usize::from(**matched) == all)
            .map(|(number, _)| (number as u32, scores[number]))
            .collect()
    }

    /// Returns the terms that a word stands for: itself, those that it begins, or, if there are none, those that it may be a
    /// misspelling of.
    fn expansions(&self, term: &str, prefix: Option<&str>) -> Vec<(&str, &Postings, f32)> {
        let mut found: Vec<(&str, &Postings, f32)> = Vec::new();
        if let Some((term, postings)) = self.terms().get_key_value(term) {
            found.push((term, postings, 1.0));
        }
        let is_long = |prefix: &&str| prefix.chars().count() >= PREFIX_CHARACTERS_MIN;
        if let Some(prefix) = prefix.filter(is_long) {
            let from = (Bound::Included(prefix), Bound::Unbounded);
            let begun = self.terms().range::<_, str>(from);
            let begun = begun.take_while(|(found, _)| found.starts_with(prefix));
            let others = begun.filter(|(found, _)| &***found != term);
            found.extend(
                others
                    .take(EXPANSIONS_MAX)
                    .map(|(term, postings)| (&**term, postings, PREFIX_WEIGHT)),
            );
        }
        if found.is_empty() {
            let distance = typos_max(term);
            let similar = self
                .terms()
                .iter()
                .filter(|(known, _)| is_similar(term, known, distance));
            found.extend(
                similar
                    .take(EXPANSIONS_MAX)
                    .map(|(term, postings)| (&**term, postings, MISSPELT_WEIGHT)),
            );
        }
        found
    }

    /// Keeps the posts that have all phrases and none of the excluded ones.
    fn retain_with_phrases(
        &self,
        query: &SearchQuery,
        snapshot: &SiteSnapshot,
        ranked: &mut Vec<(f32, &Arc<Post>, Readers)>,
    ) -> Result<()> {
        let ids = ranked.iter().map(|(_, post, _)| post.id);
        let mut bodies: HashMap<usize, String> = HashMap::new();
        snapshot.visit_bodies(ids, |place, html| {
            let (_, post, readers) = &ranked[place];
            bodies.insert(place, text_for(post, html, *readers));
        })?;
        let mut place = 0;
        ranked.retain(|(_, post, _)| {
            let body = bodies.get(&place).map_or("", String::as_str);
            place += 1;
            let texts = [
                &*post.title,
                super::shown_excerpt(post).unwrap_or_default(),
                body,
            ];
            let texts = texts.map(|text| self.analyzer().words(text));
            query.phrases.iter().all(|phrase| {
                let is_there = texts.iter().any(|words| phrase.is_in(words));
                is_there != phrase.is_excluded
            })
        });
        Ok(())
    }
}

impl Phrase {
    fn is_in(&self, words: &[Word]) -> bool {
        words.windows(self.terms.len()).any(|window| {
            let terms = window.iter().map(|word| &word.term);
            terms.eq(&self.terms)
        })
    }
}

/// Returns how many letters of a word may be wrong, by its length.
fn typos_max(term: &str) -> usize {
    match term.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns whether two words differ in at most `distance` letters; two that are swapped count as one.
fn is_similar(term: &str, known: &str, distance: usize) -> bool {
    distance > 0
        && term.len().abs_diff(known.len()) <= 2 * distance
        && (letters(term) ^ letters(known)).count_ones() as usize <= 2 * distance
        && strsim::osa_distance(term, known) <= distance
}

/// Returns the set of the letters of a word, as bits.
fn letters(word: &str) -> u64 {
    word.chars()
        .fold(0, |bits, letter| bits | 1 << (u32::from(letter) % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SearchQuery> {
        SearchQuery::parse(text, &Analyzer::for_locale("en"))
    }

    #[test]
    fn query_has_words_phrases_and_exclusions() {
        let query = parse("ferries \"night boat\" -storm har").unwrap();
        let terms: Vec<&str> = query.words.iter().map(|word| &*word.term).collect();
        assert_eq!(terms, ["ferri", "night", "boat", "har"]);
        assert_eq!(query.prefix.as_deref(), Some("har"));
        assert_eq!(query.excluded, ["storm"]);
        assert_eq!(query.phrases[0].terms, ["night", "boat"]);
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

    #[test]
    fn misspelt_words_are_similar() {
        for (term, known, expected) in [
            ("habour", "harbour", true),
            ("hrabour", "harbour", true),
            ("harbuorr", "harbour", true),
            ("boat", "goat", true),
            ("cat", "car", false),
            ("ferry", "fairy", false),
        ] {
            assert_eq!(
                is_similar(term, known, typos_max(term)),
                expected,
                "{term} {known}"
            );
        }
    }
}
