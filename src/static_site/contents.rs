//! The contents of a build: the paths of its files, and their content.

use std::{
    collections::{BTreeSet, HashSet},
    ops::ControlFlow,
};

use super::{
    BuildError, BuildOptions, Sources,
    documents::{self, StaticDocument},
    files::PublishedFiles,
    folder::Folder,
    header_lines::{HEADERS, HeaderLines},
    links::DeadLink,
    search_files::SearchFiles,
    site_pages::file_of,
    web_site::WebSite,
};
use crate::{
    api::{
        feeds::{FeedDocument, Publication},
        static_renderer::StaticRenderer,
    },
    progress::Progress,
    static_site::{error::listed, failed_page::FailedPage},
};

/// The contents of a build.
pub struct Contents<'a> {
    site: &'a StaticRenderer<'a>,
    publication: &'a Publication<'a>,
    /// The subdirectory of the site, without slashes at its ends.
    top: &'a str,
    /// The path of the Content API.
    api: String,
    documents: Vec<StaticDocument>,
    published_files: PublishedFiles,
    /// The files that configure hosts, with their paths.
    host_files: Vec<(&'static str, String)>,
    search: Option<SearchFiles<'a>>,
    web_site: Option<WebSite<'a>>,
}

/// The files of a build.
pub struct BuildPlan<'a> {
    /// The paths of all files to write.
    pub paths: Vec<String>,
    /// The feeds, sitemaps and Markdown to write, with their paths.
    feeds: Vec<(String, FeedDocument<'a>)>,
    /// The paths of existing feeds and sitemaps that no build wrote, and that are not replaced.
    existing: Vec<String>,
    /// The paths of existing host configuration files that no build wrote, and that are not replaced.
    own_host_files: Vec<&'static str>,
}

impl<'a> Contents<'a> {
    /// Collects the contents of a site. `web_site` contains its pages, if they are to be written.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn of(
        site: &'a StaticRenderer<'a>,
        publication: &'a Publication<'a>,
        sources: &Sources,
        order: &BuildOptions,
        web_site: Option<WebSite<'a>>,
    ) -> Result<Self, BuildError> {
        let top = site.site_urls().subdirectory().trim_start_matches('/');
        let (documents, mut named) = match (order.has_api, order.has_search) {
            (true, _) => documents::all(site, order.page_size)?,
            (false, true) => (documents::for_search().collect(), BTreeSet::new()),
            (false, false) => (Vec::new(), BTreeSet::new()),
        };
        if let Some(web_site) = &web_site {
            // Pages may name images that no response of the API names, such as those in the
            // settings of the theme.
            named.extend(web_site.named_files());
        }
        let search = if order.has_search {
            Some(SearchFiles::of(site, publication)?)
        } else {
            None
        };
        let headers = HeaderLines {
            site_urls: site.site_urls(),
            path_prefix: &sources.path_prefix,
            order,
        };
        let mut host_files = vec![(HEADERS, headers.text(web_site.as_ref().map(WebSite::types)))];
        host_files.extend(web_site.iter().flat_map(WebSite::host_files));
        Ok(Self {
            site,
            publication,
            top,
            api: below(top, &format!("{}/api/content", sources.path_prefix)),
            documents,
            published_files: PublishedFiles::of(site, &sources.files, named)?,
            host_files,
            search,
            web_site,
        })
    }

    /// Returns the files to write into `folder`. Feeds, sitemaps and host configuration files that no build wrote are not
    /// replaced, unless the build `overwrites` them.
    ///
    /// # Errors
    ///
    /// If the site cannot be read.
    pub fn plan(&self, folder: &Folder, overwrites: bool) -> Result<BuildPlan<'a>, BuildError> {
        // Publishers may have their own feeds and host files, so these are left alone, with a
        // remark. Any other existing file fails the build in `claim`.
        let is_retained = |path: &str| folder.is_from_elsewhere(path) && !overwrites;
        let documents = self.documents.iter();
        let mut paths: Vec<String> = documents.map(|document| document.path(&self.api)).collect();
        paths.extend(
            self.published_files
                .paths()
                .map(|path| below(self.top, &path)),
        );
        let host_files = self.host_files.iter().map(|(path, _)| *path);
        let (own_host_files, written): (Vec<&str>, Vec<&str>) =
            host_files.partition(|path| is_retained(path));
        paths.extend(written.into_iter().map(str::to_owned));
        if let Some(search) = &self.search {
            search.each(|path, _| {
                paths.push(format!("{}/{path}", self.api));
                Ok(())
            })?;
        }
        let of_web_site = self.web_site.iter().flat_map(WebSite::paths);
        paths.extend(of_web_site.map(|path| below(self.top, &path)));
        let (mut feeds, mut existing) = (Vec::new(), Vec::new());
        let mut documents = self.publication.documents();
        if self.web_site.is_some() {
            documents.extend(self.publication.markdown_documents());
        }
        // Some hosts prefer a file to a redirect at the same path, so the file is not written at
        // all.
        documents.retain(|document| !self.is_replaced(document));
        let routes = self.site.site_urls().routes();
        for document in documents {
            let path = below(self.top, &file_of(&document.path(routes)));
            if is_retained(&path) {
                existing.push(path);
            } else {
                paths.push(path.clone());
                feeds.push((path, document));
            }
        }
        Ok(BuildPlan {
            paths,
            feeds,
            existing,
            own_host_files,
        })
    }

    /// Returns whether something else is at the path of a document: a redirect of the owner, or the page of a route.
    fn is_replaced(&self, document: &FeedDocument) -> bool {
        let routes = self.site.site_urls().routes();
        let path = document.path(routes);
        let redirects = &self.site.snapshot().catalog.redirects;
        self.web_site.is_some()
            && (routes.is_of_a_route(&path) || redirects.find(&path, None).is_some())
    }

    /// Returns the pages that cannot be rendered.
    pub fn failed_pages(&self) -> &[FailedPage] {
        self.web_site.as_ref().map_or(&[], WebSite::failed_pages)
    }

    /// Returns the links of pages whose targets are not in the folder.
    pub fn dead_links(&self, plan: &BuildPlan<'_>) -> Vec<DeadLink> {
        let Some(web_site) = &self.web_site else {
            return Vec::new();
        };
        let paths: HashSet<&str> = plan
            .paths
            .iter()
            // Feeds that no build wrote are valid targets of links, too.
            .chain(&plan.existing)
            .map(String::as_str)
            .collect();
        let exists = |path: &str| paths.contains(&*below(self.top, path));
        web_site.dead_links(exists)
    }

    /// Writes the files. `progress` receives their number.
    ///
    /// # Errors
    ///
    /// If the site cannot be read, a file cannot be written, or the build was cancelled.
    pub fn write(
        &self,
        plan: &BuildPlan<'_>,
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
        // Host files are first, pages last: what a page refers to exists before the page.
        let is_own = |path: &&str| plan.own_host_files.contains(path);
        for (path, text) in self.host_files.iter().filter(|(path, _)| !is_own(path)) {
            folder.put(path, text.as_bytes())?;
            advance()?;
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
        match &self.web_site {
            Some(web_site) => web_site.write(folder, path_of, &mut advance),
            None => Ok(()),
        }
    }

    /// Returns remarks on existing files and on the pages.
    pub fn remarks(&self, plan: &BuildPlan<'_>) -> Vec<String> {
        let mut remarks = Vec::new();
        if !plan.existing.is_empty() {
            remarks.push(format!(
                "feeds and sitemaps that no build wrote were not replaced: {}; --force replaces them",
                listed(&plan.existing)
            ));
        }
        for (path, text) in &self.host_files {
            if plan.own_host_files.contains(path) {
                let needs = if *path == HEADERS {
                    "the API's responses need"
                } else {
                    "the site needs"
                };
                remarks.push(format!(
                    "{path} exists, but no build wrote it, so it was not replaced; {needs}:\n{text}"
                ));
            }
        }
        remarks.extend(self.web_site.iter().flat_map(WebSite::remarks));
        remarks
    }
}

/// Converts a path on the site to a path in the folder.
fn below(top: &str, path: &str) -> String {
    match top {
        "" => path.to_owned(),
        top => format!("{top}/{path}"),
    }
}
