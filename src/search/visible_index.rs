//! The part of an index that is visible to one reader. Searches use only this view.
//!
//! It behaves like an index with only the reader's documents: a term that is in none of them does not exist, and the numbers of
//! documents and words count only them.

use std::ops::Bound;

use super::{
    classes::VisibleClasses,
    documents::{AccessLevel, Searcher},
    index::{Document, Index, Terms},
    postings::{Occurrences, Postings},
};

/// Maximum number of terms that a prefix or a misspelt word is expanded to: the first ones in alphabetical order.
const EXPANSIONS_MAX: usize = 200;

/// Minimum length of a prefix, in characters.
const PREFIX_CHARACTERS_MIN: usize = 2;

/// The weight of a word itself.
pub const WORD_WEIGHT: f32 = 1.0;

/// The weight of a term that begins with the word.
const PREFIX_WEIGHT: f32 = 0.6;

/// The weight of a term of which the word may be a misspelling.
const MISSPELT_WEIGHT: f32 = 0.4;

/// The part of an index that is visible to a reader.
pub struct VisibleIndex<'i> {
    index: &'i Index,
    /// The terms by access level, including some that the reader does not see.
    terms: &'i [Terms],
    classes: VisibleClasses,
    /// Whether a document is visible, indexed by its number.
    is_visible: Vec<bool>,
}

/// A term to which a word of a search is expanded.
pub struct Expansion<'i> {
    /// The term.
    pub term: &'i str,
    /// The weight: [`WORD_WEIGHT`] for the word itself, less for other terms.
    pub weight: f32,
    /// The documents that contain the term, including those that the reader does not see.
    pub postings: &'i Postings,
}

impl<'i> VisibleIndex<'i> {
    /// Returns the part of an index that is visible to a reader.
    pub fn of(index: &'i Index, searcher: &Searcher) -> Self {
        let classes = index.classes().visible_to(searcher);
        // One pass over all documents per search, so that postings are then filtered by an index
        // access.
        let mut is_visible = Vec::with_capacity(index.end());
        index.all_documents().for_each(|document| {
            is_visible.push(document.is_some_and(|document| classes.contains(document.class)));
        });
        Self {
            index,
            terms: index.terms(AccessLevel::of(searcher)),
            is_visible,
            classes,
        }
    }

    /// Returns the whole index.
    pub fn index(&self) -> &'i Index {
        self.index
    }

    /// Returns the number after the last document, visible or not.
    pub fn end(&self) -> usize {
        self.is_visible.len()
    }

    /// Returns the document with a number, if it is visible.
    pub fn document(&self, number: usize) -> Option<&'i Document> {
        self.index
            .document(number)
            .filter(|_| self.is_visible[number])
    }

    /// Returns the number of visible documents.
    pub fn documents(&self) -> usize {
        self.classes.totals.documents
    }

    /// Returns the average number of words of a visible document.
    pub fn words_average(&self) -> f32 {
        let totals = self.classes.totals;
        totals.words as f32 / totals.documents.max(1) as f32
    }

    /// Returns the visible documents that contain a term, by ascending number.
    pub fn having(&self, postings: &'i Postings) -> impl Iterator<Item = (usize, Occurrences)> {
        let having = postings.iter();
        let having = having.map(|(number, occurrences)| (number as usize, occurrences));
        having.filter(|(number, _)| self.is_visible[*number])
    }

    /// Returns the terms for the form of a word in the languages of the visible texts, with their documents.
    pub fn terms_of_word(&self, form: &str) -> Vec<(&'i str, &'i Postings)> {
        let terms = self.terms_of(form);
        let terms = terms.iter().filter_map(|term| self.term(term));
        terms.collect()
    }

    /// Returns the terms to which a word is expanded: the word itself and the terms that begin with `prefix` or, if there are
    /// none, terms of which the word may be a misspelling.
    pub fn expansions(&self, word: &str, prefix: Option<&str>) -> Vec<Expansion<'i>> {
        let words = self.terms_of(word);
        let known = words.iter().filter_map(|term| self.term(term));
        let mut found: Vec<Expansion> = known.map(Expansion::with_weight(WORD_WEIGHT)).collect();
        let is_long = |prefix: &&str| prefix.chars().count() >= PREFIX_CHARACTERS_MIN;
        if let Some(prefix) = prefix.filter(is_long) {
            let begun = self.first_terms(|terms| {
                let from = (Bound::Included(prefix), Bound::Unbounded);
                let begun = terms.range::<_, str>(from);
                let begun = begun.take_while(|(known, _)| known.starts_with(prefix));
                // The word itself is already in `found`, with its higher weight.
                begun.filter(|(known, _)| !words.iter().any(|word| **word == ***known))
            });
            found.extend(begun.into_iter().map(Expansion::with_weight(PREFIX_WEIGHT)));
        }
        if found.is_empty() {
            let similar = self.first_terms(|terms| {
                terms.iter().filter(|(known, _)| {
                    let is_similar = |word: &String| is_similar(word, known, typos_max(word));
                    words.iter().any(is_similar)
                })
            });
            let similar = similar.into_iter();
            found.extend(similar.map(Expansion::with_weight(MISSPELT_WEIGHT)));
        }
        found
    }

    fn terms_of(&self, form: &str) -> Vec<String> {
        let analyzers = self.classes.analyzers.iter();
        let mut terms: Vec<String> = analyzers.map(|analyzer| analyzer.term(form)).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Returns a term if a visible document contains it.
    fn term(&self, term: &str) -> Option<(&'i str, &'i Postings)> {
        // A term is in one partition only, so the first match is complete.
        let mut parts = self.terms.iter();
        let (term, postings) = parts.find_map(|terms| terms.get_key_value(term))?;
        // A term that only other readers see does not exist for this one: otherwise, the missing
        // correction of a misspelling would disclose words of drafts.
        self.is_in_use(postings).then_some((term, postings))
    }

    fn is_in_use(&self, postings: &'i Postings) -> bool {
        self.having(postings).next().is_some()
    }

    /// Returns the first terms in alphabetical order, up to the limit, that `select` yields and a visible document contains.
    fn first_terms<I>(&self, select: impl Fn(&'i Terms) -> I) -> Vec<(&'i str, &'i Postings)>
    where
        I: Iterator<Item = (&'i Box<str>, &'i Postings)>,
    {
        let mut first: Vec<(&str, &Postings)> = Vec::new();
        for terms in self.terms {
            let in_use = select(terms).filter(|(_, postings)| self.is_in_use(postings));
            let in_use = in_use.map(|(term, postings)| (&**term, postings));
            // The limit applies per partition and again to all of them, so that terms of one
            // partition cannot displace those of another.
            first.extend(in_use.take(EXPANSIONS_MAX));
        }
        first.sort_unstable_by_key(|(term, _)| *term);
        first.truncate(EXPANSIONS_MAX);
        first
    }
}

impl<'i> Expansion<'i> {
    fn with_weight(weight: f32) -> impl Fn((&'i str, &'i Postings)) -> Self {
        move |(term, postings)| Self {
            term,
            weight,
            postings,
        }
    }
}

/// Returns the number of accepted typing errors in a word, by its length.
fn typos_max(term: &str) -> usize {
    match term.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns whether two words differ in at most `distance` characters. Swapping two adjacent characters counts as one difference.
fn is_similar(term: &str, known: &str, distance: usize) -> bool {
    distance > 0
        // Most terms fail these cheap checks, so the distance is rarely computed.
        // A character has at most four bytes.
        && term.len().abs_diff(known.len()) <= 4 * distance
        && (character_bits(term) ^ character_bits(known)).count_ones() as usize <= 2 * distance
        && strsim::osa_distance(term, known) <= distance
}

/// Returns the set of characters in a word as bits.
fn character_bits(word: &str) -> u64 {
    word.chars()
        // Characters may share a bit, which only lets more words reach the exact check.
        .fold(0, |bits, character| bits | 1 << (u32::from(character) % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_similar() {
        for (term, known, expected) in [
            ("habour", "harbour", true),
            ("hrabour", "harbour", true),
            ("harbuorr", "harbour", true),
            ("boat", "goat", true),
            ("प्रकाश", "प्रकाशन", true),
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
