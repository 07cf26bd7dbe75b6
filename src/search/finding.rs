//! Finds and ranks the posts that match a search.

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

/// Maximum number of documents in which phrases are looked up, best first.
const PHRASE_DOCUMENTS_MAX: usize = 500;

/// The posts that match a search, best first, and the terms that matched.
pub struct FoundPosts {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The terms that matched.
    pub terms: FoundTerms,
}

/// A post that matches the words of a search.
struct Candidate<'i> {
    post: &'i Arc<Post>,
    /// Whether the title consists of exactly the words of the search.
    is_title: bool,
    relevance: f32,
}

/// The intermediate result of a search for one document.
#[derive(Clone, Copy, Default)]
struct Match {
    /// The number of words found in the document so far.
    words: u8,
    /// The number of these words that are in the title.
    title_words: u8,
    /// Whether the title contains the current word.
    is_in_title: bool,
    relevance: f32,
    /// The score of the best term for the current word.
    best: f32,
}

/// The intermediate results of a search, by document number.
struct Matches<'i> {
    visible: &'i VisibleIndex<'i>,
    documents: Focus<'i, Option<Document>, DefaultSharedPtr>,
    by_document: Vec<Match>,
    /// The documents that match the current word.
    touched: Vec<usize>,
    /// The documents that match the current term and all previous words. It is a field so that its memory is reused.
    having: Vec<(usize, Occurrences)>,
}

impl Index {
    /// Returns the posts and pages, or only those of one kind, that match a query and are visible to a reader.
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
            // The catalog replaces the `Arc` of a post with each change, so another `Arc` means
            // that the document is older than the snapshot.
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
            // Each phrase needs the body, which is read from the store.
            ranked.truncate(PHRASE_DOCUMENTS_MAX);
            self.retain_with_phrases(query, snapshot, searcher, &mut ranked)?;
        }
        let posts = ranked.into_iter().map(|found| Arc::clone(found.post));
        Ok(FoundPosts {
            posts: posts.collect(),
            terms,
        })
    }

    /// Retains the posts that contain all phrases of the query and none of its excluded phrases.
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
        // `retain` passes no index, by which `bodies` are stored.
        ranked.retain(|Candidate { post, .. }| {
            // A post without a body is not visited.
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
    /// Returns the results by document number. Only documents with all words of the query match. The terms for the words are
    /// added to `terms`.
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
            // Only touched documents are completed: a word is usually in few of all documents.
            for number in matches.touched.drain(..) {
                matches.by_document[number].count_word();
            }
        }
        for word in &query.excluded {
            for (_, postings) in visible.terms_of_word(word) {
                for (number, _) in visible.having(postings) {
                    // Without counted words, the document no longer matches.
                    matches.by_document[number].words = 0;
                }
            }
        }
        matches.by_document
    }

    /// Adds the scores for a term of the word at `index`, for the documents that contain all previous words. Only the best term
    /// of a word counts.
    fn add(&mut self, expansion: &Expansion<'i>, index: usize) {
        let mut count = 0;
        self.having.clear();
        for (number, occurrences) in self.visible.having(expansion.postings) {
            count += 1;
            if usize::from(self.by_document[number].words) == index {
                self.having.push((number, occurrences));
            }
        }
        // All visible documents with the term have been counted, also those without the previous
        // words: the rarity of a word does not depend on its position in the search.
        let weight = expansion.weight * rarity(self.visible.documents(), count);
        let words_average = self.visible.words_average();
        for (number, occurrences) in self.having.drain(..) {
            let Some(Some(document)) = self.documents.get(number) else {
                continue;
            };
            let relevance = relevance(occurrences, document.words, words_average);
            let found = &mut self.by_document[number];
            // Scores are above 0, so 0 means that no term of this word was found in the document
            // before.
            if found.best == 0.0 {
                self.touched.push(number);
            }
            found.best = found.best.max(weight * relevance);
            // Completions and corrections do not make a title equal to the search.
            found.is_in_title |= expansion.weight == WORD_WEIGHT && occurrences.title;
        }
    }
}

impl Candidate<'_> {
    /// Compares two posts: the better one comes first, and of two equally good ones the newer.
    fn compare(&self, other: &Self) -> Ordering {
        let (post, other_post) = (self.post, other.post);
        let titles = other.is_title.cmp(&self.is_title);
        titles
            .then_with(|| other.relevance.total_cmp(&self.relevance))
            // The last two keys make the order total, so that pages of results do not overlap.
            .then_with(|| other_post.published_at.cmp(&post.published_at))
            .then_with(|| other_post.id.cmp(&post.id))
    }
}

impl Match {
    /// Completes the current word.
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

/// Returns the terms of a text in order.
fn terms(analyzer: Analyzer, text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    analyzer.each_word(text, |word| terms.push(word.term));
    terms
}
