//! Cross-origin access of readers' pages: with the member's cookie for the site's own and listed
//! origins, without it for all others (Ghost 6.65, recorded). Unlike in Ghost, the origins of pages on
//! the server's own machine must be listed, too.

use http::{HeaderValue, header};

use super::replies::no_content;
use crate::api::{
    Api, SnapshotCache,
    front_end::ExternalFrontEnd,
    request::{Fields, RequestHead},
    response::{Headers, Response},
};

impl Api {
    /// Returns whether pages of `origin` may act for the signed-in member.
    pub(in crate::api) fn is_reader_origin(&self, cache: &SnapshotCache, origin: &str) -> bool {
        self.origins(&cache.site_urls).allow(origin) || self.is_listed_reader_origin(origin)
    }

    /// Returns whether `origin` is listed or is that of the configured front end. The site's own origin
    /// does not count.
    pub(in crate::api) fn is_listed_reader_origin(&self, origin: &str) -> bool {
        let live = self.live();
        let mut listed = live.member_origins.iter();
        listed.any(|listed| listed.as_str() == origin)
            || self
                .options
                .front_end
                .external()
                .and_then(ExternalFrontEnd::origin)
                .is_some_and(|front_end| front_end == origin)
    }
}

/// Returns the origin of the page that sent a request, if the browser names it.
pub fn origin(fields: Fields<'_>) -> Option<&str> {
    fields.values(&header::ORIGIN).next()
}

/// Adds the CORS fields.
pub fn mark(api: &Api, cache: &SnapshotCache, head: &RequestHead, headers: &mut Headers) {
    let fields = head.head_ref().fields;
    let origin = origin(fields).filter(|origin| api.is_reader_origin(cache, origin));
    allow(headers, origin);
}

/// Allows pages of listed origins to read a response of the Content API with the member's cookie.
pub fn mark_content(api: &Api, head: &RequestHead, headers: &mut Headers) {
    let origin = origin(head.head_ref().fields);
    let origin = origin.filter(|origin| api.is_listed_reader_origin(origin));
    // The response already allows all other origins, without the cookie.
    if origin.is_some() {
        allow(headers, origin);
    }
}

/// Allows pages of `origin` to read the response with the member's cookie; `None` allows pages of all
/// origins to read it without the cookie.
pub fn allow(headers: &mut Headers, origin: Option<&str>) {
    let others = headers
        .get(&header::VARY)
        .and_then(|vary| vary.to_str().ok());
    // Also without an origin: caches must not serve this response to pages of listed origins.
    let vary = others.map_or_else(|| "Origin".to_owned(), |others| format!("{others}, Origin"));
    if let Ok(vary) = HeaderValue::from_str(&vary) {
        headers.set(header::VARY, vary);
    }
    match origin.and_then(|origin| HeaderValue::from_str(origin).ok()) {
        Some(origin) => {
            headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            let yes = HeaderValue::from_static("true");
            headers.set(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
        None => {
            let all = HeaderValue::from_static("*");
            headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
        }
    }
}

/// Returns the response to `OPTIONS`.
pub fn preflight(head: &RequestHead) -> Response {
    let mut response = no_content();
    let methods = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE");
    let headers = &mut response.headers;
    headers.set(
        header::VARY,
        HeaderValue::from_static("Access-Control-Request-Headers"),
    );
    headers.set(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.set(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static("86400"),
    );
    if let Some(requested) = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.set(header::ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
    }
    response
}
