//! The index: terms with their documents, and documents with their posts. Cloning is cheap; an addition copies what it touches.

use std::{collections::HashMap, sync::Arc};

use imbl::{OrdMap, Vector};

use super::{
    analysis::Analyzer,
    documents::{Readers, each_word_beside_body, versions},
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

/// An index of one language.
#[derive(Clone)]
pub struct Index {
    analyzer: Analyzer,
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
}

impl Index {
    /// Returns an empty index.
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            analyzer,
            terms: OrdMap::new(),
            documents: Vector::new(),
            by_post: OrdMap::new(),
            removed: 0,
            words: 0,
        }
    }

    /// Returns the analyzer of its texts.
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzer
    }

    /// Returns its terms.
    pub(super) fn terms(&self) -> &OrdMap<Box<str>, Postings> {
        &self.terms
    }

    /// Returns the document with this number, unless it was removed.
    pub(super) fn document(&self, number: u32) -> Option<&Document> {
        self.documents.get(number as usize)?.as_ref()
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
        let beside = self.beside_body(catalog, post);
        let mut numbers = Vec::new();
        for version in versions(post, html) {
            let mut terms = beside.clone();
            let mut words = 0;
            self.analyzer.each_word(&version.text, |word| {
                terms.entry(word.term).or_default().add(Field::Body);
                words += 1;
            });
            let number = self.documents.len() as u32;
            numbers.push(number);
            self.documents.push_back(Some(Document {
                post: Arc::clone(post),
                readers: version.readers,
                words,
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

    /// Returns the terms of title, tags, authors and custom excerpt.
    fn beside_body(&self, catalog: &Catalog, post: &Post) -> HashMap<String, Occurrences> {
        let mut terms: HashMap<String, Occurrences> = HashMap::new();
        each_word_beside_body(&self.analyzer, catalog, post, |word, field| {
            terms.entry(word.term).or_default().add(field);
        });
        terms
    }
}
