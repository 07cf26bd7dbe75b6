//! The frame of the pages, and their style.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, StatusCode, header};

use super::super::call::Call;
use crate::{
    api::{headers::CacheControl, html_page, response::Response},
    error::{Error, Result},
    reader_texts::ReaderTexts,
};

/// The style of the pages.
pub const STYLE: &str = concat!(
    include_str!("../../html_page/base.css"),
    include_str!("../../html_page/forms.css"),
    include_str!("page.css")
);

/// Allows only this style, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'self'"));

/// The frame of a page: the site's title, its URL and its language.
pub struct SiteFrame {
    /// The title of the site.
    pub title: String,
    /// The URL of the site's front page.
    pub home: String,
    /// The texts in the language of the site.
    pub texts: ReaderTexts,
}

impl SiteFrame {
    /// Returns the frame for the response to a request.
    pub fn of(call: &Call) -> Self {
        Self {
            title: call.settings().text("title").unwrap_or_default(),
            home: format!("{}/", call.front()),
            texts: call.texts(),
        }
    }
}

/// Returns a page as a response.
pub fn response(page: &impl Template, status: StatusCode) -> Response {
    let mut response = html_page::response(page, status, POLICY.clone());
    // With `no-referrer`, browsers send the form with the origin `null`, from which the cookie is not accepted.
    let same_origin = HeaderValue::from_static("same-origin");
    response.headers.set(header::REFERRER_POLICY, same_origin);
    response
}

/// Returns the redirect to a page after a form was submitted.
///
/// # Errors
///
/// If the URL is not valid in a header field.
pub fn redirect(url: &str) -> Result<Response> {
    let response = Response::redirect(false, url, CacheControl::Private.value());
    let mut response = response.map_err(Error::internal)?;
    // The URL may contain a token.
    let no_referrer = HeaderValue::from_static("no-referrer");
    response.headers.set(header::REFERRER_POLICY, no_referrer);
    Ok(response)
}

/// Returns the URL of a page for readers.
pub fn url(call: &Call, name: &str) -> String {
    format!("{}members/{name}/", call.cache.site_urls.site())
}
