//! Full-text search over posts and pages, with an index in memory that is updated after each commit.
//!
//! The index is immutable, so a search takes no lock. A thread, the indexer, creates the next index, which shares everything that
//! did not change, and replaces the current one. At startup, the index is built in the background; searches are refused until it
//! is complete, and nothing else waits for it. Each version of a text that some readers see is a document with these readers. The
//! results of a search are the same as in an index with only the searcher's documents: words, corrections, completions and
//! ranking depend only on these.
//!
//! The index has one entry for each word of a document, without positions. Phrases are looked up in the texts of the documents
//! that contain their words.

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
mod search_index;
mod shown_excerpt;
mod visible_index;

pub use self::search_index::{SearchIndex, SearchMetrics, SearchResults};

pub use self::{
    documents::Searcher,
    highlight::Highlighter,
    indexer::Indexer,
    public_index::{PublicIndex, public_text},
    query::SearchQuery,
};
