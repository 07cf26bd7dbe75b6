//! The index: terms with their documents, and documents with their posts. Cloning is cheap; an addition copies what it touches.

use std::{collections::HashMap, sync::Arc};

use imbl::{OrdMap, Vector, shared_ptr::DefaultSharedPtr, vector::Focus};

use super::{
    analysis::Analyzer,
    documents::{Readers, analyzer_of, each_word_beside_body, versions},
    postings::{Field, Occurrences, Postings},
};
use crate::{catalog::Catalog, domain::post::Post, id::Id};

/// Bytes that a term takes beside its text and its postings, about.
const TERM_BYTES: usize = 64;

/// Bytes that a document takes, about.
const DOCUMENT_BYTES: usize = 48;

/// Documents that were removed and are still in postings, before the index is built again: this part of all, and at least
/// [`REMOVED_MIN`].
const REMOVED_PART: usize = 4;
const REMOVED_MIN: usize = 500;

/// An index of the texts of a site.
#[derive(Clone)]
pub struct Index {
    /// Those of its texts: that of the site's language, and those of languages that posts have.
    analyzers: Vec<Analyzer>,
    terms: OrdMap<Box<str>, Postings>,
    /// By number; `None` for those that were removed.
    documents: Vector<Option<Document>>,
    by_post: OrdMap<Id, Box<[u32]>>,
    /// Number of documents that were removed.
    removed: usize,
    /// Words of all documents.
    words: u64,
}

/// A version of a post's text.
#[derive(Clone)]
pub struct Document {
    /// The post as it was indexed.
    pub post: Arc<Post>,
    /// Who sees this version.
    pub readers: Readers,
    /// Words of the body.
    pub words: u32,
    /// Words of the title, up to 255.
    pub title_words: u8,
}

impl Index {
    /// Returns an empty index.
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            analyzers: vec![analyzer],
            terms: OrdMap::new(),
            documents: Vector::new(),
            by_post: OrdMap::new(),
            removed: 0,
            words: 0,
        }
    }

    /// Returns the analyzer for the language of the site.
    pub fn analyzer(&self) -> Analyzer {
        self.analyzers[0]
    }

    /// Returns the terms of a word in this form, in the languages of the texts.
    pub(super) fn terms_of(&self, form: &str) -> Vec<String> {
        let terms = self.analyzers.iter().map(|analyzer| analyzer.term(form));
        let mut terms: Vec<String> = terms.collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// Returns its terms.
    pub(super) fn terms(&self) -> &OrdMap<Box<str>, Postings> {
        &self.terms
    }

    /// Returns the document with this number, unless it was removed.
    pub(super) fn document(&self, number: usize) -> Option<&Document> {
        self.documents.get(number)?.as_ref()
    }

    /// Returns all documents by their numbers, for look-ups by ascending number; `None` for those that were removed.
    pub(super) fn focus(&self) -> Focus<'_, Option<Document>, DefaultSharedPtr> {
        self.documents.focus()
    }

    /// Returns the number after that of the last document.
    pub(super) fn end(&self) -> usize {
        self.documents.len()
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents.len() - self.removed
    }

    /// Returns the words of a document, on average.
    pub(super) fn words_average(&self) -> f32 {
        self.words as f32 / self.documents.len().max(1) as f32
    }

    /// Returns the bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let terms = self.terms.iter();
        let of_terms = terms.map(|(term, postings)| TERM_BYTES + term.len() + postings.bytes());
        of_terms.sum::<usize>() + DOCUMENT_BYTES * self.documents.len()
    }

    /// Returns whether so many documents were removed that it should be built again.
    pub fn is_outdated(&self) -> bool {
        self.removed > REMOVED_MIN.max(self.documents.len() / REMOVED_PART)
    }

    /// Removes a post.
    pub fn remove(&mut self, post: Id) {
        for number in self.by_post.remove(&post).unwrap_or_default() {
            self.documents.set(number as usize, None);
            self.removed += 1;
        }
    }

    /// Adds a post with this body, which is HTML in stored form, in place of an earlier version of it.
    pub fn put(&mut self, catalog: &Catalog, post: &Arc<Post>, html: &str) {
        self.remove(post.id);
        let analyzer = analyzer_of(catalog, post, self.analyzer());
        if !self.analyzers.contains(&analyzer) {
            self.analyzers.push(analyzer);
        }
        let (beside, title_words) = beside_body(analyzer, catalog, post);
        let mut numbers = Vec::new();
        for version in versions(post, html) {
            let mut terms = beside.clone();
            let mut words = 0;
            analyzer.each_word(&version.text, |word| {
                terms.entry(word.term).or_default().add(Field::Body);
                words += 1;
            });
            let number = self.documents.len() as u32;
            numbers.push(number);
            self.documents.push_back(Some(Document {
                post: Arc::clone(post),
                readers: version.readers,
                words,
                title_words,
            }));
            self.words += u64::from(words);
            for (term, occurrences) in terms {
                match self.terms.get_mut(&*term) {
                    Some(postings) => postings.push(number, occurrences),
                    None => {
                        let postings = Postings::One(number, occurrences);
                        self.terms.insert(term.into_boxed_str(), postings);
                    }
                }
            }
        }
        self.by_post.insert(post.id, numbers.into_boxed_slice());
    }
}

/// Returns the terms of title, tags, authors and custom excerpt, and the number of words of the title.
fn beside_body(
    analyzer: Analyzer,
    catalog: &Catalog,
    post: &Post,
) -> (HashMap<String, Occurrences>, u8) {
    let mut terms: HashMap<String, Occurrences> = HashMap::new();
    let mut title_words: u8 = 0;
    each_word_beside_body(analyzer, catalog, post, |word, field| {
        terms.entry(word.term).or_default().add(field);
        if let Field::Title = field {
            title_words = title_words.saturating_add(1);
        }
    });
    (terms, title_words)
}
