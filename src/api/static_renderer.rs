//! Renders the responses of one site snapshot without a connection, a key or a cache, for static
//! exports.

use std::{borrow::Cow, fs::File, path::Path, sync::Arc};

use http::{Method, StatusCode};
use jiff::Timestamp;

use super::{
    content::{self, Budget, bodies::Bodies, response_memory::ResponseMemory},
    feeds::Publication,
    files::FileRoots,
    front_end::ExternalFrontEnd,
    image_sizes::image_sizes,
    params::{QueryParameters, decode},
    response::Body,
    routes::{self, route::Endpoint},
};
use crate::{
    catalog::browse::PAGE_RECORDS_MAX,
    domain::post::Post,
    error::{Error, Result},
    images::{Copies, ImageSize, Memory, Variant},
    search::SearchIndex,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Renders the responses of one snapshot of a site as readers see it.
pub struct StaticRenderer<'a> {
    pub(super) snapshot: &'a Arc<SiteSnapshot>,
    pub(super) site_urls: SiteUrls,
    pub(super) bodies: Arc<Bodies>,
    pub(super) files: FileRoots,
    sizes: Vec<ImageSize>,
    copies: Copies,
    memory: ResponseMemory,
    /// Empty, because a static site cannot respond to searches.
    search: SearchIndex,
    pub(super) now: Timestamp,
}

impl<'a> StaticRenderer<'a> {
    /// Returns the renderer of the site at `site_urls`. It also serves the image sizes of the theme in the folder `theme`.
    /// Resizing images may take `image_memory_bytes` of memory.
    pub fn new(
        snapshot: &'a Arc<SiteSnapshot>,
        site_urls: SiteUrls,
        files: FileRoots,
        theme: Option<&Path>,
        image_memory_bytes: u64,
        now: Timestamp,
    ) -> Self {
        let memory = Arc::new(Memory::new(image_memory_bytes));
        Self {
            snapshot,
            // Each body is written only once or twice, so a cache would not be worthwhile.
            bodies: Arc::new(Bodies::new(&snapshot.catalog.settings, &site_urls, 0)),
            site_urls,
            sizes: image_sizes(snapshot, theme),
            copies: Copies::new(&files.data, memory),
            files,
            memory: ResponseMemory::unbounded(),
            search: SearchIndex::default(),
            now,
        }
    }

    /// Returns the snapshot.
    pub fn snapshot(&self) -> &SiteSnapshot {
        self.snapshot
    }

    /// Returns the URLs of the site.
    pub fn site_urls(&self) -> &SiteUrls {
        &self.site_urls
    }

    /// Returns the excerpt of a post as readers see it; empty if the post has no excerpt.
    pub fn excerpt<'p>(&self, post: &'p Post) -> Cow<'p, str> {
        let excerpt = post.shown_excerpt().unwrap_or_default();
        self.site_urls.absolute(excerpt)
    }

    /// Returns the sources of the site's feeds and sitemaps. `has_icon_path` says whether the icon is at `/favicon.png`.
    pub fn publication<'p>(
        &'p self,
        front_end: Option<&'p ExternalFrontEnd>,
        has_icon_path: bool,
        path_prefix: &'p str,
    ) -> Publication<'p> {
        Publication {
            snapshot: self.snapshot,
            site_urls: &self.site_urls,
            front_end,
            has_icon_path,
            reader: None,
            path_prefix,
            bodies: &self.bodies,
            memory: &self.memory,
            now: self.now,
        }
    }

    /// Returns the body of a response of the Content API. `path` is relative to `content/` and ends with a
    /// slash.
    ///
    /// # Errors
    ///
    /// The error of the endpoint, or `NotFound` if there is no such endpoint.
    pub fn json(&self, path: &str, query: &str) -> Result<Vec<u8>> {
        let path = format!("content/{path}");
        let not_found = || Error::not_found(format!("Endpoint {path}"));
        let found = routes::router()
            .find(&Method::GET, &path)
            .ok_or_else(not_found)?;
        let Endpoint::Content(endpoint) = &found.route.endpoint else {
            return Err(not_found());
        };
        let variable = found.variables().first().copied().unwrap_or_default();
        let response = endpoint(&content::Request {
            memory: &self.memory,
            snapshot: self.snapshot,
            catalog: &self.snapshot.catalog,
            site_urls: &self.site_urls,
            bodies: &self.bodies,
            reader: None,
            budget: Budget::Unlimited,
            search: &self.search,
            list_limit_max: PAGE_RECORDS_MAX,
            parameters: &QueryParameters::parse(query)?,
            variable: &decode(variable)?,
            now: self.now,
        });
        response.map_err(Error::from)
    }

    /// Returns the file that is served at `path`, which is relative to `/content/` and percent-encoded.
    /// Returns the original of an image that cannot be resized. `None` if nothing is served, or if the file
    /// is unsafe without its content security policy.
    ///
    /// # Errors
    ///
    /// If the file is an upload in a bucket that is unreachable.
    pub fn file(&self, path: &str) -> Result<Option<File>> {
        let catalog = &self.snapshot.catalog;
        // Fetched first, because `respond` would convert an error of the bucket into a response.
        self.files.fetch(path, catalog)?;
        if self.files.needs_policy(path, catalog, &self.copies) {
            return Ok(None);
        }
        let response = self.files.respond(
            path,
            self.site_urls.subdirectory(),
            catalog,
            &self.sizes,
            &self.copies,
        );
        match (response.status, response.body) {
            (StatusCode::OK, Body::File { file, .. }) => Ok(Some(file)),
            (StatusCode::FOUND, _) => match original_of(path) {
                Some(original) => self.file(&original),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

/// Returns the path of the original of the resized image at `path`; `None` if `path` is not that of a
/// resized image. Both paths are relative to `/content/`.
pub fn original_of(path: &str) -> Option<String> {
    Variant::of(path).map(|variant| format!("images/{}", variant.original))
}
