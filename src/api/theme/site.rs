//! The responses of a site whose front end is the active theme, in this order: health checks, challenges, the admin app and
//! scripts for readers, the password of a private site, previews of posts, redirects, files at the top of the theme, feeds and
//! sitemaps, other files, Markdown, aliases of posts, pages.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    pages::{PageCall, redirect},
    private_site, public_files, recommendations, search_page, staff,
};
use crate::{
    api::{
        Api, SnapshotCache, assets, cors, error, feeds,
        headers::CacheControl,
        image_sizes::image_sizes,
        params::decode,
        previews::{self, Preview},
        redirects,
        request::{Request, is_read},
        response::{Body, Response},
        site_routes,
    },
    error::{Kind, Result},
    front_end::{StaffView, head::icon_url, public_files::DEFAULT_ICON},
    routing::{Resolution, editor_fragment},
    site::SiteSnapshot,
    themes::{self, Themes},
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
        // The view of staff is read through a call, so the first call has the view of readers.
        let of_readers = StaffView::default();
        let call = PageCall {
            snapshot,
            cache,
            head: &request.head,
            path,
            staff: &of_readers,
        };
        let staff = &self.staff_view(&call);
        let call = PageCall { staff, ..call };
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
        let site_urls = &call.cache.site_urls;
        // Before the password of a private site, which monitoring, `galley doctor` and staff do not have.
        if is_read(&head.method)
            && let Some(response) = self.program_response(call.snapshot, site_urls, head, call.path)
        {
            return Ok(response);
        }
        let origins = self.origins(site_urls);
        // Browsers send preflights without cookies, so they cannot prove that the password was
        // entered.
        if let Some(response) = cors::preflight_of_page(head, &origins) {
            return Ok(response);
        }
        if let Some(response) = self.private_response(call, request)? {
            return Ok(response);
        }
        let mut response = self.admitted_response(call)?;
        let is_for_all = call.path == "/robots.txt" || private_site::reads_open_file(call);
        if call.cache.is_private && !is_for_all {
            // Only readers who entered the password may see the response.
            response
                .headers
                .set(header::CACHE_CONTROL, CacheControl::Private.value());
        }
        Ok(response)
    }

    /// Returns the response to a client that may see the site.
    fn admitted_response(&self, call: &PageCall) -> Result<Response> {
        let head = call.head;
        // The admin app posts the settings that it previews. No other POST gets a page.
        if staff::previews_settings(call) {
            let origins = self.origins(&call.cache.site_urls);
            let mut response = self.routed_response(call)?;
            cors::allow_trusted_origin(&mut response.headers, head.head_ref().fields, &origins);
            return Ok(response);
        }
        if !is_read(&head.method) {
            return Ok(self.error_page(
                call,
                error::status(Kind::NotFound),
                site_routes::PAGE_NOT_FOUND,
            ));
        }
        match self.toolbar_change(call) {
            Some(change) => change.respond(call, || self.read_response(call)),
            None => self.read_response(call),
        }
    }

    /// Returns the response to a `GET` or `HEAD` request.
    fn read_response(&self, call: &PageCall) -> Result<Response> {
        let head = call.head;
        if let Some(response) = self.preview_response(call)? {
            return Ok(response);
        }
        let catalog = &call.snapshot.catalog;
        let subdirectory = call.cache.site_urls.subdirectory();
        // The owner's redirects take precedence over feeds, files and pages.
        if let Some(target) = catalog.redirects.find(call.path, head.target.query())
            && let Some(response) = redirects::redirect(target, subdirectory)
        {
            return Ok(response);
        }
        // Before feeds, because a theme may have its own `robots.txt`.
        if let Some(response) = self.theme_file_response(call) {
            return Ok(response);
        }
        // The path of a feed without its trailing slash is handled as that of a page, which adds the slash.
        let is_of_a_route = call.cache.site_urls.routes().is_of_a_route(call.path);
        if !is_of_a_route
            && (call.path.ends_with('/') || call.path.contains('.'))
            && let Some(response) = feeds::respond(self, &self.feed_call(call), call.path)?
        {
            return Ok(response);
        }
        if let Some(response) = self.file_response(call)? {
            return Ok(response);
        }
        if let Some(response) = self.markdown_response(call)? {
            return Ok(response);
        }
        // Certificate authorities request files without an extension below this path.
        if themes::is_for_readers(call.path)
            || call.path.starts_with("/.well-known/acme-challenge/")
        {
            let redirect = self.response_by_alias(call);
            return Ok(redirect.unwrap_or_else(no_file));
        }
        self.routed_response(call)
    }

    /// Returns the redirect from an alias of a post.
    fn response_by_alias(&self, call: &PageCall) -> Option<Response> {
        let site_urls = &call.cache.site_urls;
        let query = call.head.target.query();
        let target =
            site_routes::alias_target(&call.snapshot.catalog, site_urls, call.path, query)?;
        redirects::redirect(target, site_urls.subdirectory())
    }

    /// Returns the response with the page that the routes define for the path.
    fn routed_response(&self, call: &PageCall) -> Result<Response> {
        let site_urls = &call.cache.site_urls;
        let catalog = &call.snapshot.catalog;
        let query = call.head.target.query();
        let resolve = |path: &str| site_urls.routes().resolve(catalog, path, query);
        let resolution = resolve(call.path);
        // Aliases may lack the trailing slash or contain upper case, so they are looked up before such paths are normalised.
        let has_upper_case =
            decode(call.path).is_ok_and(|path| path.chars().any(char::is_uppercase));
        let is_unknown = has_upper_case
            || if call.path.ends_with('/') {
                resolution == Resolution::NotFound
            } else {
                resolve(&format!("{}/", call.path)) == Resolution::NotFound
            };
        if is_unknown && let Some(response) = self.response_by_alias(call) {
            return Ok(response);
        }
        match respelled(call, resolution) {
            Resolution::NotFound if search_page::is_at(call.path) => self.search_page(call),
            Resolution::NotFound => {
                let status = error::status(Kind::NotFound);
                Ok(self.error_page(call, status, site_routes::PAGE_NOT_FOUND))
            }
            resolution => self.page(call, &resolution),
        }
    }

    fn preview_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let preview = previews::find(call.snapshot, &call.cache.site_urls, call.head, call.path)?;
        match preview {
            None => Ok(None),
            Some(Preview::Redirect(_)) if call.path.starts_with("/email/") => Ok(None),
            Some(Preview::Editor(post)) => {
                let editor = Resolution::Editor(editor_fragment(&post));
                self.page(call, &editor).map(Some)
            }
            Some(Preview::Redirect(mut response)) => {
                shorten_location(&mut response, call);
                Ok(Some(response))
            }
            Some(Preview::Page { post, kind, reader }) => {
                Ok(Some(self.preview_page(call, &post, kind, reader)))
            }
        }
    }

    /// Returns the response with a file: one of the program, the theme or the uploads.
    fn file_response(&self, call: &PageCall) -> Result<Option<Response>> {
        let catalog = &call.snapshot.catalog;
        let files = &self.options.files;
        if call.path == "/favicon.ico" || call.path == "/favicon.png" {
            return self.icon_response(call).map(Some);
        }
        if call.path == recommendations::PATH {
            return Ok(Some(recommendations::response(catalog)));
        }
        // The path of a folder is handled as that of a missing page (Ghost 6.65, recorded).
        let is_folder = call.path == "/content/"
            || call.path.ends_with('/') && !call.path.starts_with("/content/");
        if is_folder {
            return Ok(None);
        }
        if let Some(path) = call.path.strip_prefix("/public/") {
            let package = &self.theme(&catalog.settings).package;
            let response = public_files::respond(path, package, call.head);
            return Ok(Some(response.unwrap_or_else(no_file)));
        }
        if let Some(path) = call.path.strip_prefix("/assets/") {
            return Ok(Some(self.asset_response(call, path)));
        }
        if let Some(path) = call.path.strip_prefix("/content/") {
            let sizes = image_sizes(call.snapshot, self.options.theme.as_deref());
            let subdirectory = call.cache.site_urls.subdirectory();
            let response = files.respond(path, subdirectory, catalog, &sizes, &self.copies);
            if response.status != error::status(Kind::NotFound) {
                return Ok(Some(response));
            }
            let mut missing = no_file();
            if let Some(origin) = response.headers.get(&header::ACCESS_CONTROL_ALLOW_ORIGIN) {
                // Allows a page of another site to read that the file is missing.
                let origin = origin.clone();
                missing
                    .headers
                    .set(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            }
            return Ok(Some(missing));
        }
        Ok(None)
    }

    fn asset_response(&self, call: &PageCall, path: &str) -> Response {
        let response = assets::respond(&self.theme_files(call), path, &call.head.headers);
        response.map_or_else(no_file, |response| self.with_theme_caching(response))
    }

    /// Returns the response with a file at the top of the theme, such as `robots.txt`.
    fn theme_file_response(&self, call: &PageCall) -> Option<Response> {
        let in_other_folder = ["/assets/", "/content/", "/public/"]
            .iter()
            .any(|folder| call.path.starts_with(folder));
        // A private site has its own `robots.txt`, which excludes search engines.
        let is_of_private_site = call.cache.is_private && call.path == "/robots.txt";
        if in_other_folder || is_of_private_site || !themes::is_for_readers(call.path) {
            return None;
        }
        let theme = self.theme_files(call);
        let response = assets::respond_at_top(&theme, call.path, &call.head.headers);
        response.map(|response| self.with_theme_caching(response))
    }

    /// Returns the files of the active theme.
    fn theme_files(&self, call: &PageCall) -> themes::Theme {
        let themes = Themes::of(&self.options.files.uploads);
        let folder = self.options.theme.as_deref();
        themes.in_use(folder, &call.snapshot.catalog.settings)
    }

    /// Allows clients to cache a file of the theme for a year, because URLs in pages contain a checksum of the content. URLs in
    /// styles have no checksum, so clients must revalidate the files of a theme that is being edited.
    fn with_theme_caching(&self, mut response: Response) -> Response {
        let cache_control = match self.options.theme {
            None => CacheControl::Year,
            Some(_) => CacheControl::Public,
        };
        response
            .headers
            .set(header::CACHE_CONTROL, cache_control.value());
        response
    }

    /// Returns the redirect to the site's icon, or the default icon.
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
}

/// Returns a redirect for a URL in which the site's subdirectory is spelled differently, such as without the slash after it, and
/// otherwise `resolution`. If `resolution` is already a redirect, its location has the correct spelling.
fn respelled(call: &PageCall, resolution: Resolution) -> Resolution {
    let is_redirect = matches!(resolution, Resolution::Redirect { .. });
    if is_redirect
        || !call
            .cache
            .site_urls
            .is_other_spelling(call.head.target.path())
    {
        return resolution;
    }
    let query = call.head.target.query();
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    Resolution::Redirect {
        location: format!("{}{query}", call.path),
        permanent: true,
    }
}

/// Shortens the location of a redirect to the path, and allows clients to cache the redirect, as Ghost does.
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

/// Returns the response for a missing file. It is plain text, because a page could refer to further missing files.
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
