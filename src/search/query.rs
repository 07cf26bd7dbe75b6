//! Searches: words, phrases in quotes, and words that must not be there.

use std::{cmp::Ordering, collections::HashMap, ops::Bound, sync::Arc};

use super::{
    analysis::{Analyzer, forms, is_word_alone},
    documents::{Audience, Readers, analyzer_of, text_for},
    highlight::FoundTerms,
    index::{Document, Index},
    postings::Postings,
    ranking::{rarity, relevance},
};
use crate::{
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
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

/// Weights of the word itself and of other terms.
const WORD_WEIGHT: f32 = 1.0;
const PREFIX_WEIGHT: f32 = 0.6;
const MISSPELT_WEIGHT: f32 = 0.4;

/// A search: words in lower case and without accents.
#[derive(Debug, Default)]
pub struct SearchQuery {
    /// All of them must be there.
    words: Vec<String>,
    /// The last word, if it may be the beginning of one.
    prefix: Option<String>,
    /// Words that must not be there.
    excluded: Vec<String>,
    phrases: Vec<Phrase>,
}

/// Words that are one after the other.
#[derive(Debug)]
struct Phrase {
    words: Vec<String>,
    is_excluded: bool,
}

/// The posts that a search found, best first, and the terms by which.
pub struct FoundPosts {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The terms.
    pub terms: FoundTerms,
}

/// A post that may be found.
struct Candidate<'i> {
    post: &'i Arc<Post>,
    /// Whether its title consists of the words.
    is_title: bool,
    relevance: f32,
    readers: Readers,
}

/// How well a document fits a search, while its words are looked up.
#[derive(Clone, Copy, Default)]
struct Match {
    /// How many of the words it has.
    words: u8,
    /// How many of these its title has.
    title_words: u8,
    /// Whether its title has the word that is looked up.
    is_in_title: bool,
    relevance: f32,
    /// That of the best term for the word that is looked up.
    best: f32,
}

/// A term that a word of a search stands for.
struct Expansion<'i> {
    term: &'i str,
    postings: &'i Postings,
    weight: f32,
}

impl SearchQuery {
    /// Parses a search.
    ///
    /// # Errors
    ///
    /// `BadRequest` if it is too long, or has no word to find.
    pub fn parse(text: &str) -> Result<Self> {
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
                query.add_phrase(forms(part), was_minus);
            } else {
                for chunk in part.split_whitespace() {
                    match chunk.strip_prefix('-') {
                        Some(excluded) => query.exclude(forms(excluded)),
                        None => query.add_words(chunk),
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

    fn add_words(&mut self, chunk: &str) {
        let words = forms(chunk);
        self.prefix = words.last().cloned();
        // Scripts without spaces: characters that stand together must be found together.
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
        if words.len() > 1 {
            self.add_phrase(words, true);
        } else {
            self.excluded.extend(words);
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
        let mut terms = FoundTerms::default();
        let mut ranked: Vec<Candidate> = Vec::new();
        for (number, found) in self.matches(query, &mut terms).into_iter().enumerate() {
            if usize::from(found.words) != query.words.len() {
                continue;
            }
            let Some(document) = self.document(number) else {
                continue;
            };
            let post = &document.post;
            let current = snapshot.catalog.posts.get(post.id);
            let is_current = current.is_some_and(|current| Arc::ptr_eq(current, post));
            let readers = Readers::of(audience, post);
            // Each reader sees one version of a post.
            if is_current
                && kind.is_none_or(|kind| post.kind == kind)
                && document.readers.include(readers)
            {
                ranked.push(Candidate {
                    post,
                    is_title: found.is_all_of_title(document),
                    relevance: found.relevance,
                    readers,
                });
            }
        }
        ranked.sort_unstable_by(Candidate::compare);
        if !query.phrases.is_empty() {
            ranked.truncate(PHRASE_DOCUMENTS_MAX);
            self.retain_with_phrases(query, snapshot, &mut ranked)?;
        }
        let posts = ranked.into_iter().map(|found| Arc::clone(found.post));
        Ok(FoundPosts {
            posts: posts.collect(),
            terms,
        })
    }

    /// Returns how well each document fits, by its number; only those that have all words count.
    fn matches(&self, query: &SearchQuery, terms: &mut FoundTerms) -> Vec<Match> {
        let words_average = self.words_average();
        let mut documents = self.focus();
        let mut matches = vec![Match::default(); self.end()];
        let mut touched = Vec::new();
        for (place, word) in query.words.iter().enumerate() {
            let is_last = place + 1 == query.words.len();
            let prefix = query.prefix.as_deref().filter(|_| is_last);
            for expansion in self.expansions(word, prefix) {
                terms.add(expansion.term, place);
                let is_word = expansion.weight == WORD_WEIGHT;
                let weight = expansion.weight * rarity(self.end(), expansion.postings.len());
                expansion.postings.each(|number, occurrences| {
                    let number = number as usize;
                    let found = &mut matches[number];
                    if usize::from(found.words) != place {
                        return;
                    }
                    let Some(Some(document)) = documents.get(number) else {
                        return;
                    };
                    let relevance = relevance(occurrences, document.words, words_average);
                    if found.best == 0.0 {
                        touched.push(number);
                    }
                    found.best = found.best.max(weight * relevance);
                    found.is_in_title |= is_word && occurrences.title;
                });
            }
            for number in touched.drain(..) {
                matches[number].count_word();
            }
        }
        for word in &query.excluded {
            for term in self.terms_of(word) {
                if let Some(postings) = self.terms().get(&*term) {
                    postings.each(|number, _| matches[number as usize].words = 0);
                }
            }
        }
        matches
    }

    /// Returns the terms that a word stands for: itself, those that it begins, or, if there are none, those that it may be a
    /// misspelling of.
    fn expansions(&self, word: &str, prefix: Option<&str>) -> Vec<Expansion<'_>> {
        let terms = self.terms_of(word);
        let is_word = |known: &str| terms.iter().any(|term| term == known);
        let known = terms
            .iter()
            .filter_map(|term| self.terms().get_key_value(&**term));
        let mut found: Vec<Expansion> = known.map(Expansion::with_weight(WORD_WEIGHT)).collect();
        let is_long = |prefix: &&str| prefix.chars().count() >= PREFIX_CHARACTERS_MIN;
        if let Some(prefix) = prefix.filter(is_long) {
            let from = (Bound::Included(prefix), Bound::Unbounded);
            let begun = self.terms().range::<_, str>(from);
            let begun = begun.take_while(|(found, _)| found.starts_with(prefix));
            let others = begun.filter(|(found, _)| !is_word(found));
            found.extend(
                others
                    .take(EXPANSIONS_MAX)
                    .map(Expansion::with_weight(PREFIX_WEIGHT)),
            );
        }
        if found.is_empty() {
            let similar = self.terms().iter().filter(|(known, _)| {
                let is_similar = |term: &String| is_similar(term, known, typos_max(term));
                terms.iter().any(is_similar)
            });
            found.extend(
                similar
                    .take(EXPANSIONS_MAX)
                    .map(Expansion::with_weight(MISSPELT_WEIGHT)),
            );
        }
        found
    }

    /// Keeps the posts that have all phrases and none of the excluded ones.
    fn retain_with_phrases(
        &self,
        query: &SearchQuery,
        snapshot: &SiteSnapshot,
        ranked: &mut Vec<Candidate>,
    ) -> Result<()> {
        let ids = ranked.iter().map(|found| found.post.id);
        let mut bodies: HashMap<usize, String> = HashMap::new();
        snapshot.visit_bodies(ids, |place, html| {
            let found = &ranked[place];
            bodies.insert(place, text_for(found.post, html, found.readers));
        })?;
        let mut place = 0;
        ranked.retain(|Candidate { post, .. }| {
            let body = bodies.get(&place).map_or("", String::as_str);
            place += 1;
            let texts = [
                &*post.title,
                super::shown_excerpt(post).unwrap_or_default(),
                body,
            ];
            let analyzer = analyzer_of(&snapshot.catalog, post, self.analyzer());
            let texts = texts.map(|text| terms(analyzer, text));
            query.phrases.iter().all(|phrase| {
                let words = phrase.words.iter().map(|word| analyzer.term(word));
                let words: Vec<String> = words.collect();
                let is_there = texts
                    .iter()
                    .any(|text| text.windows(words.len()).any(|part| part == words));
                is_there != phrase.is_excluded
            })
        });
        Ok(())
    }
}

impl<'i> Expansion<'i> {
    fn with_weight(weight: f32) -> impl Fn((&'i Box<str>, &'i Postings)) -> Self {
        move |(term, postings)| Self {
            term,
            postings,
            weight,
        }
    }
}

impl Candidate<'_> {
    /// Returns the order of two posts: the better one first, of two as good the newer one.
    fn compare(&self, other: &Self) -> Ordering {
        let (post, other_post) = (self.post, other.post);
        let titles = other.is_title.cmp(&self.is_title);
        titles
            .then_with(|| other.relevance.total_cmp(&self.relevance))
            .then_with(|| other_post.published_at.cmp(&post.published_at))
            .then_with(|| other_post.id.cmp(&post.id))
    }
}

impl Match {
    /// Counts the word that was looked up.
    fn count_word(&mut self) {
        self.words += 1;
        self.title_words += u8::from(self.is_in_title);
        self.relevance += self.best;
        (self.is_in_title, self.best) = (false, 0.0);
    }

    fn is_all_of_title(&self, document: &Document) -> bool {
        self.title_words == self.words && document.title_words == self.words
    }
}

/// Returns the terms of a text, in their order.
fn terms(analyzer: Analyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyzer.each_word(text, |word| terms.push(word.term));
    terms
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
