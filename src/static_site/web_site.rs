//! The pages of a build with the files that belong to them: assets, redirects and host configuration.

use super::{
    BuildError, BuildOptions, Sources,
    folder::Folder,
    header_lines::{PathType, feed_types},
    host_files::{self, HostRules},
    links::DeadLink,
    redirect_rules::PathSet,
    redirects::SiteRedirects,
    site_assets::SiteAssets,
    site_pages::{MISSING_PAGE, MISSING_PATH, PageRedirect, SitePages, file_of},
};
use crate::{
    api::{
        feeds::{MARKDOWN_TYPE, Publication},
        static_pages::StaticPages,
        static_renderer::StaticRenderer,
    },
    static_site::{error::listed, failed_page::FailedPage},
};

/// The paths of Markdown files, whose media type not all servers know.
const MARKDOWN_FILES: &str = r"\.md$";

/// The paths of text files for programs, for which nginx and Apache do not send a character set.
const TEXT_FILES: &str = r"/llms(-full)?\.txt$";

/// The media type of these text files.
const TEXT_TYPE: &str = "text/plain; charset=utf-8";

/// The pages of a site, with the files that belong to them.
pub struct WebSite<'a> {
    site: &'a StaticRenderer<'a>,
    pages: SitePages<'a>,
    assets: SiteAssets<'a>,
    redirects: SiteRedirects,
    /// The media types of feeds and of pages that are not HTML.
    types: Vec<PathType>,
    path_prefix: &'a str,
}

impl<'a> WebSite<'a> {
    /// Renders the pages of a site with a theme, and collects the files that belong to them.
    ///
    /// # Errors
    ///
    /// `Private`, and if the site cannot be read.
    pub fn of(
        site: &'a StaticRenderer<'a>,
        pages: &'a StaticPages<'a>,
        publication: &Publication<'_>,
        sources: &'a Sources,
        order: &BuildOptions,
    ) -> Result<Self, BuildError> {
        // Before any page is rendered: a static host cannot ask for the password.
        if site.snapshot().catalog.settings.is_on("is_private") {
            return Err(BuildError::Private);
        }
        let top = site.site_urls().subdirectory();
        // The pages are first, because they determine which assets and redirects are needed.
        let site_pages = SitePages::of(site, pages, order);
        let mut replaced = site_pages.redirects.clone();
        replaced.extend(redirected_documents(site, publication));
        let of_pages = site_pages.other_types.iter();
        let types = of_pages.map(|(path, content_type)| PathType {
            paths: PathSet::One(format!("{top}{path}")),
            content_type: content_type.clone(),
        });
        Ok(Self {
            site,
            assets: SiteAssets::of(&sources.theme, pages, &site_pages),
            redirects: SiteRedirects::of(site, pages, &replaced)?,
            types: types.collect(),
            pages: site_pages,
            path_prefix: &sources.path_prefix,
        })
    }

    /// Returns the pages that cannot be rendered.
    pub fn failed_pages(&self) -> &[FailedPage] {
        &self.pages.failed
    }

    /// Returns the files of the site that pages refer to: paths below `/content/`, as written.
    pub fn named_files(&self) -> impl Iterator<Item = String> {
        self.pages.named_files.iter().cloned()
    }

    /// Returns the media types of pages that are not HTML.
    pub fn types(&self) -> &[PathType] {
        &self.types
    }

    /// Returns the paths of the files, relative to the site.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let pages = self.pages.files().map(str::to_owned);
        self.assets.paths().chain(pages)
    }

    /// Returns the files that configure hosts, with their paths.
    pub fn host_files(&self) -> Vec<(&'static str, String)> {
        let mut types = feed_types(self.site.site_urls());
        types.extend(self.types.iter().cloned());
        types.push(PathType {
            paths: PathSet::Matching(MARKDOWN_FILES.to_owned()),
            content_type: MARKDOWN_TYPE.to_owned(),
        });
        types.push(PathType {
            paths: PathSet::Matching(TEXT_FILES.to_owned()),
            content_type: TEXT_TYPE.to_owned(),
        });
        let top = self.site.site_urls().subdirectory();
        let rules = HostRules {
            redirects: &self.redirects.rules,
            types: &types,
            missing_page: &format!("{top}/{MISSING_PAGE}"),
        };
        rules.files()
    }

    /// Returns the links of pages that open neither a file, for which `has_file` is true, nor a redirect.
    pub fn dead_links(&self, has_file: impl Fn(&str) -> bool) -> Vec<DeadLink> {
        let top = self.site.site_urls().subdirectory();
        let of_owner = &self.site.snapshot().catalog.redirects;
        self.pages.links.dead(self.path_prefix, |path| {
            let path_in_folder = path.trim_start_matches('/');
            // Hosts open the index file of a folder for a path with or without a slash at the end.
            let as_page = path_in_folder.trim_end_matches('/');
            let as_page = format!("{as_page}/index.html");
            path == MISSING_PATH
                || has_file(path_in_folder)
                || has_file(as_page.trim_start_matches('/'))
                || self.redirects.has(&format!("{top}{path}"))
                // The rules do not evaluate regular expressions, but the redirects of the server
                // do.
                || of_owner.find(path, None).is_some()
        })
    }

    /// Writes the files. The pages are last, so that all files that they refer to exist. `advance` is called after each file.
    ///
    /// # Errors
    ///
    /// `Write`, and the errors of `advance`.
    pub fn write(
        &self,
        folder: &mut Folder,
        below: impl Fn(&str) -> String + Copy,
        advance: &mut dyn FnMut() -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        // Before `finish` removes files that this build did not write: an error of the theme must
        // not delete a page from the published site.
        for failed in &self.pages.failed {
            folder.keep_earlier(&below(&file_of(&failed.page)));
        }
        for list in &self.pages.failed_lists {
            let first = below(&file_of(list));
            folder.keep_earlier_pages(first.trim_end_matches("index.html"));
        }
        self.assets.write(folder, below, advance)?;
        self.pages.write(folder, below, advance)
    }

    /// Returns remarks for the publisher of the folder.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.pages.remarks(self.site);
        if !self.redirects.left_out.is_empty() {
            remarks.push(format!(
                "left out redirects that static hosts do not support: {}",
                listed(&self.redirects.left_out)
            ));
        }
        remarks.extend(host_files::remarks(&self.redirects.rules));
        remarks
    }
}

/// Returns the redirects of the owner that replace feeds, sitemaps and Markdown.
fn redirected_documents(
    site: &StaticRenderer<'_>,
    publication: &Publication<'_>,
) -> Vec<PageRedirect> {
    let redirects = &site.snapshot().catalog.redirects;
    let routes = site.site_urls().routes();
    let documents = publication.documents().into_iter();
    let documents = documents.chain(publication.markdown_documents());
    let paths = documents.map(|document| document.path(routes));
    paths
        .filter_map(|path| {
            let target = redirects.find(&path, None)?;
            Some(PageRedirect {
                from: path,
                to: target.location,
                is_permanent: target.permanent,
            })
        })
        .collect()
}
