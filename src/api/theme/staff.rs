//! Pages for staff: with settings that staff preview, or with the toolbar of the admin app.
//!
//! As in Ghost, these requests need no session: previewed settings affect only the response to that request, and the toolbar
//! is a script with links to the admin app. Neither affects the pages of readers or their cached responses.

use http::{HeaderName, HeaderValue, Method, header};
use url::form_urlencoded;

use super::{
    pages::{PageCall, redirect},
    signed_cookie::SignedCookie,
};
use crate::{
    api::{
        Api, SnapshotCache,
        front_end::FrontEnd,
        headers::CacheControl,
        request::{Fields, RequestHead},
        response::Response,
    },
    error::Result,
    front_end::{PreviewSettings, StaffView},
};

/// The header field with the settings to try, in the form of a query (Ghost 6.65).
static PREVIEW_SETTINGS: HeaderName = HeaderName::from_static("x-ghost-preview");

/// The header field in which a browser names the destination of the response, such as an iframe.
static DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The cookie of a browser in which pages have the toolbar.
const TOOLBAR: SignedCookie = SignedCookie {
    name: "ghost-admin-toolbar",
    subject: "",
};

/// The time for which pages have the toolbar, in seconds.
const TOOLBAR_SECONDS: i64 = 60 * 60;

/// The parameter that switches the toolbar on and off.
const SWITCH: &str = "admin";

/// The parameter that hides the toolbar on one page.
const HIDE: &str = "admin_toolbar";

/// A request to change the toolbar's cookie.
pub(super) struct ToolbarChange {
    /// The header field that sets or removes the cookie; `None` if the parameter has an unknown value.
    cookie: Option<HeaderValue>,
    /// True if the response is the page, false if it is a redirect to the URL without the parameter.
    shows_page: bool,
}

/// Returns whether the response to a request with these header fields is the same for all anonymous clients, so that it may be
/// served from the cache before anything else is checked.
pub(in crate::api) fn is_page_for_all(api: &Api, cache: &SnapshotCache, fields: Fields) -> bool {
    let is_preview = || fields.values(&PREVIEW_SETTINGS).next().is_some();
    // A longer name that contains this one only makes a worker decide.
    let has_cookie =
        |cookies: &str| memchr::memmem::find(cookies.as_bytes(), TOOLBAR.name.as_bytes()).is_some();
    api.options.front_end != FrontEnd::Theme
        || !(cache.is_private || fields.values(&header::COOKIE).any(has_cookie) || is_preview())
}

/// Returns whether a request previews settings. The admin app sends it with POST.
pub(super) fn previews_settings(call: &PageCall) -> bool {
    call.staff.preview.is_some() && call.head.method == Method::POST
}

impl Api {
    /// Returns the changes to the page that a request requires.
    pub(super) fn staff_view(&self, call: &PageCall) -> StaffView {
        StaffView {
            preview: preview_settings(call.head),
            has_toolbar: !hides_toolbar(call.head)
                && TOOLBAR.is_sent(call, self.site.now().as_second()),
        }
    }

    /// Returns the change of the toolbar's cookie that a request contains, if any.
    pub(super) fn toolbar_change(&self, call: &PageCall) -> Option<ToolbarChange> {
        let value = parameter(call.head, SWITCH)?;
        let cookie = match &*value {
            "1" => TOOLBAR.field(call, TOOLBAR_SECONDS, self.site.now().as_second()),
            "0" => TOOLBAR.removal(call),
            _ => None,
        };
        Some(ToolbarChange {
            cookie,
            shows_page: value == "1" && hides_toolbar(call.head),
        })
    }
}

impl ToolbarChange {
    /// Returns the response to the request: the result of `page`, or a redirect to the URL without the parameters.
    ///
    /// # Errors
    ///
    /// The error of `page`, or if the location of the redirect is not valid in a header field.
    pub fn respond(
        self,
        call: &PageCall,
        page: impl FnOnce() -> Result<Response>,
    ) -> Result<Response> {
        let mut response = if self.shows_page {
            page()?
        } else {
            redirect(false, &clean_url(call), CacheControl::Private)?
        };
        response
            .headers
            .set(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(cookie) = self.cookie {
            response.headers.append(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }
}

/// Returns the settings that a request previews. The header field is decoded as Latin-1, as in Ghost.
fn preview_settings(head: &RequestHead) -> Option<PreviewSettings> {
    let field = head.headers.get(&PREVIEW_SETTINGS)?;
    let query: String = field.as_bytes().iter().copied().map(char::from).collect();
    PreviewSettings::parse(&query)
}

/// Returns the first value of a parameter.
fn parameter(head: &RequestHead, name: &str) -> Option<String> {
    let query = head.target.query()?;
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let (_, value) = parameters.find(|(own, _)| own == name)?;
    Some(value.into_owned())
}

/// Returns whether the page is for a frame of the admin app, or its URL hides the toolbar.
fn hides_toolbar(head: &RequestHead) -> bool {
    let destination = head.headers.get(&DESTINATION);
    let is_framed =
        destination.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"iframe"));
    is_framed || parameter(head, HIDE).as_deref() == Some("0")
}

/// Returns the path and query of a request without the parameters of the toolbar.
fn clean_url(call: &PageCall) -> String {
    let target = &call.head.target;
    let pairs = form_urlencoded::parse(target.query().unwrap_or_default().as_bytes());
    let others = pairs.filter(|(name, _)| name != SWITCH && name != HIDE);
    let query: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .finish();
    // A location with two leading slashes would name another host.
    let path = target.path().trim_start_matches(['/', '\\']);
    if query.is_empty() {
        format!("/{path}")
    } else {
        format!("/{path}?{query}")
    }
}
