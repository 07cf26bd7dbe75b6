//! Feeds, sitemaps and `robots.txt`, for feed readers and search engines, at the paths at which Ghost has them.
//!
//! Links open the site's front end if it is configured, else the site's URL. Feeds contain the posts that anonymous readers see. A
//! private site has none of these documents; its feeds are at a path with the hash of its password only (Ghost 6.65).

mod feed;
mod json_feed;
mod rss;
mod sitemap;
mod xml;

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, header};

use self::feed::Feed;
pub use self::sitemap::SitemapKind;
use super::{
    Api, SnapshotCache,
    content::{bodies::Bodies, response_memory::ResponseMemory},
    content_encoding, cors,
    front_end::FrontEnd,
    headers::{self, CacheControl},
    params::decode,
    request::RequestHead,
    response::{Headers, Response},
    response_cache::CachedResponse,
    site_urls::SiteUrls,
};
use crate::{
    domain::{change::Resource, setting::Settings},
    error::{Error, Result},
    id::Id,
    site::SiteSnapshot,
};

/// The sources of feeds and sitemaps.
pub struct Publication<'a> {
    /// The site.
    pub snapshot: &'a SiteSnapshot,
    /// The site's URLs.
    pub site_urls: &'a SiteUrls,
    /// The front end that links open, if it is configured.
    pub front_end: Option<&'a FrontEnd>,
    /// First segment of the API's paths.
    pub path_prefix: &'a str,
    /// The bodies of posts.
    pub bodies: &'a Bodies,
    /// The memory for bodies.
    pub memory: &'a ResponseMemory,
}

/// The posts of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedPosts<'p> {
    /// The posts of the site.
    OfSite,
    /// The posts with the tag of this slug.
    OfTag(Cow<'p, str>),
    /// The posts of the author with this slug.
    OfAuthor(Cow<'p, str>),
}

/// One of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeedDocument<'p> {
    /// A feed in RSS 2.0.
    Rss(FeedPosts<'p>),
    /// A feed in JSON Feed 1.1.
    Json(FeedPosts<'p>),
    /// The list of sitemaps.
    SitemapIndex,
    /// A part of the sitemap of one kind of records, numbered from 1.
    Sitemap(SitemapKind, usize),
    /// The paths that search engines may visit.
    Robots,
}

/// The document at a path.
#[derive(Debug, PartialEq, Eq)]
enum FoundDocument<'p> {
    Document(FeedDocument<'p>),
    /// The document is at this path.
    Moved(String),
}

impl FeedPosts<'_> {
    /// Returns the path of the page that has these posts, without a slash at the end.
    fn page_path(&self) -> String {
        match self {
            Self::OfSite => String::new(),
            Self::OfTag(slug) => format!("/tag/{slug}"),
            Self::OfAuthor(slug) => format!("/author/{slug}"),
        }
    }
}

impl FeedDocument<'_> {
    /// Returns the path of the document on the site.
    pub fn path(&self) -> String {
        match self {
            Self::Rss(posts) => format!("{}/rss/", posts.page_path()),
            Self::Json(posts) => format!("{}/feed.json", posts.page_path()),
            Self::SitemapIndex => "/sitemap.xml".to_owned(),
            Self::Sitemap(kind, 1) => format!("/sitemap-{}.xml", kind.name()),
            Self::Sitemap(kind, part) => format!("/sitemap-{}-{part}.xml", kind.name()),
            Self::Robots => "/robots.txt".to_owned(),
        }
    }

    /// Returns the value of `Content-Type`.
    pub fn content_type(&self) -> &'static str {
        match self {
            Self::Rss(_) => "application/rss+xml; charset=utf-8",
            Self::Json(_) => "application/feed+json; charset=utf-8",
            Self::SitemapIndex | Self::Sitemap(..) => "application/xml; charset=utf-8",
            Self::Robots => "text/plain; charset=utf-8",
        }
    }
}

impl<'p> FoundDocument<'p> {
    fn at(path: &'p str) -> Option<Self> {
        let document = match path {
            "/robots.txt" => Some(FeedDocument::Robots),
            "/sitemap.xml" => Some(FeedDocument::SitemapIndex),
            _ => sitemap_at(path),
        };
        if let Some(document) = document {
            return Some(Self::Document(document));
        }
        let (page, name) = match path.strip_suffix('/') {
            Some(path) => path.rsplit_once('/')?,
            None => path.rsplit_once('/')?,
        };
        let posts = posts_of_page(page)?;
        let has_slash = path.ends_with('/');
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
    // Each part has one URL.
    let is_usual = number > 1 && number.to_string() == part;
    let kind = SitemapKind::from_name(kind).filter(|_| is_usual)?;
    Some(FeedDocument::Sitemap(kind, number))
}

fn posts_of_page(path: &str) -> Option<FeedPosts<'_>> {
    if path.is_empty() {
        return Some(FeedPosts::OfSite);
    }
    let (kind, slug) = path.strip_prefix('/')?.split_once('/')?;
    if slug.is_empty() || slug.contains('/') {
        return None;
    }
    let slug = Cow::Owned(decode(slug).ok()?);
    match kind {
        "tag" => Some(FeedPosts::OfTag(slug)),
        "author" => Some(FeedPosts::OfAuthor(slug)),
        _ => None,
    }
}

/// Returns the response with the document at `path`, which is relative to the site; `None` if there is none.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
pub(super) fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    // A member's cookie keeps a request from the responses in memory; feeds are the same for all.
    if let Some(cached) = cache.responses.get(head.head_ref().target)
        && FoundDocument::at(path).is_some()
    {
        return Ok(Some(content_encoding::response(
            &cached,
            head.head_ref().fields,
        )));
    }
    let Some(path) = public_path(&snapshot.catalog.settings, path) else {
        return Ok(None);
    };
    let document = match FoundDocument::at(path) {
        None => return Ok(None),
        Some(FoundDocument::Moved(path)) => {
            let location = format!("{}{path}", cache.site_urls.subdirectory());
            let moved = Response::redirect(true, &location, CacheControl::Year.value());
            return moved.map(Some).map_err(Error::internal);
        }
        Some(FoundDocument::Document(document)) => document,
    };
    let memory = api.body_memory.get();
    let publication = Publication {
        snapshot,
        site_urls: &cache.site_urls,
        front_end: api.options.front_end.as_ref(),
        path_prefix: &api.options.path_prefix,
        bodies: &cache.bodies,
        memory: &memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of),
    };
    let Some(body) = publication.document(&document)? else {
        return Ok(None);
    };
    let response = Arc::new(CachedResponse::new(
        fields(&document, &body),
        Bytes::from(body.into_boxed_slice()),
    ));
    // Another query is another entry of the cache with the same content.
    if head.target.query().is_none() {
        let target = head.head_ref().target;
        cache.responses.put(target, &response);
    }
    Ok(Some(content_encoding::response(
        &response,
        head.head_ref().fields,
    )))
}

/// Returns the path of a document on a site that is not private. A private site has no documents but its feeds, at a path with
/// a hash of its password, and `robots.txt`.
fn public_path<'p>(settings: &Settings, path: &'p str) -> Option<&'p str> {
    if !settings.is_on("is_private") || path == "/robots.txt" {
        return Some(path);
    }
    let hash = settings
        .text("public_hash")
        .filter(|hash| !hash.is_empty())?;
    let path = path.strip_prefix('/')?.strip_prefix(&*hash)?;
    let is_feed = path.ends_with("/rss/") || path.ends_with("/feed.json");
    is_feed.then_some(path)
}

fn fields(document: &FeedDocument, body: &[u8]) -> Headers {
    let mut fields: Headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(document.content_type()),
        ),
        (header::CACHE_CONTROL, CacheControl::Public.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::ETAG, headers::entity_tag(body)),
    ]
    .into_iter()
    .collect();
    cors::allow_all_origins(&mut fields);
    fields
}

impl Publication<'_> {
    /// Returns all documents of the site.
    pub fn documents(&self) -> Vec<FeedDocument<'_>> {
        let mut documents = vec![FeedDocument::Robots, FeedDocument::SitemapIndex];
        for kind in SitemapKind::ALL {
            let parts = 1..=sitemap::parts(&self.sitemap_entries(kind));
            documents.extend(parts.map(|part| FeedDocument::Sitemap(kind, part)));
        }
        let catalog = &self.snapshot.catalog;
        let of_tags = catalog.all_public(Resource::Tags, Id::MIN);
        let of_tags = of_tags.filter(|tag| tag.has_page);
        let of_tags = of_tags.filter_map(|tag| Some(FeedPosts::OfTag(tag.slug?.into())));
        let of_authors = catalog.all_public(Resource::Authors, Id::MIN);
        let of_authors =
            of_authors.filter_map(|author| Some(FeedPosts::OfAuthor(author.slug?.into())));
        for posts in [FeedPosts::OfSite]
            .into_iter()
            .chain(of_tags)
            .chain(of_authors)
        {
            documents.push(FeedDocument::Rss(posts.clone()));
            documents.push(FeedDocument::Json(posts));
        }
        documents
    }

    /// Returns the content of a document; `None` if the site does not have it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
    pub fn document(&self, document: &FeedDocument) -> Result<Option<Vec<u8>>> {
        match document {
            FeedDocument::Rss(posts) => {
                let feed = Feed::of(self, posts, &document.path())?;
                feed.map(|feed| feed.rss()).transpose()
            }
            FeedDocument::Json(posts) => {
                let feed = Feed::of(self, posts, &document.path())?;
                feed.map(|feed| feed.json()).transpose()
            }
            FeedDocument::SitemapIndex => self.sitemap_index().map(Some),
            FeedDocument::Sitemap(kind, part) => self.sitemap(*kind, *part),
            FeedDocument::Robots => Ok(Some(self.robots().into_bytes())),
        }
    }

    /// Returns the URL of a path for readers.
    pub fn link(&self, path: &str) -> String {
        match self.front_end {
            Some(front_end) => front_end.url(path),
            None => format!("{}{path}", self.site_urls.base()),
        }
    }

    /// Returns `robots.txt`. The paths are those of pages for single readers (Ghost 6.65).
    fn robots(&self) -> String {
        if self.snapshot.catalog.settings.is_on("is_private") {
            return "User-agent: *\nDisallow: /\n".to_owned();
        }
        let (base, top) = (self.site_urls.base(), self.site_urls.subdirectory());
        let mut text = format!("User-agent: *\nSitemap: {base}/sitemap.xml\n");
        for path in [self.path_prefix, "email", "members", "p", "unsubscribe"] {
            text.push_str(&format!("Disallow: {top}/{path}/\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_has_one_path() {
        for path in [
            "/rss/",
            "/feed.json",
            "/tag/night-ferries/rss/",
            "/author/ada/feed.json",
            "/sitemap.xml",
            "/sitemap-posts.xml",
            "/sitemap-authors-2.xml",
            "/robots.txt",
        ] {
            match FoundDocument::at(path) {
                Some(FoundDocument::Document(document)) => assert_eq!(document.path(), path),
                other => panic!("{path}: {other:?}"),
            }
        }
        for (path, target) in [
            ("/rss", "/rss/"),
            ("/feed/", "/rss/"),
            ("/tag/a/feed", "/tag/a/rss/"),
        ] {
            assert_eq!(
                FoundDocument::at(path),
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
            assert_eq!(FoundDocument::at(path), None, "{path}");
        }
    }
}
