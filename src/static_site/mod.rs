//! Builds the site as static files, at the paths at which they are served: the Content API as JSON, or the pages that the active
//! theme renders, or both; images, feeds and sitemaps, and an index for search in browsers.
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
mod header_lines;
mod host_files;
mod links;
mod manifest;
mod redirect_rules;
mod redirects;
mod search_files;
mod server_features;
mod site_assets;
mod site_pages;
mod web_site;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

pub use self::{links::DeadLink, site_pages::FailedPage};

use self::{contents::Contents, folder::Folder, web_site::WebSite};
use crate::{
    api::{
        files::FileRoots, front_end::ExternalFrontEnd, static_pages::StaticPages,
        static_renderer::SiteReader,
    },
    error::Error,
    front_end::{ScriptChoice, Theme},
    progress::Progress,
    site_urls::SiteUrlError,
    themes,
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
    /// The pages that cannot be rendered. Their files of an earlier build stay.
    pub failed_pages: Vec<FailedPage>,
    /// The links of pages that open nothing.
    pub dead_links: Vec<DeadLink>,
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
    /// The site is private.
    #[error(
        "the site is private: its pages are for readers with its password, and a static host shows them to everybody. Make it \
         public, or build the API alone"
    )]
    Private,
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
    /// The theme that pages are rendered with.
    pub theme: themes::Theme,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
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
    // Feeds of a site with pages link to these.
    let front_end = sources.front_end.as_ref().filter(|_| !order.has_pages);
    let publication = site.publication(front_end, order.has_pages, &sources.path_prefix);
    if !order.has_pages {
        let contents = Contents::of(site, &publication, sources, order, None)?;
        return write(&contents, order, progress);
    }
    let theme = Arc::new(Theme::new(sources.theme.clone()));
    let pages = StaticPages::new(
        site,
        theme,
        &sources.path_prefix,
        order.content_key.as_deref(),
    )
    .with_scripts(sources.script_choice);
    let web_site = WebSite::of(site, &pages, &publication, sources, order)?;
    let contents = Contents::of(site, &publication, sources, order, Some(web_site))?;
    write(&contents, order, progress)
}

fn write(
    contents: &Contents<'_>,
    order: &BuildOptions,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    let mut folder = Folder::open(&order.target)?;
    let plan = contents.plan(&folder, order.overwrites)?;
    let found = BuildReport {
        dead_links: contents.dead_links(&plan),
        failed_pages: contents.failed_pages().to_vec(),
        ..BuildReport::default()
    };
    if order.is_strict && found.has_problems() {
        return Ok(found);
    }
    folder.claim(&plan.paths, order.overwrites)?;
    contents.write(&plan, &mut folder, progress)?;
    let mut report = folder.finish()?;
    report.remarks.extend(contents.remarks(&plan));
    Ok(BuildReport {
        dead_links: found.dead_links,
        failed_pages: found.failed_pages,
        ..report
    })
}

impl BuildReport {
    /// Returns whether pages cannot be rendered, or links open nothing. A strict build has written nothing then.
    pub fn has_problems(&self) -> bool {
        !self.failed_pages.is_empty() || !self.dead_links.is_empty()
    }
}
