//! The page about the site and its API, for people: a description, example queries, the state of its sources,
//! and a list of paths. Without a theme it is at `/`; on a site whose pages are rendered by a theme, it is below the
//! API's prefix.
//!
//! Content API keys are public by design. Nevertheless, a key and the errors in files are shown only to
//! visitors on the server's own machine ([`Visitor`]), in a response that is never cached. All other
//! visitors see the same page with placeholders.

mod sources;

use std::sync::LazyLock;

use askama::Template;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use twox_hash::XxHash3_128;

use self::sources::{Sources, counted};
use super::{
    Api, content_encoding,
    front_end::FrontEnd,
    headers::CacheControl,
    health::{HEALTH, READINESS},
    html_page,
    path::DOCUMENT_PATH,
    request::{RequestHead, is_read},
    response::{Body, Response},
    response_cache::CachedResponse,
    visitor::Visitor,
};
use crate::{domain::post::PostKind, site::SiteSnapshot, site_urls::SiteUrls};

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("front_page.css")
);
const SCRIPT: &str = include_str!("copy.js");

static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, SCRIPT, "'none'"));

/// The placeholder for a key that is not shown.
const YOUR_KEY: &str = "YOUR_KEY";

/// Endpoints of the Content API to try first, and descriptions of their responses.
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
        "a few fields of all records, for search in the browser",
    ),
];

/// Endpoints of the Admin API to try first, and descriptions of their responses.
const ADMIN_API: &[(&str, &str)] = &[
    (
        "posts/",
        "posts of every status; pages and all other records have similar paths",
    ),
    ("images/upload/", "uploads images"),
    (OPEN_TO_ALL, "title, URL and version, without a key"),
];

/// The endpoint of the Admin API that needs no key.
const OPEN_TO_ALL: &str = "site/";

/// Other paths below the site's URL.
const OTHER_PATHS: &[(&str, &str)] = &[
    (
        "/content/images/",
        "images; other uploads are below /content/media/ and /content/files/",
    ),
    ("/p/UUID/", "the preview of a draft"),
    (
        "/rss/",
        "an RSS feed, /feed.json as JSON; also below /tag/SLUG and /author/SLUG",
    ),
    ("/sitemap.xml", "the sitemap for search engines"),
    (HEALTH, "“ok” while readers are served"),
    (READINESS, "“ok” while changes are also accepted"),
];

/// Returns whether the page is the response to a request for the root of the API: a browser sent the request, and a theme
/// renders the page at `/`.
pub fn is_below_api(api: &Api, head: &RequestHead) -> bool {
    api.options.front_end == FrontEnd::Theme && is_read(&head.method) && head.accepts_html()
}

/// Returns the page for the visitor who sent `head`.
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
        .to_string(),
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

/// Redirects to the page from a URL in which the site's subdirectory is spelled differently, such as without the slash after it.
pub fn redirect(site_urls: &SiteUrls, query: Option<&str>) -> Option<Response> {
    let query = query.map_or_else(String::new, |query| format!("?{query}"));
    let location = format!("{}/{query}", site_urls.subdirectory());
    Response::redirect(true, &location, CacheControl::Public.value()).ok()
}

#[derive(Template)]
#[template(path = "api/front_page/page.html", config = "src/askama.toml")]
struct FrontPage<'a> {
    api: &'a Api,
    snapshot: &'a SiteSnapshot,
    site_urls: &'a SiteUrls,
    visitor: &'a Visitor,
}

impl FrontPage<'_> {
    /// Returns a sentence about how the content is rendered for readers.
    fn rendering(&self) -> &'static str {
        match self.api.options.front_end {
            FrontEnd::Theme => {
                "A theme renders this site for readers, and programs read its content as JSON."
            }
            FrontEnd::None | FrontEnd::External(_) => {
                "This site is headless: programs read its content as JSON and render it for readers."
            }
        }
    }

    fn text(&self, name: &str) -> String {
        let settings = &self.snapshot.catalog.settings;
        settings.text(name).unwrap_or_default()
    }

    /// Returns a sentence with the numbers of published posts and pages.
    fn published(&self) -> String {
        let posts = &self.snapshot.catalog.posts;
        let count = |kind, what| counted(posts.listed(kind).len(), what);
        format!(
            "It has {} and {}.",
            count(PostKind::Post, "published post"),
            count(PostKind::Page, "page")
        )
    }

    /// Returns the key to show to this visitor; `None` if the visitor sees a placeholder.
    fn key(&self) -> Option<&str> {
        match self.visitor {
            Visitor::Remote => None,
            Visitor::Local(_) => {
                let first = self.snapshot.catalog.integrations().next();
                first.map(|integration| &*integration.content_key.secret)
            }
        }
    }

    /// Returns the URL at which this visitor reaches the site.
    fn base(&self) -> String {
        match self.visitor {
            Visitor::Remote => self.site_urls.base().to_owned(),
            Visitor::Local(host) => {
                format!("http://{host}{}", self.site_urls.subdirectory())
            }
        }
    }

    /// Returns a shell command as an example.
    fn line(&self) -> String {
        // A quote would end the argument in a shell.
        let base = self.base().replace('\'', "%27");
        let prefix = &self.api.options.path_prefix;
        let key = self.key().unwrap_or(YOUR_KEY);
        format!("curl '{base}/{prefix}/api/content/posts/?key={key}&limit=3&fields=title,url'")
    }

    fn sources(&self) -> Sources {
        Sources {
            content: self.api.options.content.load_full(),
            is_local: matches!(self.visitor, Visitor::Local(_)),
            has_folder: self.api.options.files.content.is_some(),
            waiting_edits: self.snapshot.catalog.file_edits.count(),
            zone: self.snapshot.catalog.settings.time_zone(),
        }
    }

    fn content_api(&self) -> Vec<ListedPath> {
        let api = self.api_path("content/");
        listed(CONTENT_API, |endpoint| {
            let key = self.key()?;
            Some(format!("{api}{endpoint}?key={key}"))
        })
    }

    fn admin_api(&self) -> Vec<ListedPath> {
        let api = self.api_path("admin/");
        listed(ADMIN_API, |endpoint| {
            // A browser that follows a link sends no token, so only the open endpoint is linked.
            (endpoint == OPEN_TO_ALL).then(|| format!("{api}{endpoint}"))
        })
    }

    fn other_paths(&self) -> Vec<ListedPath> {
        let subdirectory = self.site_urls.subdirectory();
        listed(OTHER_PATHS, |path| {
            [HEALTH, READINESS]
                .contains(&path)
                .then(|| format!("{subdirectory}{path}"))
        })
    }

    fn api_path(&self, below: &str) -> String {
        let prefix = &self.api.options.path_prefix;
        format!("{}/{prefix}/api/{below}", self.site_urls.subdirectory())
    }
}

/// A path, its description, and its URL if it is linked.
type ListedPath = (&'static str, &'static str, Option<String>);

fn listed(
    paths: &[(&'static str, &'static str)],
    href: impl Fn(&str) -> Option<String>,
) -> Vec<ListedPath> {
    let paths = paths.iter();
    paths
        .map(|(path, about)| (*path, *about, href(path)))
        .collect()
}
