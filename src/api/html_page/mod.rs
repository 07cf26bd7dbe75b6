//! The common layout of all HTML pages, and the header fields of their responses.
//!
//! A page is one self-contained response: it loads nothing, is not indexed by search engines, and
//! sends no referrer. Its content security policy allows only its own style and script.

use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, header};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest, Sha256};

use super::{
    error,
    headers::CacheControl,
    response::{Body, Headers, Response},
};
use crate::{
    clock,
    error::Error,
    render::html_escape::{push_attribute, push_text},
};

/// The icon in a browser's tab: a printer's galley, the tray with one open side, and lines of type
/// in it.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' \
    height='32' rx='7' fill='%230b5c66'/%3E%3Cg fill='none' stroke='%23fff' stroke-linecap='round' stroke-width='2.5'%3E\
    %3Cpath d='M25 7H8v18h17'/%3E%3Cpath d='M13 12.5h11M13 16h11M13 19.5h7'/%3E%3C/g%3E%3C/svg%3E";

/// The parts of an HTML page.
pub struct HtmlPage<'a> {
    /// The language of the page, as HTML names languages.
    pub language: &'a str,
    /// The title.
    pub title: &'a str,
    /// The style sheet: `base.css`, followed by the page's own rules.
    pub style: &'static str,
    /// The content of `<body>`, as HTML.
    pub body: &'a str,
    /// The script that runs when the page is loaded.
    pub script: Option<&'static str>,
}

impl HtmlPage<'_> {
    /// Returns the whole document.
    pub fn html(&self) -> String {
        let mut html = String::with_capacity(self.style.len() + self.body.len() + 2048);
        html.push_str("<!DOCTYPE html>\n<html");
        push_attribute(&mut html, "lang", self.language);
        html.push_str(
            ">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"robots\" content=\"noindex, nofollow\">\n<title>",
        );
        push_text(&mut html, self.title);
        html.push_str("</title>\n<link rel=\"icon\"");
        push_attribute(&mut html, "href", ICON);
        html.extend([
            ">\n<style>",
            self.style,
            "</style>\n</head>\n<body>\n",
            self.body,
        ]);
        if let Some(script) = self.script {
            html.extend(["<script>", script, "</script>\n"]);
        }
        html.push_str("</body>\n</html>\n");
        html
    }

    /// Returns the page in place of one that does not exist.
    pub fn not_found(&self, policy: HeaderValue) -> Response {
        let mut response = error::response(&Error::not_found("Page"), CacheControl::Private);
        response.headers = headers(policy, CacheControl::Private);
        response.body = Body::Bytes(Bytes::from(self.html()));
        response
    }
}

/// Appends a time in the time zone `zone`, in this format of `strftime`.
pub fn push_time(html: &mut String, time: Timestamp, zone: &TimeZone, format: &str) {
    html.push_str("<time");
    push_attribute(html, "datetime", &clock::written(time));
    html.push('>');
    let shown = time.to_zoned(zone.clone());
    push_text(html, &shown.strftime(format).to_string());
    html.push_str("</time>");
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

/// Returns the policy of a page that has only this style, this script and its icon, is in no frame,
/// and sends forms to `form_action`.
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
