//! Makes responses of the Content API and caches them.
//!
//! A response is cached under the URL as sent and under the normalised request, so that an
//! equivalent request finds it.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, header};

use super::{
    Api, SnapshotCache,
    call::Call,
    change_feed,
    content::{self, Budget, EndpointError, response_memory::ResponseMemory},
    headers::{self, CacheControl},
    keys,
    params::{Query, decode},
    response::Headers,
    response_cache::CachedResponse,
    router::{ApiPath, RouteMatch},
    routes::route::{Endpoint, Execution},
};
use crate::{error::Result, site::SiteSnapshot};

/// Longest target of a request that is served inline, in bytes: the cost of a filter grows with its
/// length.
const INLINE_TARGET_BYTES_MAX: usize = 1024;

impl Api {
    /// Makes a response and caches it, or finds the cached one of an equivalent request.
    pub(super) fn make_response(
        &self,
        call: &Call,
        found: &RouteMatch,
        query: &Query,
        endpoint: content::ContentHandler,
        is_cacheable: bool,
    ) -> Result<Arc<CachedResponse>> {
        let responses = &call.cache.responses;
        // A relative date makes the response depend on the time.
        let is_cached = is_cacheable && !query.has_relative_time();
        let normalised = query.normalised(call.path.path);
        let is_current_path = call.path.deprecated_version().is_none();
        let body = match responses.get(&normalised).filter(|_| is_cached) {
            Some(response) if is_current_path => {
                responses.put(call.head.target.as_str(), &response);
                return Ok(response);
            }
            Some(response) => response.plain.body.clone(),
            None => {
                let state = (call.snapshot, call.cache);
                self.make_body(state, found, query, endpoint, Budget::Unlimited)?
            }
        };
        let mut headers = headers_of(call.path.is_content(), found, &body);
        self.mark(&mut headers, call);
        let response = Arc::new(CachedResponse::new(headers, body));
        if is_cached {
            responses.put(call.head.target.as_str(), &response);
            if is_current_path {
                responses.put(&normalised, &response);
            }
        }
        Ok(response)
    }

    /// Makes the response to a GET of `target` inline and caches it, if it needs memory only and
    /// stays within the inline budget. Returns `None` for every irregular request, which the worker
    /// handles.
    pub(super) fn make_inline(
        &self,
        target: &str,
        snapshot: &SiteSnapshot,
        cache: &SnapshotCache,
    ) -> Option<Arc<CachedResponse>> {
        if target.len() > INLINE_TARGET_BYTES_MAX {
            return None;
        }
        let (path, raw_query) = target.split_once('?').unwrap_or((target, ""));
        let path = cache.site_urls.path_on_site(path);
        let path = ApiPath::new(self.api_path(path.strip_prefix('/')?)?);
        if !path.is_content() || path.version().is_some() {
            return None;
        }
        let found = self.router.find(&Method::GET, path.path)?;
        let (Endpoint::Content(endpoint), Execution::Inline) =
            (found.route.endpoint, found.route.execution)
        else {
            return None;
        };
        let query = Query::parse(raw_query).ok()?;
        let is_key_valid = keys::check(&snapshot.catalog, &query).is_ok();
        if !is_key_valid || found.without_slash || query.has_relative_time() {
            return None;
        }
        let normalised = query.normalised(path.path);
        let responses = &cache.responses;
        if let Some(response) = responses.get(&normalised) {
            responses.put(target, &response);
            return Some(response);
        }
        let state = (snapshot, cache);
        let body = self.make_body(state, &found, &query, endpoint, Budget::Inline);
        let body = body.ok()?;
        let mut headers = headers_of(true, &found, &body);
        allow_all_origins(&mut headers);
        let response = Arc::new(CachedResponse::new(headers, body));
        responses.put(target, &response);
        responses.put(&normalised, &response);
        Some(response)
    }

    fn make_body(
        &self,
        (snapshot, cache): (&SiteSnapshot, &SnapshotCache),
        found: &RouteMatch,
        query: &Query,
        endpoint: content::ContentHandler,
        budget: Budget,
    ) -> Result<Bytes, EndpointError> {
        let memory = self
            .body_memory
            .get()
            .map_or_else(ResponseMemory::unbounded, ResponseMemory::of);
        let json = endpoint(&content::Request {
            memory: &memory,
            snapshot,
            catalog: &snapshot.catalog,
            site_urls: &cache.site_urls,
            bodies: &cache.bodies,
            budget,
            parameters: query,
            variable: &decode(found.variables().first().copied().unwrap_or_default())?,
            now: self.site.now(),
        })?;
        // Drops the spare capacity, which the cache does not count.
        Ok(Bytes::from(json.into_boxed_slice()))
    }
}

/// Returns the header fields of a response with this body, without those that depend on the client.
fn headers_of(is_content: bool, found: &RouteMatch, body: &[u8]) -> Headers {
    let mut headers = headers::of_json(if is_content {
        CacheControl::Public
    } else {
        CacheControl::Private
    });
    if matches!(found.route.endpoint, Endpoint::ChangeFeed(_)) {
        headers.set(header::VARY, change_feed::VARY.clone());
    }
    headers.set(header::ETAG, headers::entity_tag(body));
    headers
}

/// Lets pages of all sites read the response.
pub(super) fn allow_all_origins(headers: &mut Headers) {
    let all = HeaderValue::from_static("*");
    headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
}
