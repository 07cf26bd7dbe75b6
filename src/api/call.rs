//! One request to the API: the checks in their order, the endpoint, and the finished answer.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use twox_hash::XxHash3_128;

use super::{
    Answers, Api,
    answers::Answer,
    client_address, content, cors, error,
    headers::{self, CacheControl},
    is_read, keys, packing,
    params::{Query, decode},
    request::RequestHead,
    response::{Body, Headers, Response},
    router::{self, Access, ApiPath, Found},
    routes::ROUTES,
    versions,
};
use crate::{
    error::{Error, Kind, Result},
    site::Edition,
};

/// One request to the API, and the edition of the site that answers it.
pub(super) struct Call<'a> {
    /// What was asked, but for the body.
    pub head: &'a RequestHead,
    /// The body that came with it.
    pub body: &'a Bytes,
    /// Its path below the API's prefix.
    pub path: ApiPath<'a>,
    /// The site as it is for this answer.
    pub edition: &'a Edition,
    /// Answers of the same edition.
    pub answers: &'a Answers,
}

impl Call<'_> {
    fn errors_cache_control(&self, error: &Error) -> CacheControl {
        match self.path.is_admin() {
            true => CacheControl::Private,
            false => errors_cache_control(&self.head.method, error),
        }
    }
}

/// What an endpoint of the API came to.
enum Outcome {
    /// An answer with a body.
    Answer(Arc<Answer>),
    /// The address lacks its last slash.
    Redirect(HeaderValue),
}

impl Api {
    /// Answers a request to the API, whatever becomes of it.
    pub(super) fn answer_api(&self, call: &Call) -> Response {
        let mut response = if call.head.method == Method::OPTIONS {
            cors::preflight(call.head, call.path.is_content(), &call.answers.addresses)
        } else {
            match self.outcome(call) {
                // Marked when it was made.
                Ok(Outcome::Answer(answer)) => {
                    return packing::response(&answer, &call.head.headers);
                }
                Ok(Outcome::Redirect(location)) => redirect(location),
                Err(failure) => error::response(&failure, call.errors_cache_control(&failure)),
            }
        };
        self.mark(&mut response.headers, call);
        response
    }

    /// Adds what tells browsers who may read the answer, and users of old addresses that they are old.
    fn mark(&self, headers: &mut Headers, call: &Call) {
        if call.path.is_content() {
            headers.set(
                header::ACCESS_CONTROL_ALLOW_ORIGIN,
                HeaderValue::from_static("*"),
            );
        } else {
            cors::allow_own_origin(headers, call.head, &call.answers.addresses);
        }
        if let Some(version) = call.path.deprecated_version() {
            let query = call.head.target.query().map(|query| format!("?{query}"));
            let address = format!(
                "{}/{}/api/{}{}",
                call.answers.addresses.base(),
                self.options.path_prefix,
                call.path.path,
                query.unwrap_or_default()
            );
            let link = HeaderValue::from_str(&format!("<{address}>; rel=\"latest-version\""));
            if let (Ok(version), Ok(link)) = (
                HeaderValue::from_str(&format!("version=\"{version}\"")),
                link,
            ) {
                headers.set(headers::DEPRECATION.clone(), version);
                headers.set(header::LINK, link);
            }
        }
    }

    fn outcome(&self, call: &Call) -> Result<Outcome> {
        let route = router::find(ROUTES, call.path.path).filter(|_| is_read(&call.head.method));
        let Some(found) = route else {
            check_body(call)?;
            let header = call
                .head
                .headers
                .get("accept-version")
                .and_then(|value| value.to_str().ok());
            let from_path = call.path.accept_version();
            return Err(versions::unknown_endpoint(from_path.as_deref().or(header)));
        };
        let query = Query::parse(call.head.target.query().unwrap_or_default())?;
        if found.route.access == Access::ContentKey {
            self.check_key(call, &query)?;
        }
        if found.without_slash {
            return with_slash(call.head).map(Outcome::Redirect);
        }
        self.make_answer(call, &found, &query).map(Outcome::Answer)
    }

    fn check_key(&self, call: &Call, query: &Query) -> Result<()> {
        let client = client_address(call.head);
        let now = self.site.now();
        self.guard.admit(client, now)?;
        let checked = keys::check(&call.edition.catalog, query);
        match &checked {
            Ok(()) => self.guard.note_good_key(client),
            Err(error) if error.kind() == Kind::Unauthorized => {
                self.guard.note_wrong_key(client, now)
            }
            Err(_) => {}
        }
        checked
    }

    /// Makes an answer and keeps it, or finds one that was made for the same request in other words.
    fn make_answer(&self, call: &Call, found: &Found, query: &Query) -> Result<Arc<Answer>> {
        let cache = &call.answers.cache;
        // A relative date makes the answer depend on the time, and what is open to all is asked for too seldom.
        let is_kept = found.route.access == Access::ContentKey && !query.is_about_now();
        let normalised = query.normalised(call.path.path);
        let is_current_path = call.path.deprecated_version().is_none();
        let body = match cache.get(&normalised).filter(|_| is_kept) {
            Some(answer) if is_current_path => {
                cache.put(call.head.target.as_str(), &answer);
                return Ok(answer);
            }
            Some(answer) => answer.body.clone(),
            None => {
                let json = (found.route.endpoint)(&content::Request {
                    edition: call.edition,
                    catalog: &call.edition.catalog,
                    addresses: &call.answers.addresses,
                    parameters: query,
                    variable: &decode(found.variable)?,
                    now: self.site.now(),
                })?;
                // Without the room to grow that it has, which the cache does not count.
                Bytes::from(json.into_boxed_slice())
            }
        };
        let answer = Arc::new(self.finish(call, body));
        if is_kept {
            cache.put(call.head.target.as_str(), &answer);
            if is_current_path {
                cache.put(&normalised, &answer);
            }
        }
        Ok(answer)
    }

    fn finish(&self, call: &Call, body: Bytes) -> Answer {
        let cache_control = match call.path.is_content() {
            true => CacheControl::Public,
            false => CacheControl::Private,
        };
        let mut headers = headers::of_json(cache_control);
        if let Ok(tag) = HeaderValue::from_str(&entity_tag(&body)) {
            headers.set(header::ETAG, tag);
        }
        self.mark(&mut headers, call);
        Answer::new(headers, body)
    }
}

/// A body that says it is JSON must be JSON, whatever it is sent to (Ghost 6.65, recorded).
fn check_body(call: &Call) -> Result<()> {
    let declared = call
        .head
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let is_json = declared.is_some_and(|kind| kind.trim_start().starts_with("application/json"));
    if !is_json || call.body.is_empty() {
        return Ok(());
    }
    match serde_json::from_slice::<serde::de::IgnoredAny>(call.body) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(Error::new(Kind::BadRequest, "The body is not JSON.").context(format!("{error}.")))
        }
    }
}

/// What is missing for good may be remembered as missing; nothing else may (Ghost 6.65, recorded).
pub(super) fn errors_cache_control(method: &Method, error: &Error) -> CacheControl {
    match error.kind() == Kind::NotFound && is_read(method) {
        true => CacheControl::Absent,
        false => CacheControl::Private,
    }
}

/// The address with a slash at the end of its path: without the host, the query as it was sent.
fn with_slash(head: &RequestHead) -> Result<HeaderValue> {
    let path = head.target.path();
    let location = match head.target.query() {
        Some(query) => format!("{path}/?{query}"),
        None => format!("{path}/"),
    };
    HeaderValue::from_str(&location).map_err(Error::internal)
}

fn redirect(location: HeaderValue) -> Response {
    Response {
        status: StatusCode::MOVED_PERMANENTLY,
        headers: [
            (
                headers::CONTENT_VERSION.clone(),
                headers::API_VERSION.clone(),
            ),
            (header::VARY, headers::VARY_WITHOUT_BODY.clone()),
            (header::CACHE_CONTROL, CacheControl::Year.value()),
            (header::LOCATION, location),
        ]
        .into_iter()
        .collect(),
        body: Body::Empty,
    }
}

/// The weak tag of a body: its length and a hash that is made for speed, since nobody gains by two bodies with one tag.
fn entity_tag(body: &[u8]) -> String {
    format!("W/\"{:x}-{:032x}\"", body.len(), XxHash3_128::oneshot(body))
}
