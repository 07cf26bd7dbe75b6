//! The options of a build.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Default number of records on a page of a list, as in the API.
pub const PAGE_RECORDS_DEFAULT: usize = 15;

/// Maximum number of records on a page of a list.
pub const PAGE_RECORDS_MAX: usize = 100;

/// The options of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildOptions {
    /// The folder to write to: an absolute path.
    pub target: PathBuf,
    /// The site's public URL, if it differs from the configured one.
    pub url: Option<String>,
    /// Number of records on a page of a list, 1 to [`PAGE_RECORDS_MAX`].
    pub page_size: usize,
    /// Whether the pages of the site are written.
    pub has_pages: bool,
    /// Whether the Content API is written.
    pub has_api: bool,
    /// Whether a search index is written; with pages, also the files that their search reads.
    pub has_search: bool,
    /// Whether to write nothing if a page cannot be rendered or the target of a link does not exist.
    pub is_strict: bool,
    /// The folder of the theme for pages, an absolute path; `None` for the theme of the site.
    pub theme: Option<PathBuf>,
    /// The API key with which scripts of pages read the Content API, instead of the random key of a site without a data folder.
    pub content_key: Option<String>,
    /// Whether files that no build wrote are replaced.
    pub overwrites: bool,
}
