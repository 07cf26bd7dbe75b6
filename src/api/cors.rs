//! Cross-origin access: responses of the Content API and the OpenAPI document may be read by pages
//! of all origins, responses of the Admin API by pages of the site's own origin (Ghost 6.65,
//! recorded) and of the configured origin of the staff client.

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};

use super::{
    headers::{self, CacheControl},
    origins::Origins,
    path::ApiPath,
    request::{Fields, RequestHead},
    response::{Body, Headers, Response},
    router::Router,
};

const METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE");

/// Lifetime of a preflight response in the browser's cache, in seconds.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("86400");

/// Returns the response to `OPTIONS`. It lists the allowed methods whether or not the record exists.
/// `None` if a page of an untrusted origin requests an unknown path.
pub fn preflight(
    head: &RequestHead,
    path: &ApiPath,
    router: &Router,
    origins: &Origins,
) -> Option<Response> {
    let mut headers: Headers = [(
        headers::CONTENT_VERSION.clone(),
        headers::API_VERSION.clone(),
    )]
    .into_iter()
    .collect();
    let fields = head.head_ref().fields;
    if !path.is_for_all_origins() && trusted_origin(fields, origins).is_none() {
        let vary = HeaderValue::from_static("Accept-Version, Origin, Accept-Encoding");
        headers.set(header::VARY, vary);
        headers.set(header::CACHE_CONTROL, CacheControl::Private.value());
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        headers.set(header::CONTENT_TYPE, html);
        let allowed = allowed_methods(path, router);
        // No route is at this path, so the caller responds with the error for an unknown path.
        if allowed.is_empty() {
            return None;
        }
        if let Ok(allowed) = HeaderValue::from_str(&allowed) {
            headers.set(header::ALLOW, allowed);
        }
        // Ghost responds to preflights of other origins with 200 and the methods, without CORS
        // fields (recorded).
        return Some(Response {
            status: StatusCode::OK,
            headers,
            body: Body::Bytes(Bytes::from(allowed)),
        });
    }
    let cache_control = if path.is_for_all_origins() {
        CacheControl::Public
    } else {
        CacheControl::Private
    };
    headers.set(
        header::VARY,
        HeaderValue::from_static("Accept-Version, Access-Control-Request-Headers"),
    );
    headers.set(header::CACHE_CONTROL, cache_control.value());
    headers.set(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.set(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    if let Some(requested) = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.set(header::ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
    }
    Some(Response {
        status: StatusCode::NO_CONTENT,
        headers,
        body: Body::Empty,
    })
}

/// Returns the response to `OPTIONS` for a page of the site, which the staff client then requests with settings that are not
/// saved. `None` for requests from untrusted origins.
pub fn preflight_of_page(head: &RequestHead, origins: &Origins) -> Option<Response> {
    let fields = head.head_ref().fields;
    // Only preflights have this field (Fetch standard).
    let is_preflight = head.method == Method::OPTIONS
        && head
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    // Pages of other origins must not send settings to preview (docs/security.md).
    trusted_origin(fields, origins).filter(|_| is_preflight)?;
    let mut headers = headers::without_body(CacheControl::Private);
    allow_trusted_origin(&mut headers, fields, origins);
    headers.set(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET,HEAD,POST"),
    );
    headers.set(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    if let Some(requested) = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.set(header::ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
    }
    Some(Response {
        status: StatusCode::NO_CONTENT,
        headers,
        body: Body::Empty,
    })
}

/// Returns the methods of the routes at the path.
fn allowed_methods(path: &ApiPath, router: &Router) -> String {
    let mut names = Vec::new();
    for method in router.methods(path.path) {
        // A path may match a literal and a variable, whose routes have the same methods.
        if names.contains(&method.as_str()) {
            continue;
        }
        names.push(method.as_str());
        // GET includes HEAD, which the routes do not list.
        if *method == Method::GET {
            names.push("HEAD");
        }
    }
    names.join(",")
}

/// Allows pages of all origins to read the response.
pub fn allow_all_origins(headers: &mut Headers) {
    let all = HeaderValue::from_static("*");
    headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
}

/// Allows a page of a trusted origin to read a response of the Admin API, with a session if it is the
/// separate origin of the staff client.
pub fn allow_trusted_origin(headers: &mut Headers, request: Fields, origins: &Origins) {
    let Some((value, origin)) = trusted_origin(request, origins) else {
        return;
    };
    headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, value);
    // Requests from the site's own origin are not cross-origin, so they have cookies in any case.
    if origins.is_admin(origin) {
        let yes = HeaderValue::from_static("true");
        headers.set(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
    }
    let vary = headers
        .get(&header::VARY)
        .and_then(|vary| vary.to_str().ok())
        .unwrap_or_default();
    if let Ok(vary) = HeaderValue::from_str(&format!("{vary}, Origin")) {
        headers.set(header::VARY, vary);
    }
}

/// Returns the origin of the requesting page, if the Admin API trusts it.
fn trusted_origin<'a>(request: Fields<'a>, origins: &Origins) -> Option<(HeaderValue, &'a str)> {
    let origin = request.values(&header::ORIGIN).next()?;
    let value = HeaderValue::from_str(origin).ok()?;
    origins.allow(origin).then_some((value, origin))
}
