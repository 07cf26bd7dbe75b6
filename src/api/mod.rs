//! What clients see: plain functions from a complete request to a response.
//!
//! No hyper, no waiting. A request comes in by [`Api::answer_from_memory`], which only looks a finished answer up, and if
//! there is none by [`Api::answer`]. The order of checks is the reference's: endpoint, key, slash at the end, shape of the
//! parameters, filter, record (Ghost 6.65, recorded).

pub mod addresses;
pub mod admin;
pub mod answers;
pub mod content;
mod cors;
pub mod error;
pub mod files;
pub mod headers;
mod json;
mod keys;
mod packing;
pub mod params;
pub mod request;
pub mod response;
mod router;
mod routes;
mod versions;

use std::{net::IpAddr, sync::Arc};

use arc_swap::{ArcSwap, Guard as Loaded};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use sha2::{Digest, Sha256};

use self::{
    addresses::Addresses,
    answers::{Answer, AnswerCache},
    files::FileRoots,
    headers::CacheControl,
    params::{Query, decode},
    request::{Refusal, Request, RequestHead},
    response::{Body, Headers, Response},
    router::{Access, ApiPath, Found},
    routes::ROUTES,
};
use crate::{
    error::{Error, Kind, Result},
    site::{Edition, Site},
};

/// What an API is told about its surroundings.
pub struct Options {
    /// Where the site is for its readers, when the operator says so; else the site's own setting decides.
    pub addresses: Option<Addresses>,
    /// Where the site is when nobody says so.
    pub listen_addresses: Addresses,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// Where images and other files are.
    pub files: FileRoots,
    /// Bytes of memory for finished answers.
    pub answer_bytes_max: usize,
}

/// The API of one site.
pub struct Api {
    site: Arc<Site>,
    options: Options,
    guard: keys::Guard,
    current: ArcSwap<Answers>,
}

/// Finished answers of one edition of the site, and where the site is in them.
struct Answers {
    revision: u64,
    addresses: Addresses,
    cache: AnswerCache,
}

/// One request to the API, and the edition of the site that answers it.
struct Call<'a> {
    head: &'a RequestHead,
    body: &'a Bytes,
    path: ApiPath<'a>,
    edition: &'a Edition,
    answers: &'a Answers,
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
    /// The API of `site`.
    pub fn new(site: Arc<Site>, options: Options) -> Self {
        let answers = Answers::of(&site.current(), &options);
        Self {
            site,
            options,
            guard: keys::Guard::default(),
            current: ArcSwap::from_pointee(answers),
        }
    }

    /// Where the site is for its readers now.
    pub fn addresses(&self) -> Addresses {
        self.answers(&self.site.current()).addresses.clone()
    }

    /// The answer to `request`, if it is finished and in memory. Takes microseconds and never waits.
    pub fn answer_from_memory(&self, head: &RequestHead) -> Option<Response> {
        if !is_read(&head.method) {
            return None;
        }
        let edition = self.site.current();
        let answer = self.answers(&edition).cache.get(head.target.as_str())?;
        let client = client_address(head);
        self.guard.admit(client, self.site.now()).ok()?;
        let response = packing::ready_response(&answer, &head.headers)?;
        // Only requests with a good key have answers that are kept.
        self.guard.note_good_key(client);
        Some(response)
    }

    /// The answer to `request`. May read the store and files.
    pub fn answer(&self, request: &Request) -> Response {
        let head = &request.head;
        let edition = self.site.current();
        let answers = self.answers(&edition);
        let path = answers.addresses.path_on_site(head.target.path());
        if let Some(path) = path.strip_prefix('/').and_then(|path| self.api_path(path)) {
            return self.answer_api(&Call {
                head,
                body: &request.body,
                path: ApiPath::new(path),
                edition: &edition,
                answers: &answers,
            });
        }
        match path.strip_prefix("/content/") {
            Some(path) if is_read(&head.method) => self
                .options
                .files
                .answer(path, answers.addresses.subdirectory()),
            _ if path == "/healthz" && is_read(&head.method) => healthy(),
            _ => {
                let error = Error::new(Kind::NotFound, "There is nothing at this address.")
                    .help("The Content API is below /ghost/api/content/.");
                error::response(&error, errors_cache_control(&head.method, &error))
            }
        }
    }

    /// The answer to a request that the edge refuses.
    pub fn refuse(&self, refusal: Refusal) -> Response {
        let kind = match refusal {
            Refusal::Malformed
            | Refusal::BodyTooSlow(_)
            | Refusal::TargetTooLong(_)
            | Refusal::HeadersTooLarge => Kind::UnreadableRequest,
            Refusal::BodyTooLarge(_) => Kind::RequestEntityTooLarge,
            Refusal::Panicked => Kind::Internal,
            Refusal::Busy => Kind::Maintenance,
        };
        let error = Error::new(kind, refusal.to_string());
        error::response_with_status(&error, refusal.status(), CacheControl::Private)
    }

    /// What stands behind `ghost/api/`.
    fn api_path<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(self.options.path_prefix.as_str())?
            .strip_prefix("/api/")
    }

    fn answer_api(&self, call: &Call) -> Response {
        let mut response = if call.head.method == Method::OPTIONS {
            cors::preflight(call.head, call.path.is_content(), &call.answers.addresses)
        } else {
            match self.outcome(call) {
                Ok(Outcome::Answer(answer)) => packing::response(&answer, &call.head.headers),
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
            None => Bytes::from((found.route.endpoint)(&content::Request {
                edition: call.edition,
                catalog: &call.edition.catalog,
                addresses: &call.answers.addresses,
                parameters: query,
                variable: &decode(found.variable)?,
                now: self.site.now(),
            })?),
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
        let mut headers: Headers = [
            (
                headers::CONTENT_VERSION.clone(),
                headers::API_VERSION.clone(),
            ),
            (header::VARY, headers::VARY_WITH_BODY.clone()),
            (header::CACHE_CONTROL, cache_control.value()),
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static(headers::JSON),
            ),
        ]
        .into_iter()
        .collect();
        if let Ok(tag) = HeaderValue::from_str(&entity_tag(&body)) {
            headers.set(header::ETAG, tag);
        }
        self.mark(&mut headers, call);
        Answer::new(headers, body)
    }

    /// The answers of `edition`; new ones, if the site has changed since the last request.
    fn answers(&self, edition: &Edition) -> Loaded<Arc<Answers>> {
        let current = self.current.load();
        if current.revision == edition.catalog.revision {
            return current;
        }
        let fresh = Arc::new(Answers::of(edition, &self.options));
        if current.revision < fresh.revision {
            self.current.compare_and_swap(&current, Arc::clone(&fresh));
        }
        match self.current.load() {
            current if current.revision == fresh.revision => current,
            // Another request saw a newer edition: this one's answers are for nobody else.
            _ => Loaded::from_inner(fresh),
        }
    }
}

impl Answers {
    fn of(edition: &Edition, options: &Options) -> Self {
        let own = || Addresses::new(&edition.catalog.settings.text("url")?).ok();
        let addresses = options.addresses.clone().or_else(own);
        Self {
            revision: edition.catalog.revision,
            addresses: addresses.unwrap_or_else(|| options.listen_addresses.clone()),
            cache: AnswerCache::new(options.answer_bytes_max),
        }
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
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

/// Who is asking: the other end of the connection or, when that is a proxy on this machine, whom the proxy names.
fn client_address(head: &RequestHead) -> IpAddr {
    let named_by_proxy = |headers: &HeaderMap| -> Option<IpAddr> {
        let hops = headers
            .get_all("x-forwarded-for")
            .iter()
            .next_back()?
            .to_str()
            .ok()?;
        hops.rsplit(',').next()?.trim().parse().ok()
    };
    match head.peer.to_canonical().is_loopback() {
        true => named_by_proxy(&head.headers).unwrap_or(head.peer),
        false => head.peer,
    }
}

/// What is missing for good may be remembered as missing; nothing else may (Ghost 6.65, recorded).
fn errors_cache_control(method: &Method, error: &Error) -> CacheControl {
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

/// The weak tag of a body: its length and the start of its hash.
fn entity_tag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let start: String = digest
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("W/\"{:x}-{start}\"", body.len())
}

fn healthy() -> Response {
    Response {
        status: StatusCode::OK,
        headers: [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("text/plain; charset=utf-8"),
            ),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ]
        .into_iter()
        .collect(),
        body: Body::Bytes(Bytes::from_static(b"ok\n")),
    }
}
