//! The front page of the site, for people: a description, example queries, the state of its sources,
//! and a list of paths.
//!
//! Content API keys are public by design, and yet the page hands none out: the key, and the errors
//! in files, are shown only to visitors on the machine itself ([`Visitor`]), and never cached. All
//! others see the same page with placeholders.

mod sources;

use std::sync::LazyLock;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use twox_hash::XxHash3_128;

use self::sources::{SourceDetails, counted};
use super::{
    Api, content_encoding,
    headers::CacheControl,
    html_page::{self, HtmlPage},
    path::DOCUMENT_PATH,
    request::RequestHead,
    response::{Body, Response},
    response_cache::CachedResponse,
    site_urls::SiteUrls,
    visitor::Visitor,
};
use crate::{
    domain::post::PostKind,
    render::html_escape::{push_attribute, push_attribute_value, push_text},
    site::SiteSnapshot,
};

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("front_page.css")
);
const SCRIPT: &str = include_str!("copy.js");

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, SCRIPT, "'none'"));

/// The placeholder for a key that is not shown.
const YOUR_KEY: &str = "YOUR_KEY";

/// Endpoints of the Content API to begin with, and descriptions of their responses.
const CONTENT_API: &[(&str, &str)] = &[
    ("posts/", "posts, newest first"),
    ("pages/", "pages, by title"),
    ("tags/", "tags"),
    ("authors/", "authors"),
    ("settings/", "title, navigation and all other settings"),
    (
        "changes/",
        "the change feed: posts and pages published, changed or removed since a revision, also as a live stream",
    ),
    (
        "search-index/posts/",
        "all records in a few fields, for search in the browser",
    ),
];

/// Endpoints of the Admin API to begin with.
const ADMIN_API: &[(&str, &str)] = &[
    (
        "posts/",
        "posts of every status; pages and all other records likewise",
    ),
    ("images/upload/", "uploads images"),
    (OPEN_TO_ALL, "title, URL and version, open to all"),
];

/// The endpoint of the Admin API that needs no key.
const OPEN_TO_ALL: &str = "site/";

/// Other paths below the site's URL.
const OTHER_PATHS: &[(&str, &str)] = &[
    (
        "/content/images/",
        "images; /content/media/ and /content/files/ likewise",
    ),
    ("/p/UUID/", "the preview of a draft"),
    (
        "/rss/",
        "a feed; /feed.json likewise, and below /tag/SLUG and /author/SLUG",
    ),
    ("/sitemap.xml", "the sitemap for search engines"),
    (HEALTH, "“ok” while the server responds"),
];

/// The path for health checks.
const HEALTH: &str = "/healthz";

/// Returns the page for the sender of `head`.
pub fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    site_urls: &SiteUrls,
    head: &RequestHead,
) -> Response {
    let visitor = Visitor::of(head, site_urls);
    let page = Bytes::from(
        FrontPage {
            api,
            snapshot,
            site_urls,
            visitor: &visitor,
        }
        .html(),
    );
    let policy = POLICY.clone();
    match visitor {
        Visitor::Local(_) => Response {
            status: StatusCode::OK,
            headers: html_page::headers(policy, CacheControl::Private),
            body: Body::Bytes(page),
        },
        Visitor::Remote => {
            let mut headers = html_page::headers(policy, CacheControl::Public);
            headers.set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
            let tag = format!("\"{:032x}\"", XxHash3_128::oneshot(&page));
            let tag = HeaderValue::from_str(&tag).expect("invariant: a hash is of digits");
            headers.set(header::ETAG, tag);
            content_encoding::response(&CachedResponse::new(headers, page), head.head_ref().fields)
        }
    }
}

/// Redirects from the site's subdirectory without a trailing slash to the page.
pub fn redirect(site_urls: &SiteUrls) -> Option<Response> {
    let location = format!("{}/", site_urls.subdirectory());
    Response::redirect(true, &location, CacheControl::Public.value()).ok()
}

struct FrontPage<'a> {
    api: &'a Api,
    snapshot: &'a SiteSnapshot,
    site_urls: &'a SiteUrls,
    visitor: &'a Visitor,
}

impl FrontPage<'_> {
    fn html(&self) -> String {
        let settings = &self.snapshot.catalog.settings;
        let text = |key| settings.text(key).unwrap_or_default();
        let title = text("title");
        let body = fill(TEMPLATE, |slot, html| match slot {
            "version" => html.push_str(env!("CARGO_PKG_VERSION")),
            "title" => push_text(html, &title),
            "description" => push_text(html, &text("description")),
            "language" => push_attribute_value(html, &text("locale")),
            "published" => push_text(html, &self.published()),
            "line" => push_text(html, &self.line()),
            "about_key" => html.push_str(self.about_key()),
            "sources" => self.push_sources(html),
            "content_path" => push_text(html, &self.api_path("content/")),
            "admin_path" => push_text(html, &self.api_path("admin/")),
            "document_path" => push_attribute_value(html, &self.api_path(DOCUMENT_PATH)),
            "content_api" => self.push_content_api(html),
            "admin_api" => self.push_admin_api(html),
            "beside" => self.push_other_paths(html),
            "subdirectory" => push_text(html, self.site_urls.subdirectory()),
            _ => debug_assert!(false, "unknown slot {slot}"),
        });
        HtmlPage {
            language: "en",
            title: &title,
            style: STYLE,
            body: &body,
            script: Some(SCRIPT),
        }
        .html()
    }

    /// Returns how many posts and pages are published.
    fn published(&self) -> String {
        let posts = &self.snapshot.catalog.posts;
        let count = |kind, what| counted(posts.listed(kind).len(), what);
        format!(
            "It has {} and {}.",
            count(PostKind::Post, "published post"),
            count(PostKind::Page, "page")
        )
    }

    /// Returns the key shown to this visitor.
    fn key(&self) -> Option<&str> {
        match self.visitor {
            Visitor::Remote => None,
            Visitor::Local(_) => {
                let first = self.snapshot.catalog.integrations().next();
                first.map(|integration| &*integration.content_key.secret)
            }
        }
    }

    /// Returns the site's URL as this visitor reaches it.
    fn base(&self) -> String {
        match self.visitor {
            Visitor::Remote => self.site_urls.base().to_owned(),
            Visitor::Local(host) => {
                format!("http://{host}{}", self.site_urls.subdirectory())
            }
        }
    }

    /// Returns the shell command to try.
    fn line(&self) -> String {
        let base = self.base().replace('\'', "%27");
        let prefix = &self.api.options.path_prefix;
        let key = self.key().unwrap_or(YOUR_KEY);
        format!("curl '{base}/{prefix}/api/content/posts/?key={key}&limit=3&fields=title,url'")
    }

    fn about_key(&self) -> &'static str {
        match self.key() {
            Some(_) => {
                "<p class=\"quiet\">The key is this site’s first. It gives access to published content only. \
                 It is shown because you are on the machine itself.</p>"
            }
            None => {
                "<p class=\"quiet\"><code>YOUR_KEY</code> stands for a Content API key. The site’s operator lists keys with \
                 <code>galley key list</code>, and creates keys with <code>galley key create</code>.</p>"
            }
        }
    }

    fn push_sources(&self, html: &mut String) {
        let content = self.api.options.content.load();
        match self.visitor {
            Visitor::Remote => sources::push_summary(html, &content),
            Visitor::Local(_) => SourceDetails {
                content: &content,
                has_folder: self.api.options.files.content.is_some(),
                waiting_edits: self.snapshot.catalog.file_edits.count(),
                zone: &self.snapshot.catalog.settings.time_zone(),
            }
            .push(html),
        }
    }

    fn push_content_api(&self, html: &mut String) {
        let api = self.api_path("content/");
        let key = self.key();
        push_paths(html, CONTENT_API, |endpoint| {
            key.map(|key| format!("{api}{endpoint}?key={key}"))
        });
    }

    fn push_admin_api(&self, html: &mut String) {
        let api = self.api_path("admin/");
        push_paths(html, ADMIN_API, |endpoint| {
            (endpoint == OPEN_TO_ALL).then(|| format!("{api}{endpoint}"))
        });
    }

    fn push_other_paths(&self, html: &mut String) {
        let subdirectory = self.site_urls.subdirectory();
        push_paths(html, OTHER_PATHS, |path| {
            (path == HEALTH).then(|| format!("{subdirectory}{path}"))
        });
    }

    fn api_path(&self, below: &str) -> String {
        let prefix = &self.api.options.path_prefix;
        format!("{}/{prefix}/api/{below}", self.site_urls.subdirectory())
    }
}

/// Appends a list of paths with descriptions, linked if `href` returns a URL.
fn push_paths(html: &mut String, paths: &[(&str, &str)], href: impl Fn(&str) -> Option<String>) {
    html.push_str("<ul class=\"places\">\n");
    for (path, about) in paths {
        let href = href(path);
        html.push_str("<li>");
        if let Some(href) = &href {
            html.push_str("<a");
            push_attribute(html, "href", href);
            html.push('>');
        }
        html.push_str("<code>");
        push_text(html, path);
        html.push_str("</code>");
        if href.is_some() {
            html.push_str("</a>");
        }
        html.push_str(" <span>");
        push_text(html, about);
        html.push_str("</span></li>\n");
    }
    html.push_str("</ul>\n");
}

/// Fills the template: `put` writes the content of each `{{slot}}`.
fn fill(template: &str, put: impl Fn(&str, &mut String)) -> String {
    let mut html = String::with_capacity(2 * template.len());
    let mut parts = template.split("{{");
    html.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (slot, rest) = part.split_once("}}").unwrap_or(("", part));
        put(slot, &mut html);
        html.push_str(rest);
    }
    html
}
