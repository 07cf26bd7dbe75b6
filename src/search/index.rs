//! The index: terms with their documents, and documents with their posts. Cloning is cheap, because an update copies only the
//! changed nodes.
//!
//! All versions of a post are documents of the same index, but the results for a reader depend only on the documents visible to
//! the reader, which [`VisibleIndex`](super::visible_index::VisibleIndex) takes into account. Texts that a reader does not see
//! should not slow down the reader's searches, so the terms are partitioned by the lowest access level that sees them: searches
//! of members skip the terms that are only in drafts, and those of anonymous readers also the terms of gated texts.
//!
//! A removed document is not visible to any reader. Its postings remain until removed documents are a large part of the index,
//! because only the deleted text determines in which terms they are.

use std::{collections::HashMap, sync::Arc};

use imbl::{OrdMap, Vector, shared_ptr::DefaultSharedPtr, vector::Focus};

use super::{
    analysis::Analyzer,
    classes::DocumentClasses,
    documents::{AccessLevel, analyzer_of, each_word_outside_body, versions},
    postings::{Field, Occurrences, Postings},
};
use crate::{catalog::Catalog, domain::post::Post, id::Id};

/// Estimated memory of a term in addition to its text and its postings, in bytes.
const TERM_BYTES: usize = 64;

/// Estimated memory of a document, in bytes.
const DOCUMENT_BYTES: usize = 56;

/// Estimated number of entries of a document in addition to those of its body and its title: tags, authors, and the document
/// itself.
const OTHER_ENTRIES: u64 = 8;

/// Postings of removed documents are dropped when they exceed one entry in this number.
const REMOVED_PART: u64 = 4;

/// Terms and their documents.
pub type Terms = OrdMap<Box<str>, Postings>;

/// An index of the texts of a site.
#[derive(Clone)]
pub struct Index {
    /// The terms, by the lowest [`AccessLevel`] of their documents. After removals, a term may be at a lower level than
    /// necessary.
    terms: [Terms; AccessLevel::COUNT],
    /// The documents, indexed by number; `None` if a document was removed.
    documents: Vector<Option<Document>>,
    by_post: OrdMap<Id, Box<[u32]>>,
    classes: DocumentClasses,
    /// Number of removed documents.
    removed: usize,
    entries: u64,
    removed_entries: u64,
}

/// A version of a post's text.
#[derive(Clone)]
pub struct Document {
    /// The post as it was indexed.
    pub post: Arc<Post>,
    /// The number of the class, which determines who sees this version.
    pub class: u32,
    /// Number of words in the body.
    pub words: u32,
    /// Number of words in the title, at most 255.
    pub title_words: u8,
}

impl Document {
    /// Returns an estimated upper bound of the number of entries in the index.
    fn entries(&self) -> u64 {
        u64::from(self.words) + u64::from(self.title_words) + OTHER_ENTRIES
    }
}

impl Index {
    /// Returns an empty index.
    pub fn new(analyzer: Analyzer) -> Self {
        Self {
            terms: Default::default(),
            documents: Vector::new(),
            by_post: OrdMap::new(),
            classes: DocumentClasses::new(analyzer),
            removed: 0,
            entries: 0,
            removed_entries: 0,
        }
    }

    /// Returns the analyzer for the language of the site.
    pub fn analyzer(&self) -> Analyzer {
        self.classes.analyzer_of_site()
    }

    /// Returns the classes of the documents.
    pub(super) fn classes(&self) -> &DocumentClasses {
        &self.classes
    }

    /// Returns partitions that contain all terms visible at an access level, and possibly others.
    pub(super) fn terms(&self, level: AccessLevel) -> &[Terms] {
        &self.terms[..=level as usize]
    }

    /// Returns the document with a number; `None` if it was removed.
    pub(super) fn document(&self, number: usize) -> Option<&Document> {
        self.documents.get(number)?.as_ref()
    }

    /// Returns all documents by number; `None` for removed ones.
    pub(super) fn all_documents(&self) -> impl Iterator<Item = Option<&Document>> {
        // Iterating over whole leaves takes a fraction of the time, and each search reads all documents.
        let leaves = self.documents.leaves();
        leaves.flat_map(|leaf| leaf.iter().map(Option::as_ref))
    }

    /// Returns all documents for lookups by ascending number.
    pub(super) fn focus(&self) -> Focus<'_, Option<Document>, DefaultSharedPtr> {
        self.documents.focus()
    }

    /// Returns the number after the last document.
    pub(super) fn end(&self) -> usize {
        self.documents.len()
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents.len() - self.removed
    }

    /// Returns the estimated memory of the index, in bytes.
    pub fn bytes(&self) -> usize {
        let terms = self.terms.iter().flatten();
        let of_terms = terms.map(|(term, postings)| TERM_BYTES + term.len() + postings.bytes());
        of_terms.sum::<usize>() + DOCUMENT_BYTES * self.documents.len()
    }

    /// Removes all documents of a post.
    pub fn remove(&mut self, post: Id) {
        // The number is not reused: the postings of the removed document remain.
        for number in self.by_post.remove(&post).unwrap_or_default() {
            if let Some(document) = self.documents.set(number as usize, None) {
                self.classes.remove(document.class, document.words);
                self.removed += 1;
                self.entries -= document.entries();
                self.removed_entries += document.entries();
            }
        }
    }

    /// Adds or replaces a post, given its body as HTML in stored form.
    pub fn put(&mut self, catalog: &Catalog, post: &Arc<Post>, html: &str) {
        self.remove(post.id);
        let analyzer = analyzer_of(catalog, post, self.analyzer());
        let (outside, title_words) = outside_body(analyzer, catalog, post);
        let mut numbers = Vec::new();
        for version in versions(post, html) {
            // Each version is a complete document, with title and tags, so that a search reads one
            // document per post and reader.
            let mut terms = outside.clone();
            let mut words = 0;
            analyzer.each_word(&version.text, |word| {
                terms.entry(word.term).or_default().add(Field::Body);
                words += 1;
            });
            let class = self.classes.number(post, version.readers, analyzer);
            let number = self.push(Document {
                post: Arc::clone(post),
                class,
                words,
                title_words,
            });
            numbers.push(number);
            let level = self.classes.lowest_level(class);
            for (term, occurrences) in terms {
                self.add_to_term(level, term, number, occurrences);
            }
        }
        self.by_post.insert(post.id, numbers.into_boxed_slice());
    }

    /// Adds a document without its terms and returns its number.
    fn push(&mut self, document: Document) -> u32 {
        self.classes.add(document.class, document.words);
        self.entries += document.entries();
        self.documents.push_back(Some(document));
        (self.documents.len() - 1) as u32
    }

    /// Adds the last document, which is visible from an access level on, to the postings of a term.
    fn add_to_term(
        &mut self,
        level: AccessLevel,
        term: String,
        document: u32,
        occurrences: Occurrences,
    ) {
        let level = level as usize;
        let known = self
            .terms
            .iter()
            .position(|terms| terms.contains_key(&*term));
        match known {
            // A term is in one partition only, so that a lookup finds all of its documents at once.
            Some(known) if known <= level => {
                if let Some(postings) = self.terms[known].get_mut(&*term) {
                    postings.push(document, occurrences);
                }
            }
            Some(known) => {
                // The term moves to the lower level with its earlier documents: readers of that
                // level search no higher partition.
                if let Some((term, mut postings)) = self.terms[known].remove_with_key(&*term) {
                    postings.push(document, occurrences);
                    self.terms[level].insert(term, postings);
                }
            }
            None => {
                let postings = Postings::One(document, occurrences);
                self.terms[level].insert(term.into_boxed_str(), postings);
            }
        }
    }

    /// Returns whether removed documents are such a large part of the index that they should be dropped.
    pub fn has_many_removed(&self) -> bool {
        self.removed_entries > self.entries / REMOVED_PART
    }

    /// Returns a copy of the index without the postings of removed documents.
    pub fn without_removed(&self) -> Self {
        // Documents are renumbered in their order, so that postings remain ascending.
        let mut index = Self::new(self.analyzer());
        let mut numbers = Vec::with_capacity(self.documents.len());
        for document in self.all_documents() {
            numbers.push(document.and_then(|document| {
                let class = index.classes.number_as_in(&self.classes, document.class)?;
                Some(index.push(Document {
                    class,
                    ..document.clone()
                }))
            }));
        }
        let new_number = |number: &u32| numbers[*number as usize];
        let posts = self.by_post.iter().map(|(post, of_post)| {
            let of_post: Box<[u32]> = of_post.iter().filter_map(new_number).collect();
            (*post, of_post)
        });
        index.by_post = posts.collect();
        for (term, postings) in self.terms.iter().flatten() {
            // The lowest level is computed again: the document that required it may have been
            // removed.
            let mut level = AccessLevel::Staff;
            let mut rest: Option<Postings> = None;
            for (number, occurrences) in postings.iter() {
                let Some(number) = new_number(&number) else {
                    continue;
                };
                if let Some(document) = index.document(number as usize) {
                    level = level.min(index.classes.lowest_level(document.class));
                }
                match &mut rest {
                    Some(postings) => postings.push(number, occurrences),
                    None => rest = Some(Postings::One(number, occurrences)),
                }
            }
            if let Some(postings) = rest {
                index.terms[level as usize].insert(term.clone(), postings);
            }
        }
        index
    }
}

/// Returns the terms of the title, the tags, the authors and the custom excerpt, and the number of words in the title.
fn outside_body(
    analyzer: Analyzer,
    catalog: &Catalog,
    post: &Post,
) -> (HashMap<String, Occurrences>, u8) {
    let mut terms: HashMap<String, Occurrences> = HashMap::new();
    let mut title_words: u8 = 0;
    each_word_outside_body(analyzer, catalog, post, |word, field| {
        terms.entry(word.term).or_default().add(field);
        if let Field::Title = field {
            title_words = title_words.saturating_add(1);
        }
    });
    (terms, title_words)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;
    use crate::domain::post::{PostKind, Status};

    fn post(status: Status) -> Arc<Post> {
        let id = Id::derive("post", "a");
        let draft = Post::draft(id, Uuid::nil(), PostKind::Post, Timestamp::UNIX_EPOCH);
        Arc::new(Post { status, ..draft })
    }

    fn index_of(status: Status, text: &str) -> Index {
        let mut index = Index::new(Analyzer::for_locale("en"));
        index.put(&Catalog::default(), &post(status), text);
        index
    }

    fn terms(index: &Index, level: AccessLevel) -> Vec<&str> {
        let terms = index.terms(level).iter().flatten();
        terms.map(|(term, _)| &**term).collect()
    }

    #[test]
    fn terms_that_only_staff_see_are_not_among_those_of_readers() {
        let mut index = index_of(Status::Draft, "kraken");
        assert_eq!(terms(&index, AccessLevel::Paying), [""; 0]);
        assert_eq!(terms(&index, AccessLevel::Staff), ["kraken"]);
        index.put(&Catalog::default(), &post(Status::Published), "kraken");
        assert_eq!(terms(&index, AccessLevel::Anonymous), ["kraken"]);
        index.put(&Catalog::default(), &post(Status::Draft), "kraken");
        let index = index.without_removed();
        assert_eq!(terms(&index, AccessLevel::Paying), [""; 0]);
        assert_eq!(terms(&index, AccessLevel::Staff), ["kraken"]);
    }

    #[test]
    fn removed_documents_leave_nothing() {
        let mut index = index_of(Status::Published, "kraken squid");
        assert!(!index.has_many_removed());
        index.put(&Catalog::default(), &post(Status::Published), "squid");
        assert!(index.has_many_removed());
        let compacted = index.without_removed();
        assert!(!compacted.has_many_removed());
        let fresh = index_of(Status::Published, "squid");
        assert_eq!(compacted.bytes(), fresh.bytes());
        assert_eq!(compacted.documents(), 1);
        index.remove(post(Status::Published).id);
        assert_eq!(terms(&index.without_removed(), AccessLevel::Staff), [""; 0]);
    }
}
