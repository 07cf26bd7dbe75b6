//! One look for all pages that people see, and what their answers have in common.
//!
//! A page is one answer: it loads nothing, it is not for search engines, and it tells no other site where it is. What it runs
//! and how it looks is in it, and its policy lets nothing else through.

use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, header};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest, Sha256};

use super::{headers::CacheControl, response::Headers};
use crate::render::html_escape::{push_attribute, push_text};

/// The mark in a browser's tab: a printer's galley, the tray with one open side, and lines of type in it.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' \
    height='32' rx='7' fill='%230b5c66'/%3E%3Cg fill='none' stroke='%23fff' stroke-linecap='round' stroke-width='2.5'%3E\
    %3Cpath d='M25 7H8v18h17'/%3E%3Cpath d='M13 12.5h11M13 16h11M13 19.5h7'/%3E%3C/g%3E%3C/svg%3E";

/// A page before it is written.
pub struct HtmlPage<'a> {
    /// The language of what is written on it, as HTML names languages.
    pub language: &'a str,
    /// What stands in the browser's tab.
    pub title: &'a str,
    /// How it looks: `base.css`, followed by what it has of its own.
    pub style: &'static str,
    /// What stands on it, as HTML.
    pub body: &'a str,
    /// What it runs when all of it is there.
    pub script: Option<&'static str>,
}

impl HtmlPage<'_> {
    /// The whole document.
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
}

/// Appends a time as clocks in `zone` show it, in this format of `strftime`.
pub fn push_time(html: &mut String, time: Timestamp, zone: &TimeZone, format: &str) {
    html.push_str("<time");
    push_attribute(html, "datetime", &time.to_string());
    html.push('>');
    let shown = time.to_zoned(zone.clone());
    push_text(html, &shown.strftime(format).to_string());
    html.push_str("</time>");
}

/// The header fields of a page that browsers hold to `policy`.
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

/// The policy of a page that has only this style, this script and its mark, is in no frame, and sends forms to `form_action`.
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
