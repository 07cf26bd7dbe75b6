//! Makes responses of the Content API and caches them.
//!
//! A response is cached under the URL as sent and under the normalised request, so that an
//! equivalent request finds it.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, header};

use super::{
    Answers, Api,
    answers::Answer,
    call::Call,
    content::{self, Effort, Unanswered, response_memory::ResponseMemory},
    feed,
    headers::{self, CacheControl},
    keys,
    params::{Query, decode},
    response::Headers,
    router::{self, ApiPath, Endpoint, Found},
    routes::ROUTES,
};
use crate::{error::Result, site::Edition};

/// Longest target of a request that is served inline, in bytes: the cost of a filter grows with its
/// length.
const INLINE_TARGET_BYTES_MAX: usize = 1024;

impl Api {
    /// Makes a response and caches it, or finds the cached one of an equivalent request.
    pub(super) fn make_answer(
        &self,
        call: &Call,
        found: &Found,
        query: &Query,
        endpoint: content::Endpoint,
        is_cacheable: bool,
    ) -> Result<Arc<Answer>> {
        let cache = &call.answers.cache;
        // A relative date makes the response depend on the time.
        let is_cached = is_cacheable && !query.is_about_now();
        let normalised = query.normalised(call.path.path);
        let is_current_path = call.path.deprecated_version().is_none();
        let body = match cache.get(&normalised).filter(|_| is_cached) {
            Some(response) if is_current_path => {
                cache.put(call.head.target.as_str(), &response);
                return Ok(response);
            }
            Some(response) => response.plain.body.clone(),
            None => {
                let state = (call.edition, call.answers);
                self.make_body(state, found, query, endpoint, Effort::Any)?
            }
        };
        let mut headers = headers_of(call.path.is_content(), found, &body);
        self.mark(&mut headers, call);
        let response = Arc::new(Answer::new(headers, body));
        if is_cached {
            cache.put(call.head.target.as_str(), &response);
            if is_current_path {
                cache.put(&normalised, &response);
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
        edition: &Edition,
        answers: &Answers,
    ) -> Option<Arc<Answer>> {
        if target.len() > INLINE_TARGET_BYTES_MAX {
            return None;
        }
        let (path, raw_query) = target.split_once('?').unwrap_or((target, ""));
        let path = answers.addresses.path_on_site(path);
        let path = ApiPath::new(self.api_path(path.strip_prefix('/')?)?);
        if !path.is_content() || path.version().is_some() {
            return None;
        }
        let found = router::find(ROUTES, &Method::GET, path.path)?;
        let Endpoint::Content(endpoint) = found.route.endpoint else {
            return None;
        };
        let query = Query::parse(raw_query).ok()?;
        let is_key_valid = keys::check(&edition.catalog, &query).is_ok();
        if !is_key_valid || found.without_slash || query.is_about_now() {
            return None;
        }
        let normalised = query.normalised(path.path);
        let cache = &answers.cache;
        if let Some(response) = cache.get(&normalised) {
            cache.put(target, &response);
            return Some(response);
        }
        let state = (edition, answers);
        let body = self.make_body(state, &found, &query, endpoint, Effort::Little);
        let body = body.ok()?;
        let mut headers = headers_of(true, &found, &body);
        allow_all_origins(&mut headers);
        let response = Arc::new(Answer::new(headers, body));
        cache.put(target, &response);
        cache.put(&normalised, &response);
        Some(response)
    }

    fn make_body(
        &self,
        (edition, answers): (&Edition, &Answers),
        found: &Found,
        query: &Query,
        endpoint: content::Endpoint,
        effort: Effort,
    ) -> Result<Bytes, Unanswered> {
        let memory = self
            .body_memory
            .get()
            .map_or_else(ResponseMemory::unbounded, ResponseMemory::of);
        let json = endpoint(&content::Request {
            memory: &memory,
            edition,
            catalog: &edition.catalog,
            addresses: &answers.addresses,
            bodies: &answers.bodies,
            effort,
            parameters: query,
            variable: &decode(found.variables.first().copied().unwrap_or_default())?,
            now: self.site.now(),
        })?;
        // Drops the spare capacity, which the cache does not count.
        Ok(Bytes::from(json.into_boxed_slice()))
    }
}

/// Returns the header fields of a response with this body, without those that depend on the client.
fn headers_of(is_content: bool, found: &Found, body: &[u8]) -> Headers {
    let mut headers = headers::of_json(if is_content {
        CacheControl::Public
    } else {
        CacheControl::Private
    });
    if matches!(found.route.endpoint, Endpoint::Feed(_)) {
        headers.set(header::VARY, feed::VARY.clone());
    }
    headers.set(header::ETAG, headers::entity_tag(body));
    headers
}

/// Lets pages of all sites read the response.
pub(super) fn allow_all_origins(headers: &mut Headers) {
    let all = HeaderValue::from_static("*");
    headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
}
