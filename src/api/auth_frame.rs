//! The frame through which signed-in staff moderate comments on the site's pages.
//!
//! Without a session cookie, the response is empty (Ghost 6.65), so readers do not load the script.

use std::sync::LazyLock;

use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

use super::{
    admin::cookie,
    headers::CacheControl,
    html_page,
    request::RequestHead,
    response::{Body, Response},
};
use crate::site_urls::SiteUrls;

/// The path of the frame below that of the staff client.
pub const PATH: &str = "auth-frame/";

const SCRIPT: &str = include_str!("auth_frame.js");

/// The content security policy, to which the site's origin is appended as an allowed parent.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let script = BASE64.encode(&Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'self'"
    )
});

/// Returns the frame; `None` if the site's origin is not valid in a header field.
pub fn respond(site_urls: &SiteUrls, head: &RequestHead) -> Option<Response> {
    if cookie::session_secret(&head.headers).is_none() {
        let mut response = Response::new(StatusCode::NO_CONTENT);
        response
            .headers
            .set(header::CACHE_CONTROL, CacheControl::Public.value());
        return Some(response);
    }
    let origin = site_urls.origin();
    let policy = HeaderValue::from_str(&format!("{} {origin}", *POLICY)).ok()?;
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-site=\"{origin}\">\n<title>Staff</title>\n<script>{SCRIPT}</script>\n</html>\n"
    );
    let mut response = Response::new(StatusCode::OK);
    response.headers = html_page::headers(policy, CacheControl::Private);
    // With `no-referrer`, browsers would not send the origin with changes.
    response.headers.set(
        header::REFERRER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    response.body = Body::Bytes(Bytes::from(page));
    Some(response)
}
