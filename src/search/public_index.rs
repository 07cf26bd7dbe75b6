//! The index of the content that anonymous readers see, for static builds. Unlike the index in memory, it includes the forms of
//! each term.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    analysis::{Analyzer, Word},
    documents::{Readers, analyzer_of, each_word_outside_body, text_for},
    postings::{Field, Occurrences, Postings},
    ranking::relevance,
};
use crate::{domain::post::Post, error::Result, site::SiteSnapshot};

/// The index of a site's public texts.
#[derive(Default)]
pub struct PublicIndex {
    documents: Vec<PublicDocument>,
    terms: BTreeMap<String, PublicTerm>,
}

/// A post or page.
struct PublicDocument {
    post: Arc<Post>,
    /// Number of words in the public part of the body.
    words: u32,
    /// Number of words in the title.
    title_words: u32,
}

/// The documents that contain a term, and the forms in which it occurs.
struct PublicTerm {
    forms: BTreeSet<String>,
    postings: Postings,
}

impl PublicIndex {
    /// Indexes the posts and pages of a site. They are numbered by date, so that a new post does not change the other numbers.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn of(snapshot: &SiteSnapshot) -> Result<Self> {
        let catalog = &snapshot.catalog;
        let locale = catalog.settings.text("locale").unwrap_or_default();
        let of_site = Analyzer::for_locale(&locale);
        let posts = catalog.posts.iter().filter(|post| post.is_listed());
        let mut posts: Vec<&Arc<Post>> = posts.collect();
        posts.sort_by_key(|post| (post.published_at, post.id));
        let mut index = Self::default();
        for post in posts {
            let analyzer = analyzer_of(catalog, post, of_site);
            index.add(snapshot, analyzer, post)?;
        }
        Ok(index)
    }

    fn add(&mut self, snapshot: &SiteSnapshot, analyzer: Analyzer, post: &Arc<Post>) -> Result<()> {
        let mut found: HashMap<String, (Occurrences, BTreeSet<String>)> = HashMap::new();
        let mut add = |word: Word, field: Field| {
            let (occurrences, forms) = found.entry(word.term).or_default();
            occurrences.add(field);
            if !forms.contains(&word.form) {
                forms.insert(word.form);
            }
        };
        let (mut words, mut title_words) = (0, 0);
        each_word_outside_body(analyzer, &snapshot.catalog, post, |word, field| {
            title_words += u32::from(matches!(field, Field::Title));
            add(word, field);
        });
        analyzer.each_word(&public_text(snapshot, post)?, |word| {
            words += 1;
            add(word, Field::Body);
        });
        let number = self.documents.len() as u32;
        // The order of this hash map has no effect on the files: each term gets one entry for the
        // document.
        for (term, (occurrences, forms)) in found {
            match self.terms.get_mut(&term) {
                Some(known) => {
                    known.postings.push(number, occurrences);
                    known.forms.extend(forms);
                }
                None => {
                    let postings = Postings::One(number, occurrences);
                    self.terms.insert(term, PublicTerm { forms, postings });
                }
            }
        }
        let post = Arc::clone(post);
        self.documents.push(PublicDocument {
            post,
            words,
            title_words,
        });
        Ok(())
    }

    /// Returns the posts and pages by number.
    pub fn posts(&self) -> impl ExactSizeIterator<Item = &Arc<Post>> {
        self.documents.iter().map(|document| &document.post)
    }

    /// Returns the forms of words, each with its term.
    pub fn forms(&self) -> impl Iterator<Item = (&str, &str)> {
        self.terms.iter().flat_map(|(term, of_term)| {
            let forms = of_term.forms.iter();
            forms.map(move |form| (&**form, &**term))
        })
    }

    /// Visits the documents that contain a term in order of their numbers. The arguments are the number, the relevance of the
    /// document for the term, 0 to 2.2, and the number of words in the title, or 0 if the title does not contain the term.
    pub fn each_document(&self, term: &str, mut visit: impl FnMut(u32, f32, u32)) {
        let average = self.words_average();
        if let Some(of_term) = self.terms.get(term) {
            for (number, occurrences) in of_term.postings.iter() {
                let document = &self.documents[number as usize];
                let relevance = relevance(occurrences, document.words, average);
                let title_words = if occurrences.title {
                    document.title_words
                } else {
                    0
                };
                visit(number, relevance, title_words);
            }
        }
    }

    /// Returns the average number of words of a document, rounded down to its three most significant bits, so that a change of
    /// one text does not change the whole index.
    fn words_average(&self) -> f32 {
        let words = self
            .documents
            .iter()
            .map(|document| u64::from(document.words));
        let average = words.sum::<u64>() / self.documents.len().max(1) as u64;
        let shift = average.max(1).ilog2().saturating_sub(2);
        (average >> shift << shift) as f32
    }
}

/// Returns the text of a post that all readers see.
///
/// # Errors
///
/// If the store cannot be read.
pub fn public_text(snapshot: &SiteSnapshot, post: &Post) -> Result<String> {
    let mut text = String::new();
    snapshot.visit_bodies([post.id].into_iter(), |_, html| {
        // A post without a body is not visited, and its text stays empty.
        text = text_for(post, html, Readers::ANONYMOUS);
    })?;
    Ok(text)
}
