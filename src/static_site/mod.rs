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
mod contents;
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

use self::{contents::Contents, folder::Folder};
use crate::{
    api::{files::FileRoots, front_end::ExternalFrontEnd, static_renderer::SiteReader},
    error::Error,
    progress::Progress,
    site_urls::SiteUrlError,
};

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
    pub front_end: Option<ExternalFrontEnd>,
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
    let publication = site.publication(sources.front_end.as_ref(), &sources.path_prefix);
    let contents = Contents::of(site, &publication, sources, order)?;
    let mut folder = Folder::open(&order.target)?;
    let plan = contents.plan(&folder, order.overwrites)?;
    folder.claim(&plan.paths, order.overwrites)?;
    contents.write(&plan, &mut folder, progress)?;
    let mut report = folder.finish()?;
    report.remarks.extend(contents.remarks(&plan));
    Ok(report)
}
