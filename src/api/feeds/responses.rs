//! The responses with a document.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, header};

use super::{
    documents::{FeedDocument, FoundDocument},
    publication::Publication,
};
use crate::{
    api::{
        Api, SnapshotCache,
        content::response_memory::ResponseMemory,
        content_encoding, cors,
        headers::{self, CacheControl},
        request::RequestHead,
        response::{Headers, Response},
        response_cache::CachedResponse,
    },
    domain::setting::Settings,
    error::{Error, Result},
    site::SiteSnapshot,
};

/// Returns the response with the document at `path`, which is relative to the site; `None` if there is none.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
pub(in crate::api) fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    head: &RequestHead,
    path: &str,
) -> Result<Option<Response>> {
    // A member's cookie keeps a request from the responses in memory; feeds are the same for all.
    if let Some(cached) = cache.responses.get(head.head_ref().target)
        && FoundDocument::at(path, cache.site_urls.routes()).is_some()
    {
        return Ok(Some(content_encoding::response(
            &cached,
            head.head_ref().fields,
        )));
    }
    let Some(path) = public_path(&snapshot.catalog.settings, path) else {
        return Ok(None);
    };
    let document = match FoundDocument::at(path, cache.site_urls.routes()) {
        None => return Ok(None),
        Some(FoundDocument::Moved(path)) => {
            let location = format!("{}{path}", cache.site_urls.subdirectory());
            let moved = Response::redirect(true, &location, CacheControl::Year.value());
            return moved.map(Some).map_err(Error::internal);
        }
        Some(FoundDocument::Document(document)) => document,
    };
    document_response(api, snapshot, cache, head, &document)
}

/// Returns the response with a document; `None` if the site does not have it.
///
/// # Errors
///
/// If the store cannot be read, and `Busy` if there is no memory for the posts of a feed.
pub(in crate::api) fn document_response(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    head: &RequestHead,
    document: &FeedDocument,
) -> Result<Option<Response>> {
    let memory = api.body_memory.get();
    let publication = Publication {
        snapshot,
        site_urls: &cache.site_urls,
        front_end: api.options.front_end.external(),
        path_prefix: &api.options.path_prefix,
        bodies: &cache.bodies,
        memory: &memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of),
    };
    let Some(body) = publication.document(document)? else {
        return Ok(None);
    };
    let response = Arc::new(CachedResponse::new(
        fields(document, &body),
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
    // `robots.txt` of a private site keeps search engines away, so it is served in any case.
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
