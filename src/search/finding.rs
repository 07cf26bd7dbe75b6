//! The posts that a search finds for a reader, and their order.

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use imbl::{shared_ptr::DefaultSharedPtr, vector::Focus};

use super::{
    analysis::Analyzer,
    documents::{Readers, Searcher, analyzer_of, text_for},
    highlight::FoundTerms,
    index::{Document, Index},
    postings::Occurrences,
    query::SearchQuery,
    ranking::{rarity, relevance},
    visible_index::{Expansion, VisibleIndex, WORD_WEIGHT},
};
use crate::{
    domain::post::{Post, PostKind},
    error::Result,
    site::SiteSnapshot,
};

/// Most documents in which phrases are looked up, best first.
const PHRASE_DOCUMENTS_MAX: usize = 500;

/// The posts that a search found, best first, and the terms that matched.
pub struct FoundPosts {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The terms.
    pub terms: FoundTerms,
}

/// A post that may be found.
struct Candidate<'i> {
    post: &'i Arc<Post>,
    /// True if its title consists of the words.
    is_title: bool,
    relevance: f32,
}

/// The score of a document in a search, while its words are looked up.
#[derive(Clone, Copy, Default)]
struct Match {
    /// The number of the words that it has.
    words: u8,
    /// The number of these that its title has.
    title_words: u8,
    /// True if its title has the current word.
    is_in_title: bool,
    relevance: f32,
    /// The score of the best term of the current word.
    best: f32,
}

/// The scores of the documents in a search, by their numbers, while its words are looked up.
struct Matches<'i> {
    visible: &'i VisibleIndex<'i>,
    documents: Focus<'i, Option<Document>, DefaultSharedPtr>,
    by_document: Vec<Match>,
    /// The documents that match the current word.
    touched: Vec<usize>,
    /// The documents that match the current term and all previous words. A field, so that its memory is reused.
    having: Vec<(usize, Occurrences)>,
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
        searcher: &Searcher,
    ) -> Result<FoundPosts> {
        let mut terms = FoundTerms::default();
        let mut ranked: Vec<Candidate> = Vec::new();
        let visible = VisibleIndex::of(self, searcher);
        let matches = Matches::of(&visible, query, &mut terms);
        for (number, found) in matches.into_iter().enumerate() {
            if usize::from(found.words) != query.words.len() {
                continue;
            }
            let Some(document) = visible.document(number) else {
                continue;
            };
            let post = &document.post;
            let current = snapshot.catalog.posts.get(post.id);
            let is_current = current.is_some_and(|current| Arc::ptr_eq(current, post));
            if is_current && kind.is_none_or(|kind| post.kind == kind) {
                ranked.push(Candidate {
                    post,
                    is_title: found.is_all_of_title(document),
                    relevance: found.relevance,
                });
            }
        }
        ranked.sort_unstable_by(Candidate::compare);
        if !query.phrases.is_empty() {
            ranked.truncate(PHRASE_DOCUMENTS_MAX);
            self.retain_with_phrases(query, snapshot, searcher, &mut ranked)?;
        }
        let posts = ranked.into_iter().map(|found| Arc::clone(found.post));
        Ok(FoundPosts {
            posts: posts.collect(),
            terms,
        })
    }

    /// Keeps the posts that have all phrases and none of the excluded ones.
    fn retain_with_phrases(
        &self,
        query: &SearchQuery,
        snapshot: &SiteSnapshot,
        searcher: &Searcher,
        ranked: &mut Vec<Candidate>,
    ) -> Result<()> {
        let ids = ranked.iter().map(|found| found.post.id);
        let mut bodies: HashMap<usize, String> = HashMap::new();
        snapshot.visit_bodies(ids, |index, html| {
            let post = ranked[index].post;
            let readers = Readers::of(searcher, &post.tiers);
            bodies.insert(index, text_for(post, html, readers));
        })?;
        let mut index = 0;
        ranked.retain(|Candidate { post, .. }| {
            let body = bodies.get(&index).map_or("", String::as_str);
            index += 1;
            let texts = [
                &*post.title,
                super::shown_excerpt::shown_excerpt(post).unwrap_or_default(),
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

impl<'i> Matches<'i> {
    /// Returns the score of each document, by its number; only documents with all words count. Adds the terms of
    /// the words to `terms`.
    fn of(
        visible: &'i VisibleIndex<'i>,
        query: &SearchQuery,
        terms: &mut FoundTerms,
    ) -> Vec<Match> {
        let mut matches = Self {
            visible,
            documents: visible.index().focus(),
            by_document: vec![Match::default(); visible.end()],
            touched: Vec::new(),
            having: Vec::new(),
        };
        for (index, word) in query.words.iter().enumerate() {
            let is_last = index + 1 == query.words.len();
            let prefix = query.prefix.as_deref().filter(|_| is_last);
            for expansion in visible.expansions(word, prefix) {
                terms.add(expansion.term, index);
                matches.add(&expansion, index);
            }
            for number in matches.touched.drain(..) {
                matches.by_document[number].count_word();
            }
        }
        for word in &query.excluded {
            for (_, postings) in visible.terms_of_word(word) {
                for (number, _) in visible.having(postings) {
                    // A document without words is no longer one with all of them.
                    matches.by_document[number].words = 0;
                }
            }
        }
        matches.by_document
    }

    /// Scores the documents that have all previous words for a term of the word at `index`. The best term of a word counts.
    fn add(&mut self, expansion: &Expansion<'i>, index: usize) {
        let mut count = 0;
        self.having.clear();
        for (number, occurrences) in self.visible.having(expansion.postings) {
            count += 1;
            if usize::from(self.by_document[number].words) == index {
                self.having.push((number, occurrences));
            }
        }
        let weight = expansion.weight * rarity(self.visible.documents(), count);
        let words_average = self.visible.words_average();
        for (number, occurrences) in self.having.drain(..) {
            let Some(Some(document)) = self.documents.get(number) else {
                continue;
            };
            let relevance = relevance(occurrences, document.words, words_average);
            let found = &mut self.by_document[number];
            if found.best == 0.0 {
                self.touched.push(number);
            }
            found.best = found.best.max(weight * relevance);
            found.is_in_title |= expansion.weight == WORD_WEIGHT && occurrences.title;
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
