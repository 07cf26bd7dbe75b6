//! The options of a build.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Default number of records on a page of a list, as in the API.
pub const PAGE_RECORDS_DEFAULT: usize = 15;

/// Most records on a page of a list.
pub const PAGE_RECORDS_MAX: usize = 100;

/// The options of a build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildOptions {
    /// The folder to write to: an absolute path.
    pub target: PathBuf,
    /// The site's public URL, if it is not the configured one.
    pub url: Option<String>,
    /// Records on a page of a list, 1 to [`PAGE_RECORDS_MAX`].
    pub page_size: usize,
    /// True if the pages of the site are written.
    pub has_pages: bool,
    /// True if the Content API is written.
    pub has_api: bool,
    /// True if a search index is written; with pages, also the files that their own search reads.
    pub has_search: bool,
    /// True if nothing is written if a page cannot be rendered or a link opens nothing.
    pub is_strict: bool,
    /// The folder of the theme of the pages: an absolute path. `None` for that of the site.
    pub theme: Option<PathBuf>,
    /// The key by which scripts of pages read the Content API, in place of the random one of a site without a data folder.
    pub content_key: Option<String>,
    /// True if files that no build wrote are replaced.
    pub overwrites: bool,
}
