//! The contents of a build: their paths, and how they are written.

use std::ops::ControlFlow;

use super::{
    BuildError, BuildOptions, Sources,
    documents::{self, StaticDocument},
    files::PublishedFiles,
    folder::Folder,
    listed,
    search_files::{self, SearchFiles},
};
use crate::{
    api::{
        feeds::{FeedDocument, FeedPosts, Publication},
        static_renderer::SiteReader,
    },
    progress::Progress,
    routing::BoundRoutes,
    site_urls::SiteUrls,
};

/// The name of the file with response headers, in the format of Netlify and Cloudflare Pages.
const HEADERS: &str = "_headers";

/// The contents of a build.
pub struct Contents<'a> {
    site: &'a SiteReader<'a>,
    publication: &'a Publication<'a>,
    /// The path of the site below its host, without slashes at its ends.
    top: &'a str,
    /// The path of the Content API.
    api: String,
    documents: Vec<StaticDocument>,
    published_files: PublishedFiles,
    headers: String,
    search: Option<SearchFiles<'a>>,
}

/// The files of a build.
pub struct Plan<'a> {
    /// The paths of all files that are written.
    pub paths: Vec<String>,
    /// The feeds and sitemaps that are written, by their paths.
    feeds: Vec<(String, FeedDocument<'a>)>,
    /// The paths of feeds and sitemaps that are not from a build and stay.
    existing: Vec<String>,
    /// Whether the file with response headers is not from a build and stays.
    has_own_headers: bool,
}

impl<'a> Contents<'a> {
    /// Collects the contents of a site.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn of(
        site: &'a SiteReader<'a>,
        publication: &'a Publication<'a>,
        sources: &Sources,
        order: &BuildOptions,
    ) -> Result<Self, BuildError> {
        let top = site.site_urls().subdirectory().trim_start_matches('/');
        let (documents, named) = documents::all(site, order.page_size)?;
        let search = if order.has_search {
            Some(SearchFiles::of(site, publication)?)
        } else {
            None
        };
        Ok(Self {
            site,
            publication,
            top,
            api: below(top, &format!("{}/api/content", sources.path_prefix)),
            documents,
            published_files: PublishedFiles::of(site, &sources.files, named)?,
            headers: headers(site.site_urls(), &sources.path_prefix, order.has_search),
            search,
        })
    }

    /// Returns the files that are written into `folder`. Feeds, sitemaps and headers that are not from a build stay, unless
    /// the build `overwrites` them.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn plan(&self, folder: &Folder, overwrites: bool) -> Result<Plan<'a>, BuildError> {
        let is_retained = |path: &str| folder.is_from_elsewhere(path) && !overwrites;
        let documents = self.documents.iter();
        let mut paths: Vec<String> = documents.map(|document| document.path(&self.api)).collect();
        paths.extend(
            self.published_files
                .paths()
                .map(|path| below(self.top, &path)),
        );
        let has_own_headers = is_retained(HEADERS);
        if !has_own_headers {
            paths.push(HEADERS.to_owned());
        }
        if let Some(search) = &self.search {
            search.each(|path, _| {
                paths.push(format!("{}/{path}", self.api));
                Ok(())
            })?;
        }
        let (mut feeds, mut existing) = (Vec::new(), Vec::new());
        for document in self.publication.documents() {
            let path = below(
                self.top,
                &feed_file(&document, self.site.site_urls().routes()),
            );
            if is_retained(&path) {
                existing.push(path);
            } else {
                paths.push(path.clone());
                feeds.push((path, document));
            }
        }
        Ok(Plan {
            paths,
            feeds,
            existing,
            has_own_headers,
        })
    }

    /// Writes the files. `progress` receives their number.
    ///
    /// # Errors
    ///
    /// If the site cannot be read, the disk refuses, or the build was cancelled.
    pub fn write(
        &self,
        plan: &Plan<'_>,
        folder: &mut Folder,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let total = plan.paths.len() as u64;
        let mut done = 0;
        let mut advance = || {
            done += 1;
            match progress.step(done, total) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(BuildError::Cancelled),
            }
        };
        if !plan.has_own_headers {
            folder.put(HEADERS, self.headers.as_bytes())?;
        }
        let path_of = |path: &str| below(self.top, path);
        self.published_files
            .write(self.site, folder, path_of, &mut advance)?;
        for document in &self.documents {
            let bytes = document.json(self.site)?;
            folder.put(&document.path(&self.api), &bytes)?;
            advance()?;
        }
        for (path, document) in &plan.feeds {
            match self.publication.document(document)? {
                Some(bytes) => folder.put(path, &bytes)?,
                None => folder.release(path),
            }
            advance()?;
        }
        if let Some(search) = &self.search {
            search.each(|path, bytes| {
                folder.put(&format!("{}/{path}", self.api), bytes)?;
                advance()
            })?;
        }
        Ok(())
    }

    /// Returns remarks on the files that were existing.
    pub fn remarks(&self, plan: &Plan<'_>) -> Vec<String> {
        let mut remarks = Vec::new();
        if !plan.existing.is_empty() {
            remarks.push(format!(
                "feeds and sitemaps that are not from a build were not replaced: {}; --force replaces them",
                listed(&plan.existing)
            ));
        }
        if plan.has_own_headers {
            remarks.push(format!(
                "{HEADERS} is not from a build and already existed; the API's responses need:\n{}",
                self.headers
            ));
        }
        remarks
    }
}

/// Returns a path of the site as a path of the folder.
fn below(top: &str, path: &str) -> String {
    match top {
        "" => path.to_owned(),
        top => format!("{top}/{path}"),
    }
}

/// Returns the path of the file with a feed or sitemap.
fn feed_file(document: &FeedDocument, routes: &BoundRoutes) -> String {
    let path = document.path(routes);
    let path = path.trim_start_matches('/');
    if path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    }
}

/// Returns the header fields of the responses of a site.
fn headers(site_urls: &SiteUrls, path_prefix: &str, has_search: bool) -> String {
    let top = site_urls.subdirectory();
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
    let routes = site_urls.routes();
    let of_tags = routes.tag_path_of_slug(":slug");
    let of_authors = routes.author_path_of_slug(":slug");
    for page in ["/".to_owned()]
        .into_iter()
        .chain(of_tags)
        .chain(of_authors)
    {
        headers.push_str(&format!("\n{top}{page}rss/\n  Content-Type: {rss}\n"));
    }
    headers
}
