//! The paths of a site whose front end is the active theme, in this order: the password of a private site, previews of posts,
//! redirects, feeds and sitemaps, files, pages, old URLs of posts.

use std::sync::Arc;

use http::StatusCode;

use super::{pages::PageCall, public_files};
use crate::{
    api::{
        Api, SnapshotCache, admin_app, assets, error, feeds,
        image_sizes::image_sizes,
        previews::{self, Preview},
        request::{Request, is_read},
        response::Response,
        site_routes,
    },
    error::Result,
    routing::Resolution,
    site::SiteSnapshot,
    themes::Themes,
};

impl Api {
    /// Returns the response to a request for a path of the site.
    pub(in crate::api) fn theme_response(
        &self,
        snapshot: &Arc<SiteSnapshot>,
        cache: &SnapshotCache,
        request: &Request,
        path: &str,
    ) -> Response {
        let call = PageCall {
            snapshot,
            cache,
            head: &request.head,
            path,
        };
        match self.find_theme_response(&call, request) {
            Ok(response) => response,
            Err(failure) => {
                let status = error::status(failure.kind());
                self.error_page(&call, status, &failure.message())
            }
        }
    }

    fn find_theme_response(&self, call: &PageCall, request: &Request) -> Result<Response> {
        let head = call.head;
        // Monitoring depends on this path, so no redirect may take it over.
        if call.path == "/healthz" {
            return Ok(site_routes::healthy());
        }
        if is_read(&head.method)
            && let Some(response) = admin_app::respond(self, &call.cache.site_urls, head, call.path)
        {
            return Ok(response);
        }
        if let Some(response) = self.private_response(call, request)? {
            return Ok(response);
        }
        if !is_read(&head.method) {
            return Ok(self.error_page(call, StatusCode::NOT_FOUND, NOT_FOUND));
        }
        if let Some(response) = self.preview_response(call)? {
            return Ok(response);
        }
        let catalog = &call.snapshot.catalog;
        let subdirectory = call.cache.site_urls.subdirectory();
        // Before feeds, pages and files: the owner's redirects take precedence over them.
        if let Some(target) = catalog.redirects.find(call.path, head.target.query())
            && let Some(response) = site_routes::redirect(target, subdirectory)
        {
            return Ok(response);
        }
        if let Some(response) = feeds::respond(self, call.snapshot, call.cache, head, call.path)? {
            return Ok(response);
        }
        if let Some(response) = self.file_response(call) {
            return Ok(response);
        }
        self.routed_response(call)
    }

    /// Returns the response with the page that the routes have at the path.
    fn routed_response(&self, call: &PageCall) -> Result<Response> {
        let site_urls = &call.cache.site_urls;
        let catalog = &call.snapshot.catalog;
        let query = call.head.target.query();
        match site_urls.routes().resolve(catalog, call.path, query) {
            Resolution::NotFound => {
                let target = site_routes::by_alias(catalog, site_urls, call.path, query);
                let subdirectory = site_urls.subdirectory();
                match target.and_then(|target| site_routes::redirect(target, subdirectory)) {
                    Some(response) => Ok(response),
                    None => Ok(self.error_page(call, StatusCode::NOT_FOUND, NOT_FOUND)),
                }
            }
            resolution => self.page(call, &resolution),
        }
    }

    fn preview_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let preview = previews::find(call.snapshot, &call.cache.site_urls, call.head, call.path)?;
        match preview {
            None => Ok(None),
            Some(Preview::Redirect(response)) => Ok(Some(response)),
            Some(Preview::Page { post, kind, reader }) => {
                Ok(Some(self.preview_page(call, &post, kind, reader)))
            }
        }
    }

    /// Returns the response with a file: of the program, of the theme, or of the site.
    fn file_response(&self, call: &PageCall) -> Option<Response> {
        let catalog = &call.snapshot.catalog;
        let files = &self.options.files;
        if let Some(path) = call.path.strip_prefix("/public/") {
            return public_files::respond(path, &self.theme(&catalog.settings).package, call.head);
        }
        if let Some(path) = call.path.strip_prefix("/assets/") {
            let theme = Themes::of(&files.uploads).active(&catalog.settings);
            return assets::respond(&theme, path, &call.head.headers);
        }
        if let Some(path) = call.path.strip_prefix("/content/") {
            let sizes = image_sizes(call.snapshot);
            let subdirectory = call.cache.site_urls.subdirectory();
            return Some(files.respond(path, subdirectory, catalog, &sizes, &self.copies));
        }
        None
    }
}

/// The message of the error page for a path that no page has.
const NOT_FOUND: &str = "Page not found";
