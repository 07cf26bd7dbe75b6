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
