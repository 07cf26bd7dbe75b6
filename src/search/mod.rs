//! Full-text search over posts and pages: an index in memory that follows each commit.
//!
//! The index is immutable, so a search takes no lock: the indexer, a thread, makes the next one, which shares all that did not
//! change, and replaces it. At start it is built in the background; until then a search is refused, and nothing else waits.
//! Each version of a text that some reader sees is a document, with its readers. A search gets the same results as
//! in an index of its reader's documents alone: words, their corrections and continuations, and the order come from these.
//!
//! The index has one entry for each word of a document, without positions: phrases are looked up in the texts of the documents
//! that have their words.

mod analysis;
mod classes;
mod documents;
mod finding;
mod highlight;
mod index;
mod indexer;
mod postings;
mod public_index;
mod query;
mod ranking;
mod visible_index;

use std::{sync::Arc, time::Instant};

use arc_swap::ArcSwapOption;

use self::{analysis::Analyzer, documents::analyzer_of, highlight::FoundTerms, index::Index};
pub use self::{
    documents::Searcher,
    highlight::Highlighter,
    indexer::Indexer,
    public_index::{PublicIndex, public_text},
    query::SearchQuery,
};
use crate::{
    catalog::Catalog,
    counters::{Counter, Durations},
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
    site::SiteSnapshot,
};

/// The search index of a site, from the first start of its [`Indexer`] on.
#[derive(Default)]
pub struct SearchIndex {
    current: ArcSwapOption<Index>,
    metrics: SearchMetrics,
}

/// Metrics of searches.
#[derive(Debug, Default)]
pub struct SearchMetrics {
    /// The time that searches took.
    pub durations: Durations,
    /// Searches that found nothing.
    pub without_results: Counter,
}

/// The posts or pages that a search found, best first.
pub struct SearchResults {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The analyzer of the site's language.
    analyzer: Analyzer,
    terms: FoundTerms,
}

impl SearchIndex {
    /// Returns the metrics.
    pub fn metrics(&self) -> &SearchMetrics {
        &self.metrics
    }

    /// Returns the number of documents and the bytes that the index takes, about; zeros while it is being built.
    pub fn size(&self) -> (usize, usize) {
        let index = self.current.load();
        index
            .as_ref()
            .map_or((0, 0), |index| (index.documents(), index.bytes()))
    }

    /// Finds the posts and pages, or those of one kind, that `text` describes for a reader.
    ///
    /// Posts that changed after they were indexed are not found until the indexer has them, so that nothing is found that the
    /// reader may not see any more.
    ///
    /// # Errors
    ///
    /// `Maintenance` while the index is being built, `BadRequest` if the search is too long or without words, and if the store
    /// cannot be read.
    pub fn search(
        &self,
        snapshot: &SiteSnapshot,
        text: &str,
        kind: Option<PostKind>,
        searcher: &Searcher,
    ) -> Result<SearchResults> {
        let started = Instant::now();
        let current = self.current.load();
        let Some(index) = current.as_ref() else {
            return Err(Error::new(
                Kind::Maintenance,
                "The search index is being built.",
            ));
        };
        let query = SearchQuery::parse(text)?;
        let found = index.find(&query, snapshot, kind, searcher)?;
        self.metrics.durations.add(started.elapsed());
        if found.posts.is_empty() {
            self.metrics.without_results.one();
        }
        Ok(SearchResults {
            posts: found.posts,
            analyzer: index.analyzer(),
            terms: found.terms,
        })
    }
}

impl SearchResults {
    /// Returns the highlighter that marks the found words in texts of a post.
    pub fn highlighter(&self, catalog: &Catalog, post: &Post) -> Highlighter<'_> {
        Highlighter::new(analyzer_of(catalog, post, self.analyzer), &self.terms)
    }
}

/// Returns the excerpt that all readers see.
fn shown_excerpt(post: &Post) -> Option<&str> {
    let is_hidden = post.public_excerpt.is_none() && post.is_closed();
    post.custom_excerpt.as_deref().filter(|_| !is_hidden)
}
