//! The responses with a feed or another document.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, header};

use super::{
    documents::{FeedDocument, FoundDocument, SITEMAP_STYLES},
    publication::Publication,
};
use crate::{
    api::{
        Api, SnapshotCache,
        content::response_memory::ResponseMemory,
        content_encoding, cors,
        entity_tag::entity_tag,
        front_end::FrontEnd,
        headers::CacheControl,
        redirects::redirect,
        request::RequestHead,
        response::{Headers, Response},
        response_cache::{CachedResponse, MOMENT},
    },
    domain::{post::Post, reading_member::ReadingMember, redirect::Target, setting::Settings},
    error::Result,
    site::SiteSnapshot,
};

/// A request for a feed or another document.
pub(in crate::api) struct FeedCall<'a> {
    /// The site.
    pub snapshot: &'a SiteSnapshot,
    /// The cache of the snapshot.
    pub cache: &'a SnapshotCache,
    /// The request.
    pub head: &'a RequestHead,
    /// The member who reads; `None` for anonymous readers.
    pub reader: Option<ReadingMember>,
}

/// Returns the response with the document at `path`, which is relative to the site; `None` if no document is at that path.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
pub(in crate::api) fn respond(api: &Api, call: &FeedCall, path: &str) -> Result<Option<Response>> {
    let (cache, head) = (call.cache, call.head.head_ref());
    let routes = cache.site_urls.routes();
    // The cache also holds other responses, such as the pages of a theme, so the path is checked
    // too.
    if call.reader.is_none()
        && let Some(cached) = cache.responses.get(head.target)
        && cached.is_current(api.site.now())
        && FoundDocument::at(path, routes).is_some()
    {
        return Ok(Some(content_encoding::response(&cached, head.fields)));
    }
    let Some(path) = public_path(&call.snapshot.catalog.settings, path) else {
        return Ok(None);
    };
    match FoundDocument::at(path, routes) {
        None => Ok(None),
        Some(FoundDocument::Moved(path)) => {
            let target = Target {
                location: path,
                permanent: true,
            };
            Ok(redirect(target, cache.site_urls.subdirectory()))
        }
        Some(FoundDocument::Document(document)) if document.is_of_markdown() => {
            markdown_list(api, call, &document)
        }
        Some(FoundDocument::Document(document)) => document_response(api, call, &document),
    }
}

/// Returns the response with a list of the Markdown of pages, or a redirect to the home page if these lists are disabled.
/// Returns `None` on a site without a theme.
fn markdown_list(api: &Api, call: &FeedCall, document: &FeedDocument) -> Result<Option<Response>> {
    if api.options.front_end != FrontEnd::Theme {
        return Ok(None);
    }
    if call.snapshot.catalog.settings.is_on("llms_enabled") {
        return document_response(api, call, document);
    }
    let target = Target {
        location: "/".to_owned(),
        permanent: false,
    };
    Ok(redirect(target, call.cache.site_urls.subdirectory()))
}

/// Returns the Markdown of a post or page, as anonymous readers see it.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the text.
pub(in crate::api) fn entry_markdown(
    api: &Api,
    call: &FeedCall,
    post: &Arc<Post>,
) -> Result<String> {
    let memory = response_memory(api);
    publication(api, call, None, &memory).markdown(post)
}

/// Returns the response with a document; `None` if the site does not have it.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
pub(in crate::api) fn document_response(
    api: &Api,
    call: &FeedCall,
    document: &FeedDocument,
) -> Result<Option<Response>> {
    let reader = call.reader.as_ref().filter(|_| document.is_feed());
    let memory = response_memory(api);
    let publication = publication(api, call, reader, &memory);
    let Some(body) = publication.document(document)? else {
        return Ok(None);
    };
    let cache_control = match reader {
        Some(_) => CacheControl::Private,
        None => document.cache_control(),
    };
    let mut response = CachedResponse::new(
        fields(document, &body, cache_control),
        Bytes::from(body.into_boxed_slice()),
    );
    if publication.is_momentary(document) {
        response.expires_at = publication.now.checked_add(MOMENT).ok();
    }
    let response = Arc::new(response);
    let head = call.head.head_ref();
    // Requests with a query are not cached: each query would add an entry with the same content.
    if reader.is_none() && call.head.target.query().is_none() {
        call.cache.responses.put(head.target, &response);
    }
    Ok(Some(content_encoding::response(&response, head.fields)))
}

fn response_memory(api: &Api) -> ResponseMemory {
    let memory = api.body_memory.get();
    memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of)
}

fn publication<'p>(
    api: &'p Api,
    call: &'p FeedCall,
    reader: Option<&'p ReadingMember>,
    memory: &'p ResponseMemory,
) -> Publication<'p> {
    Publication {
        snapshot: call.snapshot,
        site_urls: &call.cache.site_urls,
        front_end: api.options.front_end.external(),
        has_icon_path: api.options.front_end == FrontEnd::Theme,
        reader,
        path_prefix: &api.options.path_prefix,
        bodies: &call.cache.bodies,
        memory,
        now: api.site.now(),
    }
}

/// Returns the path that the document at `path` has on a public site. A private site serves only `robots.txt`, the style sheet
/// for sitemaps, which is the same on every site, and its feeds below a path with a hash of its password.
fn public_path<'p>(settings: &Settings, path: &'p str) -> Option<&'p str> {
    // The `robots.txt` of a private site excludes search engines, so it is always served.
    if !settings.is_on("is_private") || matches!(path, "/robots.txt" | SITEMAP_STYLES) {
        return Some(path);
    }
    let hash = settings
        .text("public_hash")
        .filter(|hash| !hash.is_empty())?;
    let path = path.strip_prefix('/')?.strip_prefix(&*hash)?;
    let is_feed = path.ends_with("/rss/") || path.ends_with("/feed.json");
    is_feed.then_some(path)
}

fn fields(document: &FeedDocument, body: &[u8], cache_control: CacheControl) -> Headers {
    let mut fields: Headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(document.content_type()),
        ),
        (header::CACHE_CONTROL, cache_control.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::ETAG, entity_tag(body)),
    ]
    .into_iter()
    .collect();
    cors::allow_all_origins(&mut fields);
    fields
}
