//! The page that represents the site in Ghost's admin app: previews of the design, of the announcement
//! and of Portal, and "View site". Galley has no front end, so it shows the title, the colours, the
//! navigation and the newest posts.
//!
//! The app requests the page in a frame, or with a POST that contains the settings to try in a header
//! field.

use std::sync::{Arc, LazyLock};

use askama::Template;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use sha2::{Digest, Sha256};

use crate::{
    api::{html_page, params::QueryParameters, request::RequestHead, response::Response},
    domain::post::{Post, PostKind, Visibility},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("site.css")
);

/// Notifies the app, which waits for a preview of Portal. Only front ends have Portal.
const SCRIPT: &str = "parent.postMessage({ type: 'portal-preview-ready' }, location.origin)";

/// Allows the page's styles and script, images from anywhere, and frames on this site only.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let script = BASE64.encode(&Sha256::digest(SCRIPT));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; img-src * data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    );
    HeaderValue::from_str(&policy).expect("invariant: hashes are of digits and letters")
});

/// The header field with the settings that the app previews, in the form of a query.
static PREVIEW_SETTINGS: HeaderName = HeaderName::from_static("x-ghost-preview");

/// The parameters with which the app requests a preview.
const PARAMETERS: [&str; 3] = ["admin", "admin_toolbar", "v"];

/// Number of the newest posts that are listed.
const POSTS_MAX: usize = 12;

/// Returns whether a request comes from the admin app and is for a preview.
pub fn is_requested(head: &RequestHead) -> bool {
    let Ok(query) = QueryParameters::parse(head.target.query().unwrap_or_default()) else {
        return false;
    };
    match head.method {
        Method::GET | Method::HEAD => PARAMETERS.iter().any(|name| query.first(name).is_some()),
        Method::POST => query.first("admin_toolbar").is_some(),
        _ => false,
    }
}

/// Returns the page.
pub fn respond(snapshot: &SiteSnapshot, site_urls: &SiteUrls, head: &RequestHead) -> Response {
    let page = SitePage {
        snapshot,
        site_urls,
        previewed: PreviewedSettings::of(head),
        is_framed: head.method != Method::POST,
    };
    html_page::response(&page, StatusCode::OK, POLICY.clone())
}

/// The settings that the app previews before they are saved.
struct PreviewedSettings(Option<QueryParameters>);

impl PreviewedSettings {
    fn of(head: &RequestHead) -> Self {
        let field = head.headers.get(&PREVIEW_SETTINGS);
        let field = field.and_then(|field| field.to_str().ok());
        Self(field.and_then(|field| QueryParameters::parse(field).ok()))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.first(name)
    }
}

#[derive(Template)]
#[template(path = "api/previews/site.html", config = "src/askama.toml")]
struct SitePage<'a> {
    snapshot: &'a SiteSnapshot,
    site_urls: &'a SiteUrls,
    previewed: PreviewedSettings,
    /// True if the app opens the page in a frame; false if the app writes the response into a frame.
    is_framed: bool,
}

impl SitePage<'_> {
    /// Returns the stored value of a setting.
    fn text(&self, name: &str) -> String {
        let settings = &self.snapshot.catalog.settings;
        settings.text(name).unwrap_or_default()
    }

    /// Returns the value that the app previews under the name `preview_name`, or otherwise the stored value of the
    /// setting `name`. `None` if it is empty.
    fn setting(&self, preview_name: &str, name: &str) -> Option<String> {
        let previewed = self.previewed.value(preview_name).map(str::to_owned);
        let value = previewed.or_else(|| self.snapshot.catalog.settings.text(name));
        value.filter(|value| !value.is_empty())
    }

    fn accent(&self) -> Option<String> {
        self.setting("c", "accent_color")
            .filter(|text| is_colour(text))
    }

    /// Returns the class for the colours of the announcement, with a leading space.
    fn announcement_class(&self) -> &'static str {
        let background = self.setting("announcement_bg", "announcement_background");
        match background.as_deref() {
            Some("light") => " announcement-light",
            Some("dark") => " announcement-dark",
            Some("accent") => " announcement-accent",
            _ => "",
        }
    }

    /// Returns the labels of the navigation.
    fn navigation(&self) -> Vec<String> {
        let navigation = self.snapshot.catalog.settings.get("navigation");
        let items = navigation.as_array().into_iter().flatten();
        let labels = items.filter_map(|item| item["label"].as_str());
        labels.map(str::to_owned).collect()
    }

    /// Returns the newest posts.
    fn posts(&self) -> Vec<Arc<Post>> {
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        posts.window(0, POSTS_MAX)
    }
}

/// Returns whether a text is a colour in hexadecimal digits. Any other text could contain further CSS.
fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}
