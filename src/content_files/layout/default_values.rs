//! Values that a project gives to some of its documents.

use globset::GlobMatcher;
use serde_json::{Map, Value as Json};

/// Values for some documents, with compiled patterns.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    pub(super) folder: String,
    pub(super) paths: Vec<GlobMatcher>,
    pub(super) kind: GlobMatcher,
    pub(super) language: GlobMatcher,
    /// The language of the file that has the values, if that counts.
    pub(super) language_of_file: Option<String>,
    pub(super) specificity: (usize, bool),
    pub(super) values: Map<String, Json>,
}
