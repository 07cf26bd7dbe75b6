//! The page that represents the site in Ghost's admin app: previews of the design, of the announcement
//! and of Portal, and "View site". Galley has no front end, so it shows the title, the colours, the
//! navigation and the newest posts.
//!
//! The app gets it in a frame, or by a POST with the settings to try in a field of the header section.

use std::sync::LazyLock;

use bytes::Bytes;
use data_encoding::BASE64;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use sha2::{Digest, Sha256};

use crate::{
    api::{
        headers::CacheControl,
        html_page::{self, HtmlPage},
        params::Query,
        request::RequestHead,
        response::{Body, Response},
        site_urls::SiteUrls,
    },
    domain::post::{Post, PostKind, Visibility},
    render::html_escape::{push_attribute, push_text},
    site::SiteSnapshot,
};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("site.css")
);

/// Ends the app's wait for a preview of Portal, which only front ends have.
const SCRIPT: &str = "parent.postMessage({ type: 'portal-preview-ready' }, location.origin)";

/// Allows the page's styles and script and images from anywhere, and frames of this site only.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let script = BASE64.encode(&Sha256::digest(SCRIPT));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; img-src * data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    );
    HeaderValue::from_str(&policy).expect("invariant: hashes are of digits and letters")
});

/// The field with the settings that the app tries, in the form of a query.
static TRIED_SETTINGS: HeaderName = HeaderName::from_static("x-ghost-preview");

/// Parameters by which the app requests a preview.
const PARAMETERS: [&str; 3] = ["admin", "admin_toolbar", "v"];

/// Newest posts that are listed.
const POSTS_MAX: usize = 12;

/// Returns whether a request is one for a preview by the admin app.
pub fn is_requested(head: &RequestHead) -> bool {
    let Ok(query) = Query::parse(head.target.query().unwrap_or_default()) else {
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
        tried: Tried::of(head),
        is_framed: head.method != Method::POST,
    };
    Response {
        status: StatusCode::OK,
        headers: html_page::headers(POLICY.clone(), CacheControl::Private),
        body: Body::Bytes(Bytes::from(page.html())),
    }
}

/// The settings that the app tries, before they are saved.
struct Tried(Option<Query>);

impl Tried {
    fn of(head: &RequestHead) -> Self {
        let field = head.headers.get(&TRIED_SETTINGS);
        let field = field.and_then(|field| field.to_str().ok());
        Self(field.and_then(|field| Query::parse(field).ok()))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.as_ref()?.first(name)
    }
}

struct SitePage<'a> {
    snapshot: &'a SiteSnapshot,
    site_urls: &'a SiteUrls,
    tried: Tried,
    /// True if the page is in a separate frame; otherwise the app writes it into one.
    is_framed: bool,
}

impl SitePage<'_> {
    fn html(&self) -> String {
        let settings = &self.snapshot.catalog.settings;
        let title = settings.text("title").unwrap_or_default();
        let mut body = String::from("<div class=\"site\"");
        if let Some(colour) = self
            .setting("c", "accent_color")
            .filter(|text| is_colour(text))
        {
            push_attribute(&mut body, "style", &format!("--accent: {colour}"));
        }
        body.push_str(">\n");
        self.push_announcement(&mut body);
        body.push_str("<header>\n");
        if let Some(cover) = self.setting("cover", "cover_image") {
            self.push_image(&mut body, "cover", &cover);
        }
        match self.setting("logo", "logo") {
            Some(logo) => self.push_image(&mut body, "logo", &logo),
            None => {
                body.push_str("<h1>");
                push_text(&mut body, &title);
                body.push_str("</h1>\n");
            }
        }
        if let Some(description) = self.setting("d", "description") {
            body.push_str("<p>");
            push_text(&mut body, &description);
            body.push_str("</p>\n");
        }
        self.push_navigation(&mut body);
        body.push_str("</header>\n<main>\n");
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        for post in posts.window(0, POSTS_MAX) {
            self.push_post(&mut body, &post);
        }
        body.push_str("</main>\n<footer lang=\"en\">A preview by Galley: the site's front end shows it in its own design.</footer>\n</div>\n");
        HtmlPage {
            language: &settings.text("locale").unwrap_or_default(),
            title: &title,
            style: STYLE,
            body: &body,
            script: self.is_framed.then_some(SCRIPT),
        }
        .html()
    }

    /// Returns a setting: as the app tries it under the name `tried`, or else as saved. `None` if it
    /// is empty.
    fn setting(&self, tried: &str, name: &str) -> Option<String> {
        let tried = self.tried.value(tried).map(str::to_owned);
        let value = tried.or_else(|| self.snapshot.catalog.settings.text(name));
        value.filter(|value| !value.is_empty())
    }

    fn push_announcement(&self, body: &mut String) {
        let Some(announcement) = self.setting("announcement", "announcement_content") else {
            return;
        };
        let background = self.setting("announcement_bg", "announcement_background");
        body.push_str("<div class=\"announcement");
        if let Some(background) =
            background.filter(|name| matches!(&**name, "light" | "dark" | "accent"))
        {
            body.push_str(" announcement-");
            body.push_str(&background);
        }
        // HTML by staff, as the bodies of posts.
        body.extend(["\">", &announcement, "</div>\n"]);
    }

    fn push_image(&self, body: &mut String, class: &str, address: &str) {
        body.push_str("<img alt=\"\"");
        push_attribute(body, "class", class);
        push_attribute(body, "src", &self.site_urls.absolute(address));
        body.push_str(">\n");
    }

    fn push_navigation(&self, body: &mut String) {
        let navigation = self.snapshot.catalog.settings.get("navigation");
        body.push_str("<nav>");
        for item in navigation.as_array().into_iter().flatten() {
            if let Some(label) = item["label"].as_str() {
                body.push_str("<span>");
                push_text(body, label);
                body.push_str("</span> ");
            }
        }
        body.push_str("</nav>\n");
    }

    fn push_post(&self, body: &mut String, post: &Post) {
        body.push_str("<article><h2><a");
        push_attribute(
            body,
            "href",
            &format!("{}?preview", self.site_urls.post(post)),
        );
        body.push('>');
        push_text(body, &post.title);
        body.push_str("</a></h2>");
        if let Some(excerpt) = &post.custom_excerpt
            && post.visibility == Visibility::Public
        {
            body.push_str("<p>");
            push_text(body, excerpt);
            body.push_str("</p>");
        }
        body.push_str("</article>\n");
    }
}

/// Returns whether a text is a colour in hexadecimal digits, so that it cannot be more than that.
fn is_colour(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}
