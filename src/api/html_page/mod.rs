//! The common layout of all HTML pages (`layout.html`), and the header fields of their responses.
//!
//! A page is one self-contained response: it loads nothing, is not indexed by search engines, and
//! sends no referrer. Its content security policy allows only its own style and script.

use askama::Template;
use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, StatusCode, header};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest, Sha256};

use super::{
    headers::CacheControl,
    response::{Body, Headers, Response},
};
use crate::clock;

/// Returns a page with the content security policy `policy` as a response that is not cached.
pub fn response(page: &impl Template, status: StatusCode, policy: HeaderValue) -> Response {
    Response {
        status,
        headers: headers(policy, CacheControl::Private),
        body: Body::Bytes(Bytes::from(page.to_string())),
    }
}

/// A time as an HTML element.
#[derive(Template)]
#[template(
    source = r##"<time datetime="{{ clock::written(*time)|e("attribute") }}">{{ time.to_zoned(zone.clone()).strftime(format) }}</time>"##,
    ext = "html",
    config = "src/askama.toml"
)]
pub struct Time<'a> {
    /// The time.
    pub time: Timestamp,
    /// The time zone in which the time is shown.
    pub zone: &'a TimeZone,
    /// The format for `strftime`.
    pub format: &'a str,
}

/// Returns the header fields of a page with the content security policy `policy`.
pub fn headers(policy: HeaderValue, cache_control: CacheControl) -> Headers {
    let fixed = HeaderValue::from_static;
    [
        (header::CONTENT_TYPE, fixed("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, cache_control.value()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (
            HeaderName::from_static("x-robots-tag"),
            fixed("noindex, nofollow"),
        ),
        (header::REFERRER_POLICY, fixed("no-referrer")),
        (header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
    ]
    .into_iter()
    .collect()
}

/// Returns the policy of a page that uses only this style, this script and its icon, must not be shown
/// in a frame, and sends forms only to `form_action`.
pub fn policy(style: &str, script: &str, form_action: &str) -> HeaderValue {
    let hash = |text: &str| BASE64.encode(&Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; form-action {form_action}; \
         base-uri 'none'; frame-ancestors 'none'",
        hash(style),
        hash(script)
    );
    HeaderValue::from_str(&policy).expect("invariant: hashes are of digits and letters")
}
