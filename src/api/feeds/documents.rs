//! The documents for feed readers, search engines and other programs, and their paths.

use std::borrow::Cow;

use super::markdown::{LLMS, LLMS_FULL, markdown_path};
use crate::{
    api::headers::CacheControl,
    domain::routes::RouteResource,
    id::Id,
    routing::{BoundRoutes, RoutedList},
};

/// The path of the style sheet for sitemaps.
pub(super) const SITEMAP_STYLES: &str = "/sitemap.xsl";

/// The media type of the Markdown of pages.
pub const MARKDOWN_TYPE: &str = "text/markdown; charset=utf-8";

/// The kind of records in a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapKind {
    /// Pages, and the home page.
    Pages,
    /// Posts.
    Posts,
    /// Authors with posts.
    Authors,
    /// Public tags with posts.
    Tags,
}

impl SitemapKind {
    /// All kinds, in the order of the index (Ghost 6.65).
    pub const ALL: [Self; 4] = [Self::Pages, Self::Posts, Self::Authors, Self::Tags];

    /// Returns the name of the kind in paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pages => "pages",
            Self::Posts => "posts",
            Self::Authors => "authors",
            Self::Tags => "tags",
        }
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        // The name of authors in older versions of Ghost.
        if name == "users" {
            return Some(Self::Authors);
        }
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The posts of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedPosts<'p> {
    /// The posts of the site.
    OfSite,
    /// The posts with the tag that has this slug.
    OfTag(Cow<'p, str>),
    /// The posts of the author with this slug.
    OfAuthor(Cow<'p, str>),
    /// The posts of a list in `routes.yaml`.
    OfList(RoutedList),
}

/// A document for feed readers, search engines or other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedDocument<'p> {
    /// A feed in RSS 2.0.
    Rss(FeedPosts<'p>),
    /// A feed in JSON Feed 1.1.
    Json(FeedPosts<'p>),
    /// The index of the sitemaps.
    SitemapIndex,
    /// A part of the sitemap of one kind of records, numbered from 1.
    Sitemap(SitemapKind, usize),
    /// The style sheet with which browsers display sitemaps.
    SitemapStyles,
    /// `robots.txt`: the paths that search engines may visit.
    Robots,
    /// `llms.txt`: the list of all pages and posts, for programs that read sites.
    Llms,
    /// `llms-full.txt`: the texts of pages and posts.
    LlmsFull,
    /// The Markdown of the post or page with this identifier, whose HTML is at this path.
    Markdown(Id, String),
}

/// The document at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FoundDocument<'p> {
    Document(FeedDocument<'p>),
    /// The path to which requests are redirected.
    Moved(String),
}

impl FeedPosts<'_> {
    /// Returns the path of the page that lists these posts. If there is no such page, the path of the feed is that of the site.
    fn page_path(&self, routes: &BoundRoutes) -> String {
        let path = match self {
            Self::OfSite => None,
            Self::OfTag(slug) => routes.tag_path_of_slug(slug),
            Self::OfAuthor(slug) => routes.author_path_of_slug(slug),
            Self::OfList(list) => routes.path_of_list(*list).map(str::to_owned),
        };
        path.unwrap_or_else(|| "/".to_owned())
    }

    /// Returns the path of the route to which the page of a tag or an author and all paths below it are redirected, if there
    /// is one.
    pub(super) fn claimed(&self, routes: &BoundRoutes) -> Option<String> {
        match self {
            Self::OfTag(slug) => routes.claimed_path(RouteResource::Tags, slug),
            Self::OfAuthor(slug) => routes.claimed_path(RouteResource::Authors, slug),
            Self::OfSite | Self::OfList(_) => None,
        }
    }
}

impl FeedDocument<'_> {
    /// Returns the path of the document on the site.
    pub fn path(&self, routes: &BoundRoutes) -> String {
        match self {
            Self::Rss(posts) => format!("{}rss/", posts.page_path(routes)),
            Self::Json(posts) => format!("{}feed.json", posts.page_path(routes)),
            Self::SitemapIndex => "/sitemap.xml".to_owned(),
            Self::Sitemap(kind, 1) => format!("/sitemap-{}.xml", kind.name()),
            Self::Sitemap(kind, part) => format!("/sitemap-{}-{part}.xml", kind.name()),
            Self::SitemapStyles => SITEMAP_STYLES.to_owned(),
            Self::Robots => "/robots.txt".to_owned(),
            Self::Llms => LLMS.to_owned(),
            Self::LlmsFull => LLMS_FULL.to_owned(),
            Self::Markdown(_, path) => markdown_path(path),
        }
    }

    /// Returns the value of `Content-Type`.
    pub fn content_type(&self) -> &'static str {
        match self {
            Self::Rss(_) => "application/rss+xml; charset=utf-8",
            Self::Json(_) => "application/feed+json; charset=utf-8",
            Self::SitemapIndex | Self::Sitemap(..) => "text/xml; charset=utf-8",
            Self::SitemapStyles => "text/xsl",
            Self::Robots => "text/plain",
            Self::Llms | Self::LlmsFull => "text/plain; charset=utf-8",
            Self::Markdown(..) => MARKDOWN_TYPE,
        }
    }

    /// Returns whether the document lists the Markdown of pages, which only sites with themes have.
    pub(super) fn is_of_markdown(&self) -> bool {
        matches!(self, Self::Llms | Self::LlmsFull)
    }

    /// Returns whether the document is a feed, whose posts depend on the reader.
    pub(super) fn is_feed(&self) -> bool {
        matches!(self, Self::Rss(_) | Self::Json(_))
    }

    /// Returns how long the document may be cached (Ghost 6.65, recorded).
    pub(super) fn cache_control(&self) -> CacheControl {
        match self {
            Self::Rss(_) | Self::Json(_) | Self::Markdown(..) => CacheControl::Public,
            Self::SitemapIndex | Self::Sitemap(..) | Self::Robots | Self::Llms | Self::LlmsFull => {
                CacheControl::Hour
            }
            Self::SitemapStyles => CacheControl::Day,
        }
    }
}

impl<'p> FoundDocument<'p> {
    pub(super) fn at(path: &'p str, routes: &BoundRoutes) -> Option<Self> {
        let document = match path {
            "/robots.txt" => Some(FeedDocument::Robots),
            "/sitemap.xml" => Some(FeedDocument::SitemapIndex),
            LLMS | "/.well-known/llms.txt" => Some(FeedDocument::Llms),
            LLMS_FULL | "/.well-known/llms-full.txt" => Some(FeedDocument::LlmsFull),
            SITEMAP_STYLES => Some(FeedDocument::SitemapStyles),
            _ => sitemap_at(path),
        };
        if let Some(document) = document {
            return Some(Self::Document(document));
        }
        let (page, name) = match path.strip_suffix('/') {
            Some(path) => path.rsplit_once('/')?,
            None => path.rsplit_once('/')?,
        };
        let posts = posts_of_page(page, routes)?;
        let has_slash = path.ends_with('/');
        if let Some(route) = posts.claimed(routes) {
            return Some(Self::Moved(match name {
                "rss" | "feed" => format!("{route}{name}/"),
                "feed.json" => format!("{route}{name}"),
                _ => return None,
            }));
        }
        match (name, has_slash) {
            ("rss", true) => Some(Self::Document(FeedDocument::Rss(posts))),
            ("feed.json", false) => Some(Self::Document(FeedDocument::Json(posts))),
            ("rss", false) | ("feed", _) => Some(Self::Moved(format!("{page}/rss/"))),
            _ => None,
        }
    }
}

fn sitemap_at(path: &str) -> Option<FeedDocument<'_>> {
    let name = path.strip_prefix("/sitemap-")?.strip_suffix(".xml")?;
    if let Some(kind) = SitemapKind::from_name(name) {
        return Some(FeedDocument::Sitemap(kind, 1));
    }
    let (kind, part) = name.rsplit_once('-')?;
    let number: usize = part.parse().ok()?;
    // Each part has exactly one URL: the first has no number, and leading zeros are not accepted.
    let is_usual = number > 1 && number.to_string() == part;
    let kind = SitemapKind::from_name(kind).filter(|_| is_usual)?;
    Some(FeedDocument::Sitemap(kind, number))
}

/// Returns the posts of the page at a path that is given without its trailing slash.
fn posts_of_page<'p>(path: &str, routes: &BoundRoutes) -> Option<FeedPosts<'p>> {
    let page = format!("{path}/");
    if let Some(list) = routes.list_with_feed_at(&page) {
        return Some(FeedPosts::OfList(list));
    }
    if path.is_empty() {
        return routes.has_feed_of_site().then_some(FeedPosts::OfSite);
    }
    let of_tag = || routes.tag_slug_at(&page);
    let of_author = || routes.author_slug_at(&page);
    of_tag()
        .map(|slug| FeedPosts::OfTag(Cow::Owned(slug)))
        .or_else(|| of_author().map(|slug| FeedPosts::OfAuthor(Cow::Owned(slug))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn each_document_has_one_path() {
        let routes = BoundRoutes::of(&Catalog::default());
        for path in [
            "/rss/",
            "/feed.json",
            "/tag/night-ferries/rss/",
            "/author/ada/feed.json",
            "/sitemap.xml",
            "/sitemap-posts.xml",
            "/sitemap-authors-2.xml",
            "/sitemap.xsl",
            "/llms.txt",
            "/llms-full.txt",
            "/robots.txt",
        ] {
            match FoundDocument::at(path, &routes) {
                Some(FoundDocument::Document(document)) => assert_eq!(document.path(&routes), path),
                other => panic!("{path}: {other:?}"),
            }
        }
        for (path, target) in [
            ("/rss", "/rss/"),
            ("/feed/", "/rss/"),
            ("/tag/a/feed", "/tag/a/rss/"),
        ] {
            assert_eq!(
                FoundDocument::at(path, &routes),
                Some(FoundDocument::Moved(target.to_owned()))
            );
        }
        for path in [
            "/sitemap-posts-1.xml",
            "/sitemap-posts-02.xml",
            "/sitemap-x.xml",
            "/tag//rss/",
            "/a/rss/",
            "/feed.json/",
        ] {
            assert_eq!(FoundDocument::at(path, &routes), None, "{path}");
        }
    }
}
