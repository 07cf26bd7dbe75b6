//! Builds the site as static files at the paths at which a server would serve them: the Content API as JSON, the pages that the
//! active theme renders, or both; in addition images, feeds, sitemaps, and an index for search in browsers.
//!
//! A static host ignores queries, and serves the file `index.html` for a path that ends with a slash. Therefore each list is one
//! document with all records and all includes; the same records are also available in pages. The content comes from
//! [`StaticRenderer`], and thus from the endpoints themselves. Builds are reproducible: the same site results in the same bytes on
//! every machine. Unchanged files are not written again; `folder` keeps track of them.
//!
//! *Only content that readers can see is written: files next to a document, and uploads, are written if published content refers
//! to them. Files that no build wrote are never changed.*
mod contents;
mod documents;
mod error;
mod failed_page;
mod files;
mod folder;
mod header_lines;
mod host_files;
mod links;
mod manifest;
mod options;
mod redirect_rules;
mod redirects;
mod report;
mod search_files;
mod server_features;
mod site_assets;
mod site_pages;
mod sources;
mod web_site;

pub use self::error::BuildError;
pub use self::options::{BuildOptions, PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX};
pub use self::report::BuildReport;
pub use self::sources::Sources;

use std::sync::Arc;

pub use self::{failed_page::FailedPage, links::DeadLink};

use self::{contents::Contents, folder::Folder, web_site::WebSite};
use crate::{
    api::{static_pages::StaticPages, static_renderer::StaticRenderer},
    front_end::Theme,
    progress::Progress,
};

/// Builds `site` into a folder. `progress` receives the number of files.
///
/// # Errors
///
/// If the target is invalid, the site cannot be read or a file cannot be written. The next build completes the files written so
/// far.
pub fn build(
    site: &StaticRenderer<'_>,
    sources: &Sources,
    order: &BuildOptions,
    progress: &dyn Progress,
) -> Result<BuildReport, BuildError> {
    // If the site has pages, its feeds link to these pages.
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
    // All pages have been rendered by now, so the folder is not locked while they are.
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
    // Before anything is written: a build that would replace files of other programs changes
    // nothing.
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
