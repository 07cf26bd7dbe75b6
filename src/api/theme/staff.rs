//! Requests for pages that are not those of readers: with settings that staff try, and with the toolbar of the admin app.
//!
//! As with Ghost, they need no session: tried settings affect only the page of that request, and the toolbar is a script with
//! links to the admin app. Neither changes pages of readers or their cached responses.

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
    front_end::{StaffView, TriedSettings},
};

/// The field with the settings to try, in the form of a query (Ghost 6.65).
static TRIED_SETTINGS: HeaderName = HeaderName::from_static("x-ghost-preview");

/// The header field in which a browser names the destination of the page, such as an iframe.
static DESTINATION: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The cookie of a browser whose pages have the toolbar.
const TOOLBAR: SignedCookie = SignedCookie {
    name: "ghost-admin-toolbar",
    subject: "",
};

/// The time for which pages have the toolbar, in seconds.
const TOOLBAR_SECONDS: i64 = 60 * 60;

/// The parameter that switches the toolbar on and off, and the one that hides it on one page.
const SWITCH: &str = "admin";
const HIDE: &str = "admin_toolbar";

/// A change of the toolbar's cookie by a request.
pub(super) struct ToolbarChange {
    /// The field that sets or removes the cookie; `None` if the parameter has another value.
    cookie: Option<HeaderValue>,
    /// Whether the page is shown at once, and not at its URL without the parameter.
    shows_page: bool,
}

/// Returns whether the page of a request with these fields is the one that all anonymous clients get, so that it may be served
/// from the cache before anything else is checked.
pub(in crate::api) fn is_page_for_all(api: &Api, cache: &SnapshotCache, fields: Fields) -> bool {
    let is_tried = || fields.values(&TRIED_SETTINGS).next().is_some();
    let has_cookie =
        |cookies: &str| memchr::memmem::find(cookies.as_bytes(), TOOLBAR.name.as_bytes()).is_some();
    api.options.front_end != FrontEnd::Theme
        || !(cache.is_private || fields.values(&header::COOKIE).any(has_cookie) || is_tried())
}

/// Returns whether a request tries settings, which the admin app does with POST.
pub(super) fn tries_settings(call: &PageCall) -> bool {
    call.staff.tried.is_some() && call.head.method == Method::POST
}

impl Api {
    /// Returns the changes of a request to its page.
    pub(super) fn staff_view(&self, call: &PageCall) -> StaffView {
        StaffView {
            tried: tried_settings(call.head),
            has_toolbar: !hides_toolbar(call.head)
                && TOOLBAR.is_sent(call, self.site.now().as_second()),
        }
    }

    /// Returns the change of the toolbar that a request names.
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
    /// Returns the response to the request: that of `page`, or a redirect to its URL without the parameters.
    ///
    /// # Errors
    ///
    /// That of `page`, or if the redirect cannot be written.
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

/// Returns the settings that a request tries; a field that is not of text is read as Latin-1, as it is by Ghost.
fn tried_settings(head: &RequestHead) -> Option<TriedSettings> {
    let field = head.headers.get(&TRIED_SETTINGS)?;
    let query: String = field.as_bytes().iter().copied().map(char::from).collect();
    TriedSettings::parse(&query)
}

/// Returns the first value of a parameter.
fn parameter(head: &RequestHead, name: &str) -> Option<String> {
    let query = head.target.query()?;
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let (_, value) = parameters.find(|(own, _)| own == name)?;
    Some(value.into_owned())
}

/// Returns whether the page is for a frame of the admin app, or its URL says that it has no toolbar.
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
    // Two slashes would begin the name of a host.
    let path = target.path().trim_start_matches(['/', '\\']);
    if query.is_empty() {
        format!("/{path}")
    } else {
        format!("/{path}?{query}")
    }
}
