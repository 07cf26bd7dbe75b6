//! The paths of a site whose front end is the active theme, in this order: the password of a private site, previews of posts,
//! redirects, feeds and sitemaps, files, pages, old URLs of posts.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    pages::{PageCall, redirect},
    public_files,
};
use crate::{
    api::{
        Api, SnapshotCache, admin_app, assets, error, feeds,
        headers::CacheControl,
        image_sizes::image_sizes,
        previews::{self, Preview},
        reader_scripts,
        request::{Request, is_read},
        response::{Body, Response},
        site_routes,
    },
    error::{Error, Kind, Result},
    front_end::{head::icon_url, public_files::DEFAULT_ICON},
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
                self.error_page(&call, status, failure.message())
            }
        }
    }

    fn find_theme_response(&self, call: &PageCall, request: &Request) -> Result<Response> {
        let head = call.head;
        // Monitoring depends on this path, so no redirect may take it over.
        if call.path == "/healthz" {
            return Ok(site_routes::healthy());
        }
        if is_read(&head.method) {
            let site_urls = &call.cache.site_urls;
            let installed = admin_app::respond(self, site_urls, head, call.path)
                .or_else(|| reader_scripts::respond(self, head, call.path));
            if let Some(response) = installed {
                return Ok(response);
            }
        }
        if let Some(response) = self.private_response(call, request)? {
            return Ok(response);
        }
        if !is_read(&head.method) {
            return Ok(self.error_page(call, error::status(Kind::NotFound), NOT_FOUND));
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
        if let Some(mut response) =
            feeds::respond(self, call.snapshot, call.cache, head, call.path)?
        {
            self.mark_of_member(call, &mut response);
            return Ok(response);
        }
        if call.path.starts_with("/sitemap") && call.path.ends_with(".xml") {
            return Ok(no_file());
        }
        if let Some(response) = self.file_response(call)? {
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
                    None => Ok(self.error_page(
                        call,
                        error::status(Kind::NotFound),
                        &not_found(call.path),
                    )),
                }
            }
            resolution => self.page(call, &resolution),
        }
    }

    fn preview_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let preview = previews::find(call.snapshot, &call.cache.site_urls, call.head, call.path)?;
        match preview {
            None => Ok(None),
            Some(Preview::Redirect(_)) if call.path.starts_with("/email/") => Ok(None),
            Some(Preview::Redirect(mut response)) => {
                shorten_location(&mut response, call);
                Ok(Some(response))
            }
            Some(Preview::Page { post, kind, reader }) => {
                Ok(Some(self.preview_page(call, &post, kind, reader)))
            }
        }
    }

    /// Returns the response with a file: of the program, of the theme, or of the site.
    fn file_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let catalog = &call.snapshot.catalog;
        let files = &self.options.files;
        if call.path == "/favicon.ico" || call.path == "/favicon.png" {
            return self.icon_response(call).map(Some);
        }
        if let Some(path) = call.path.strip_prefix("/public/") {
            let package = &self.theme(&catalog.settings).package;
            let response = public_files::respond(path, package, call.head);
            return Ok(Some(response.unwrap_or_else(no_file)));
        }
        if let Some(path) = call
            .path
            .strip_prefix("/assets/")
            .filter(|path| !path.is_empty())
        {
            let theme = Themes::of(&files.uploads).active(&catalog.settings);
            let response = assets::respond(&theme, path, &call.head.headers);
            return Ok(Some(match response {
                Some(mut response) => {
                    // The URLs of pages have a sum of the content.
                    response
                        .headers
                        .set(header::CACHE_CONTROL, CacheControl::Year.value());
                    response
                }
                None => no_file(),
            }));
        }
        if let Some(path) = call.path.strip_prefix("/content/") {
            let sizes = image_sizes(call.snapshot);
            let subdirectory = call.cache.site_urls.subdirectory();
            let response = files.respond(path, subdirectory, catalog, &sizes, &self.copies);
            let is_missing = response.status == error::status(Kind::NotFound);
            return Ok(Some(if is_missing { no_file() } else { response }));
        }
        Ok(None)
    }

    /// Returns the redirect to the site's icon, or the icon of sites without one.
    fn icon_response(&self, call: &PageCall) -> Result<Response> {
        let settings = &call.snapshot.catalog.settings;
        if settings.text("icon").is_none() {
            let mut response = Response::new(StatusCode::OK);
            let kind = HeaderValue::from_static("image/x-icon");
            response.headers.set(header::CONTENT_TYPE, kind);
            response
                .headers
                .set(header::CACHE_CONTROL, CacheControl::Year.value());
            response.body = Body::Bytes(Bytes::from_static(DEFAULT_ICON));
            return Ok(response);
        }
        let icon = icon_url(&self.page_state(call, None));
        let mut response = redirect(false, &icon, CacheControl::Public)?;
        response.headers.remove(&header::CACHE_CONTROL);
        Ok(response)
    }

    /// Marks a response to a signed-in member as private, so that no proxy shares it.
    fn mark_of_member(&self, call: &PageCall, response: &mut Response) {
        if self.page_reader(call).is_some() {
            response
                .headers
                .set(header::CACHE_CONTROL, CacheControl::Private.value());
        }
    }
}

/// Shortens the location of a redirect to the path, and lets clients remember it, as Ghost does.
fn shorten_location(response: &mut Response, call: &PageCall) {
    let location = response.headers.get(&header::LOCATION);
    let location = location.and_then(|location| location.to_str().ok());
    let path = location.and_then(|location| location.strip_prefix(call.cache.site_urls.base()));
    let subdirectory = call.cache.site_urls.subdirectory();
    let path = path.map(|path| HeaderValue::from_str(&format!("{subdirectory}{path}")));
    if let Some(Ok(path)) = path {
        response.headers.set(header::LOCATION, path);
        response
            .headers
            .set(header::CACHE_CONTROL, CacheControl::Year.value());
        response.headers.set(header::CONTENT_TYPE, PLAIN_TEXT);
    }
}

/// Returns the response for a file that is missing: no page, whose own files may be missing, too.
fn no_file() -> Response {
    let mut response = Response::new(error::status(Kind::NotFound));
    response.headers.set(header::CONTENT_TYPE, PLAIN_TEXT);
    response
        .headers
        .set(header::CACHE_CONTROL, CacheControl::Absent.value());
    response.body = Body::Bytes(Bytes::from_static(b"File not found\n"));
    response
}

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// Returns the message of the error page for a path. Ghost ends that of a list's page with a full stop (6.65, recorded).
fn not_found(path: &str) -> String {
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = segments.next().is_some_and(is_digits);
    if is_number && segments.next() == Some("page") {
        Error::not_found("Page").message().to_owned()
    } else {
        NOT_FOUND.to_owned()
    }
}

/// The message of the error page for a path that no page has.
const NOT_FOUND: &str = "Page not found";
