//! The search index of a site, which is replaced by an updated copy after each commit.

use std::{sync::Arc, time::Instant};

use arc_swap::ArcSwapOption;

use crate::{
    catalog::Catalog,
    counters::{Counter, Durations},
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
    search::{
        analysis::Analyzer,
        documents::{Searcher, analyzer_of},
        highlight::{FoundTerms, Highlighter},
        index::Index,
        query::SearchQuery,
    },
    site::SiteSnapshot,
};

/// The search index of a site, which is available once its [`Indexer`](super::Indexer) has built it.
#[derive(Default)]
pub struct SearchIndex {
    pub(super) current: ArcSwapOption<Index>,
    metrics: SearchMetrics,
}

/// Metrics of searches.
#[derive(Debug, Default)]
pub struct SearchMetrics {
    /// The durations of searches.
    pub durations: Durations,
    /// The number of searches without results.
    pub without_results: Counter,
}

/// The posts or pages that match a search, best first.
pub struct SearchResults {
    /// The posts.
    pub posts: Vec<Arc<Post>>,
    /// The analyzer for the site's language.
    analyzer: Analyzer,
    terms: FoundTerms,
}

impl SearchIndex {
    /// Returns the metrics.
    pub fn metrics(&self) -> &SearchMetrics {
        &self.metrics
    }

    /// Returns the number of documents and the estimated memory of the index in bytes; zeros while it is being built.
    pub fn size(&self) -> (usize, usize) {
        let index = self.current.load();
        index
            .as_ref()
            .map_or((0, 0), |index| (index.documents(), index.bytes()))
    }

    /// Finds the posts and pages, or only those of one kind, that match `text` and are visible to a reader.
    ///
    /// A post that has changed since it was indexed is not found until it has been indexed again, so that no content is found
    /// that the reader is no longer allowed to see.
    ///
    /// # Errors
    ///
    /// `Maintenance` while the index is being built; `BadRequest` if the query is too long or contains no words; an error if the
    /// store cannot be read.
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
    /// Returns a highlighter that marks the found words in the texts of a post.
    pub fn highlighter(&self, catalog: &Catalog, post: &Post) -> Highlighter<'_> {
        Highlighter::new(analyzer_of(catalog, post, self.analyzer), &self.terms)
    }
}
