//! Responses of the Content API, built from records and cached.
//!
//! A response is cached under the URL as sent and under the normalised request, so that equivalent
//! requests also hit the cache.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use http::header;

use super::{
    Api, SnapshotCache, change_feed,
    content::{self, Budget, EndpointError, response_memory::ResponseMemory},
    content_encoding,
    entity_tag::entity_tag,
    headers::{self, CacheControl},
    keys, members,
    params::QueryParameters,
    prepared::{ApiRequest, FoundRoute, PreparedRequest},
    request::HeadRef,
    response::Response,
    response_cache::CachedResponse,
    routes::route::{Endpoint, Execution},
};
use crate::{domain::reading_member::ReadingMember, site::SiteSnapshot};

/// Longest target of a request that is served inline, in bytes. The cost of a filter grows with its
/// length.
const INLINE_TARGET_BYTES_MAX: usize = 1024;

/// A request for a response of the Content API, which is built from records or cached.
pub(super) struct ContentCall<'a> {
    pub head: HeadRef<'a>,
    pub request: &'a ApiRequest,
    pub found: &'a FoundRoute,
    pub query: &'a QueryParameters,
    pub snapshot: &'a SiteSnapshot,
    pub cache: &'a SnapshotCache,
    pub endpoint: content::ContentHandler,
    pub budget: Budget,
    pub is_cacheable: bool,
    /// The member who reads; the response is then private. `None` for anonymous readers.
    pub reader: Option<ReadingMember>,
}

impl Api {
    /// Builds the response to a read of the Content API inline and caches it, if this requires only
    /// memory and stays within the inline budget. Returns `None` for every other request, which a
    /// worker must handle.
    pub(super) fn respond_inline(
        &self,
        head: &HeadRef,
        prepared: &PreparedRequest,
        snapshot: &SiteSnapshot,
        cache: &SnapshotCache,
    ) -> Option<Response> {
        let request = prepared.api.as_ref()?;
        let found = request.found.as_ref()?;
        let (Endpoint::Content(endpoint), Execution::Inline) =
            (found.route.endpoint, found.route.execution)
        else {
            return None;
        };
        // Uncommon requests are left to a worker (`uncommon_request_needs_a_worker`).
        if head.target.len() > INLINE_TARGET_BYTES_MAX
            || request.path().version().is_some()
            || found.without_slash
        {
            return None;
        }
        let query = request.query().ok()?;
        // Wrong keys must be counted, which only a worker may do, because it may wait for the store.
        if query.is_volatile() || keys::check(&snapshot.catalog, query).is_err() {
            return None;
        }
        let response = self.content_response(&ContentCall {
            head: *head,
            request,
            found,
            query,
            snapshot,
            cache,
            endpoint,
            budget: Budget::Inline,
            is_cacheable: true,
            reader: None,
        });
        // If the response must be compressed first, the worker that does so finds it in the cache.
        content_encoding::ready_response(&*response.ok()?, head.fields)
    }

    /// Returns the cached response of an equivalent request, or builds a response. Caches it under the
    /// URL as sent and under the normalised request. The API key must have been checked.
    pub(super) fn content_response(
        &self,
        call: &ContentCall,
    ) -> Result<Arc<CachedResponse>, EndpointError> {
        let responses = &call.cache.responses;
        let is_cached = call.is_cacheable && !call.query.is_volatile();
        let reader = call.reader.as_ref();
        let normalised = cache_key(reader, call.request.normalised(call.query));
        let is_current_path = call.request.path().version().is_none();
        let body = match responses.get(&normalised).filter(|_| is_cached) {
            // The response for a path with an old version has other header fields, so only the body is
            // shared.
            Some(response) if is_current_path => {
                responses.put(&cache_key(reader, call.head.target), &response);
                return Ok(response);
            }
            Some(response) => response.plain.body.clone(),
            None => self.content_body(call)?,
        };
        let is_content = call.request.path().is_content();
        let mut headers = headers::of_json(if is_content && call.reader.is_none() {
            CacheControl::Public
        } else {
            CacheControl::Private
        });
        if matches!(call.found.route.endpoint, Endpoint::ChangeFeed(_)) {
            headers.set(header::VARY, change_feed::VARY.clone());
        }
        headers.set(header::ETAG, entity_tag(&body));
        self.mark_for(&mut headers, &call.head, call.request, call.cache);
        let response = Arc::new(CachedResponse::new(headers, body));
        if is_cached {
            responses.put(&cache_key(reader, call.head.target), &response);
            if is_current_path {
                responses.put(&normalised, &response);
            }
        }
        Ok(response)
    }

    /// Returns the cached response for the member who sends the request. `None` if nothing is cached, or
    /// if a page of a listed origin sends the request, which requires other header fields.
    pub(super) fn cached_for_member(
        &self,
        head: &HeadRef,
        snapshot: &SiteSnapshot,
        cache: &SnapshotCache,
    ) -> Option<Response> {
        let origin = head.fields.values(&header::ORIGIN).next();
        if origin.is_some_and(|origin| self.is_listed_reader_origin(origin)) {
            return None;
        }
        let member = members::reader(self, snapshot, cache, head)?;
        let now = self.site.now();
        let reader = ReadingMember::new(member, now);
        let cached = cache
            .responses
            .get(&cache_key(Some(&reader), head.target))?;
        if !cached.is_current(now) {
            return None;
        }
        content_encoding::cached_response(&cached, head.fields)
    }

    fn content_body(&self, call: &ContentCall) -> Result<Bytes, EndpointError> {
        let memory = self.body_memory.get();
        let memory = memory.map_or_else(ResponseMemory::unbounded, ResponseMemory::of);
        let json = (call.endpoint)(&content::Request {
            memory: &memory,
            snapshot: call.snapshot,
            catalog: &call.snapshot.catalog,
            site_urls: &call.cache.site_urls,
            bodies: &call.cache.bodies,
            reader: call.reader.as_ref(),
            budget: call.budget,
            search: self.search(),
            list_limit_max: self.live().list_limit_max,
            parameters: call.query,
            // Endpoints of the Content API have at most one variable.
            variable: call.found.variables()?.first().map_or("", String::as_str),
            now: self.site.now(),
        })?;
        // Drops the spare capacity, which the cache does not count.
        Ok(Bytes::from(json.into_boxed_slice()))
    }
}

/// Returns the key under which the response to `request` is cached. Members with the same access share
/// a key. Their keys begin with a text with which no request begins.
pub(super) fn cache_key<'r>(reader: Option<&ReadingMember>, request: &'r str) -> Cow<'r, str> {
    match reader {
        None => request.into(),
        Some(reader) => format!("{} {request}", reader.access()).into(),
    }
}
