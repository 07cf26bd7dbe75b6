//! Making answers of the Content API, and keeping them.
//!
//! An answer is kept under the address as it was written and under the request as it was understood, so that the same
//! request in other words finds it.

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

/// Longest target of a request that is answered at once, in bytes: what a filter asks takes the longer the longer it is.
const LITTLE_TARGET_BYTES_MAX: usize = 1024;

impl Api {
    /// Makes an answer and keeps it, or finds one that was made for the same request in other words.
    pub(super) fn make_answer(
        &self,
        call: &Call,
        found: &Found,
        query: &Query,
        endpoint: content::Endpoint,
        is_asked_often: bool,
    ) -> Result<Arc<Answer>> {
        let cache = &call.answers.cache;
        // A relative date makes the answer depend on the time.
        let is_kept = is_asked_often && !query.is_about_now();
        let normalised = query.normalised(call.path.path);
        let is_current_path = call.path.deprecated_version().is_none();
        let body = match cache.get(&normalised).filter(|_| is_kept) {
            Some(answer) if is_current_path => {
                cache.put(call.head.target.as_str(), &answer);
                return Ok(answer);
            }
            Some(answer) => answer.plain.body.clone(),
            None => {
                let asked = (call.edition, call.answers);
                self.make_body(asked, found, query, endpoint, Effort::Any)?
            }
        };
        let mut headers = headers_of(call.path.is_content(), found, &body);
        self.mark(&mut headers, call);
        let answer = Arc::new(Answer::new(headers, body));
        if is_kept {
            cache.put(call.head.target.as_str(), &answer);
            if is_current_path {
                cache.put(&normalised, &answer);
            }
        }
        Ok(answer)
    }

    /// Makes the answer to a GET of `target` at once and keeps it, if it needs nothing but memory and takes but a moment. Whatever is
    /// odd about a request is left to those who answer it at length.
    pub(super) fn make_at_once(
        &self,
        target: &str,
        edition: &Edition,
        answers: &Answers,
    ) -> Option<Arc<Answer>> {
        if target.len() > LITTLE_TARGET_BYTES_MAX {
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
        let is_good = keys::check(&edition.catalog, &query).is_ok();
        if !is_good || found.without_slash || query.is_about_now() {
            return None;
        }
        let normalised = query.normalised(path.path);
        let cache = &answers.cache;
        if let Some(answer) = cache.get(&normalised) {
            cache.put(target, &answer);
            return Some(answer);
        }
        let asked = (edition, answers);
        let body = self.make_body(asked, &found, &query, endpoint, Effort::Little);
        let body = body.ok()?;
        let mut headers = headers_of(true, &found, &body);
        allow_all_origins(&mut headers);
        let answer = Arc::new(Answer::new(headers, body));
        cache.put(target, &answer);
        cache.put(&normalised, &answer);
        Some(answer)
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
        // Without the room to grow that it has, which the cache does not count.
        Ok(Bytes::from(json.into_boxed_slice()))
    }
}

/// The header fields of an answer with this body, but for those that depend on who asks.
fn headers_of(is_content: bool, found: &Found, body: &[u8]) -> Headers {
    let mut headers = headers::of_json(match is_content {
        true => CacheControl::Public,
        false => CacheControl::Private,
    });
    if matches!(found.route.endpoint, Endpoint::Feed(_)) {
        headers.set(header::VARY, feed::VARY.clone());
    }
    headers.set(header::ETAG, headers::entity_tag(body));
    headers
}

/// Tells browsers that pages of every site may read the answer.
pub(super) fn allow_all_origins(headers: &mut Headers) {
    let all = HeaderValue::from_static("*");
    headers.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
}
