//! Builds the whole Content API as static files: the public content, as JSON and images, feeds and sitemaps, at the
//! paths at which they are served, and an index for search in browsers.
//!
//! A static host ignores queries and serves the file `index.html` for a path that ends with a
//! slash. So each list is one document with all of its records and all includes; next to it are the
//! same records in pages. The content comes from [`SiteReader`], that is from the endpoints themselves.
//! The same site makes the same bytes on every machine, and unchanged files are not written again:
//! `folder` remembers them.
//!
//! *Only content that readers can see is written: files next to a document and uploads are written
//! when published content names them. Files that no build wrote are never touched.*
mod documents;
mod files;
mod folder;
mod manifest;
mod search_files;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use self::{files::PublishedFiles, folder::Folder, search_files::SearchFiles};
use crate::{
    api::{
        feeds::{FeedDocument, FeedPosts},
        files::FileRoots,
        front_end::FrontEnd,
        site_urls::SiteUrlError,
        static_renderer::SiteReader,
    },
    error::Error,
    import::Progress,
};

/// The name of the file with response headers, in the format of Netlify and Cloudflare Pages.
const HEADERS: &str = "_headers";

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
    /// True if a search index is written.
    pub has_search: bool,
    /// True if files that no build wrote are replaced.
    pub overwrites: bool,
}

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildReport {
    /// New and changed files.
    pub written: usize,
    /// Their length, in bytes.
    pub bytes_written: u64,
    /// Unchanged files.
    pub unchanged: usize,
    /// Removed files of an earlier build.
    pub removed: usize,
    /// Remarks for the publisher of the folder.
    pub remarks: Vec<String>,
}

/// Why a folder could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The site's public URL is unknown.
    #[error(
        "the site's public URL is unknown. Set it with --url, with `url` in galley.toml or with `url` in site.toml: the files \
         contain it"
    )]
    NoUrl,
    /// The URL is invalid.
    #[error(transparent)]
    Url(#[from] SiteUrlError),
    /// There are files that no build wrote at paths of this build.
    #[error("{}", other_files(folder, paths))]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
        /// The paths.
        paths: Vec<String>,
    },
    /// Another build is writing to the folder.
    #[error("another build is writing to {}", .0.display())]
    Busy(PathBuf),
    /// The manifest of an earlier build cannot be read.
    #[error("{} cannot be read: {why}. Remove it, and build with --force", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The site cannot be read.
    #[error("the site cannot be read: {0}")]
    Site(#[from] Error),
    /// The disk refuses.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It was cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}

fn other_files(folder: &Path, paths: &[String]) -> String {
    format!(
        "{} contains files that no build wrote: {}. Choose another folder, or replace it with --force",
        folder.display(),
        listed(paths)
    )
}

/// Returns the first of these paths, and how many more there are.
fn listed(paths: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let named: Vec<&str> = paths.iter().take(NAMED_MAX).map(String::as_str).collect();
    match paths.len().saturating_sub(NAMED_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The folders of a site's files.
pub struct Sources {
    /// The files that are served.
    pub files: FileRoots,
    /// First segment of the API's paths.
    pub path_prefix: String,
    /// The front end that feeds and sitemaps link to, if it is configured.
    pub front_end: Option<FrontEnd>,
}

/// Builds `site` into a folder. `progress` receives the number of files.
///
/// # Errors
///
/// If the target is invalid, the site cannot be read or the disk refuses. The next build completes
/// the files written until then.
pub fn build(
    site: &SiteReader<'_>,
    sources: &Sources,
    order: &BuildOptions,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let top = site.site_urls().subdirectory().trim_start_matches('/');
    let below = |path: &str| match top {
        "" => path.to_owned(),
        top => format!("{top}/{path}"),
    };
    let api = below(&format!("{}/api/content", sources.path_prefix));
    let (documents, named) = documents::all(site, order.page_size)?;
    let published_files = PublishedFiles::of(site, &sources.files, named)?;
    let headers = headers(top, &sources.path_prefix, order.has_search);
    let publication = site.publication(sources.front_end.as_ref(), &sources.path_prefix);
    let search = if order.has_search {
        Some(SearchFiles::of(site, &publication)?)
    } else {
        None
    };

    let mut folder = Folder::open(&order.target)?;
    let has_own_headers = folder.is_from_elsewhere(HEADERS) && !order.overwrites;
    let mut planned: Vec<String> = documents
        .iter()
        .map(|document| document.path(&api))
        .collect();
    planned.extend(published_files.paths().map(|path| below(&path)));
    if !has_own_headers {
        planned.push(HEADERS.to_owned());
    }
    if let Some(search) = &search {
        search.each(|path, _| {
            planned.push(format!("{api}/{path}"));
            Ok(())
        })?;
    }
    let mut existing = Vec::new();
    let mut feeds = Vec::new();
    for document in publication.documents() {
        let path = below(&feed_file(&document));
        if folder.is_from_elsewhere(&path) && !order.overwrites {
            existing.push(path);
        } else {
            planned.push(path.clone());
            feeds.push((path, document));
        }
    }
    folder.claim(&planned, order.overwrites)?;

    let total = planned.len() as u64;
    let mut done = 0;
    let mut advance = || {
        done += 1;
        progress.advance(done, total);
        if progress.is_cancelled() {
            Err(BuildError::Cancelled)
        } else {
            Ok(())
        }
    };
    if !has_own_headers {
        folder.put(HEADERS, headers.as_bytes())?;
    }
    published_files.write(site, &mut folder, below, &mut advance)?;
    for document in &documents {
        let bytes = document.json(site)?;
        folder.put(&document.path(&api), &bytes)?;
        advance()?;
    }
    for (path, document) in &feeds {
        match publication.document(document)? {
            Some(bytes) => folder.put(path, &bytes)?,
            None => folder.release(path),
        }
        advance()?;
    }
    if let Some(search) = &search {
        search.each(|path, bytes| {
            folder.put(&format!("{api}/{path}"), bytes)?;
            advance()
        })?;
    }
    let mut report = folder.finish()?;
    if !existing.is_empty() {
        report.remarks.push(format!(
            "feeds and sitemaps that are not from a build were not replaced: {}; --force replaces them",
            listed(&existing)
        ));
    }
    if has_own_headers {
        report.remarks.push(format!(
            "{} is not from a build and was not replaced; the API's responses need:\n{headers}",
            HEADERS
        ));
    }
    Ok(report)
}

/// Returns the path of the file with a feed or sitemap.
fn feed_file(document: &FeedDocument) -> String {
    let path = document.path();
    let path = path.trim_start_matches('/');
    if path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    }
}

/// Returns the header fields of the responses of a site below `top`, which is empty or without a leading slash.
fn headers(top: &str, path_prefix: &str, has_search: bool) -> String {
    let top = match top {
        "" => String::new(),
        top => format!("/{top}"),
    };
    let mut headers = format!(
        "{top}/{path_prefix}/api/content/*\n  Content-Type: application/json; charset=utf-8\n  \
         Access-Control-Allow-Origin: *\n  X-Content-Type-Options: nosniff\n\n{top}/content/*\n  \
         Access-Control-Allow-Origin: *\n"
    );
    if has_search {
        let pieces = search_files::PIECES;
        headers.push_str(&format!(
            "\n{top}/{path_prefix}/api/content/{pieces}*\n  Cache-Control: public, max-age=31536000, immutable\n"
        ));
    }
    let rss = FeedDocument::Rss(FeedPosts::OfSite).content_type();
    for path in ["/rss/", "/tag/:slug/rss/", "/author/:slug/rss/"] {
        headers.push_str(&format!("\n{top}{path}\n  Content-Type: {rss}\n"));
    }
    headers
}
