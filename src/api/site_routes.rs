//! Site paths outside the API, dispatched in this order: unsubscribe pages, the API for members, the
//! set-up page, and then, unless a theme renders the site (`theme/site.rs`), health checks and
//! challenges, the admin app, scripts for readers, previews of posts, redirects, feeds and sitemaps, the
//! front page, published posts, assets of the theme, images and other files, aliases of posts.

use std::sync::Arc;

use super::{
    Api, SnapshotCache, admin_app, assets,
    call::error_cache_control,
    error,
    feeds::{self, FeedCall},
    front_end::FrontEnd,
    front_page,
    headers::CacheControl,
    health,
    image_sizes::image_sizes,
    members, message_page,
    previews::{self, site_page},
    reader_scripts,
    redirects::redirect,
    request::{Request, RequestHead, is_read},
    response::Response,
    setup_page, site_proof, unsubscribe,
};
use crate::{
    catalog::Catalog,
    domain::{former_path::normal_path, redirect::Target},
    error::{Error, Result},
    site::SiteSnapshot,
    site_urls::SiteUrls,
    themes::Themes,
};

impl Api {
    /// Returns the response to a request for `path`, which is relative to the site. Errors are pages for
    /// browsers and JSON for other programs.
    pub(super) fn serve_site_path(
        &self,
        snapshot: &Arc<SiteSnapshot>,
        cache: &SnapshotCache,
        request: &Request,
        path: &str,
    ) -> Response {
        let response = self.site_response(snapshot, cache, request, path);
        self.page_for_browser(response, snapshot, cache, &request.head)
    }

    /// Replaces an error with a page if a browser opens a path outside the APIs.
    pub(super) fn page_for_browser(
        &self,
        response: Response,
        snapshot: &SiteSnapshot,
        cache: &SnapshotCache,
        head: &RequestHead,
    ) -> Response {
        let path = head.target.path();
        // Scripts in browsers read the errors of the APIs as JSON.
        let of_api = self.path_below_api(path, &cache.site_urls).is_some()
            || cache
                .site_urls
                .path_on_site(path)
                .starts_with("/members/api/");
        if of_api || !is_read(&head.method) || !head.accepts_html() {
            return response;
        }
        let title = snapshot.catalog.settings.text("title").unwrap_or_default();
        let home = match self.options.front_end.external() {
            Some(front_end) => front_end.url("/"),
            None => cache.site_urls.site().to_owned(),
        };
        message_page::replacing_error(
            response,
            &title,
            &home,
            snapshot.catalog.settings.reader_texts(),
        )
    }

    fn site_response(
        &self,
        snapshot: &Arc<SiteSnapshot>,
        cache: &SnapshotCache,
        request: &Request,
        path: &str,
    ) -> Response {
        let head = &request.head;
        // E-mails that were already sent contain this URL, so it takes precedence over redirects.
        if let Some(response) = unsubscribe::respond(self, snapshot, request, path) {
            return response;
        }
        if let Some(response) = members::respond(self, snapshot, cache, request, path) {
            return response;
        }
        if let Some(response) = setup_page::respond(self, snapshot, cache, request, path) {
            return response;
        }
        if self.options.front_end == FrontEnd::Theme {
            return self.theme_response(snapshot, cache, request, path);
        }
        // Other methods have no effect here, except that the admin app posts its previews to the front
        // page.
        let outcome = if is_read(&head.method) {
            self.find_site_response(snapshot, cache, head, path)
        } else if path == "/" && site_page::is_requested(head) {
            Ok(Some(site_page::respond(snapshot, &cache.site_urls, head)))
        } else {
            Ok(None)
        };
        match outcome {
            Ok(Some(response)) => response,
            Ok(None) => {
                let help = format!(
                    "The Content API is below /{}/api/content/.",
                    self.options.path_prefix
                );
                let error = Error::not_found("Page").help(help);
                error::response(&error, error_cache_control(&head.method, &error))
            }
            Err(failure) => error::response(&failure, CacheControl::Private),
        }
    }

    fn find_site_response(
        &self,
        snapshot: &SiteSnapshot,
        cache: &SnapshotCache,
        head: &RequestHead,
        path: &str,
    ) -> Result<Option<Response>> {
        let site_urls = &cache.site_urls;
        if let Some(response) = self.program_response(snapshot, site_urls, head, path) {
            return Ok(Some(response));
        }
        if let Some(response) = previews::respond(self, snapshot, site_urls, head, path)? {
            return Ok(Some(response));
        }
        let catalog = &snapshot.catalog;
        // The owner's redirects take precedence over feeds, pages and files.
        if let Some(target) = catalog.redirects.find(path, head.target.query()) {
            return Ok(redirect(target, site_urls.subdirectory()));
        }
        let feed_call = FeedCall {
            snapshot,
            cache,
            head,
            reader: None,
        };
        if let Some(response) = feeds::respond(self, &feed_call, path)? {
            return Ok(Some(response));
        }
        if path == "/" {
            if site_urls.is_other_spelling(head.target.path()) {
                return Ok(front_page::redirect(site_urls, head.target.query()));
            }
            return self.home_response(snapshot, site_urls, head).map(Some);
        }
        let front_end = self.options.front_end.external();
        let published = previews::published_response(snapshot, site_urls, front_end, head, path)?;
        if let Some(response) = published {
            return Ok(Some(response));
        }
        let files = &self.options.files;
        if let Some(path) = path.strip_prefix("/assets/") {
            let theme = Themes::of(&files.uploads).active(&catalog.settings);
            return Ok(assets::respond(&theme, path, &head.headers));
        }
        if let Some(path) = path.strip_prefix("/content/") {
            let sizes = image_sizes(snapshot, self.options.theme.as_deref());
            let subdirectory = site_urls.subdirectory();
            return Ok(Some(files.respond(
                path,
                subdirectory,
                catalog,
                &sizes,
                &self.copies,
            )));
        }
        let target = alias_target(catalog, site_urls, path, head.target.query());
        Ok(target.and_then(|target| redirect(target, site_urls.subdirectory())))
    }

    /// Returns the response to a request that does not concern the content of the site: a health check, a challenge of
    /// `galley doctor`, or a file of the admin app or of the scripts for readers.
    pub(super) fn program_response(
        &self,
        snapshot: &SiteSnapshot,
        site_urls: &SiteUrls,
        head: &RequestHead,
        path: &str,
    ) -> Option<Response> {
        health::respond(&self.site, path)
            .or_else(|| site_proof::respond(self, snapshot, path))
            .or_else(|| admin_app::respond(self, site_urls, head, path))
            .or_else(|| reader_scripts::respond(self, head, path))
    }

    /// Returns the page about the API or, for the admin app, the page that represents the site.
    fn home_response(
        &self,
        snapshot: &SiteSnapshot,
        site_urls: &SiteUrls,
        head: &RequestHead,
    ) -> Result<Response> {
        if !site_page::is_requested(head) {
            return Ok(front_page::respond(self, snapshot, site_urls, head));
        }
        match self.options.front_end.external() {
            Some(front_end) => {
                Response::redirect(false, &front_end.url("/"), CacheControl::Private.value())
                    .map_err(Error::internal)
            }
            None => Ok(site_page::respond(snapshot, site_urls, head)),
        }
    }
}

/// Returns the redirect from an alias of a post to its current URL, with the query of the request.
pub(super) fn alias_target(
    catalog: &Catalog,
    site_urls: &SiteUrls,
    path: &str,
    query: Option<&str>,
) -> Option<Target> {
    let post = catalog.posts.by_alias(&normal_path(path)?)?;
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    Some(Target {
        location: format!("{}{query}", site_urls.post_path(post)),
        permanent: true,
    })
}

/// The message of the error page for a path without a page.
pub(super) const PAGE_NOT_FOUND: &str = "Page not found";
