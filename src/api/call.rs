//! One request to the API: the checks in their order, the endpoint, and the complete response.

use std::{collections::HashSet, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};

use super::{
    Api, SnapshotCache,
    admin::{self, Reply, reply::ReplyBody},
    change_feed::FeedResponse,
    client_address, content_encoding, cors, error,
    headers::{self, CacheControl},
    inline::allow_all_origins,
    is_read, keys,
    params::{Query, decode},
    request::{Refusal, RequestHead},
    request_decoding,
    response::{Body, Headers, Response},
    response_cache::CachedResponse,
    router::{ApiPath, RouteMatch},
    routes::route::{Endpoint, Route},
    versions,
};
use crate::{
    body_memory::BodyMemory,
    domain::{
        actor::Actor, integration::IntegrationScope, permission::Permission,
        rate_limit::RateLimitKey,
    },
    error::{Error, Kind, Result},
    site::SiteSnapshot,
};

/// One request to the API, and the snapshot of the site that it is served from.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The body of the request.
    pub body: &'a Bytes,
    /// The path below the API's prefix.
    pub path: ApiPath<'a>,
    /// The site snapshot that the response is made from.
    pub snapshot: &'a SiteSnapshot,
    /// The cached responses of the same snapshot.
    pub cache: &'a SnapshotCache,
    /// Whether the response may be deferred until there is something new.
    pub may_wait: bool,
}

impl Call<'_> {
    fn error_cache_control(&self, error: &Error) -> CacheControl {
        // Error responses of the Admin API to anonymous clients are public (Ghost 6.65, recorded).
        let has_credentials = [header::AUTHORIZATION, header::COOKIE]
            .iter()
            .any(|credential| self.head.headers.contains_key(credential));
        if self.path.is_admin() && has_credentials {
            CacheControl::Private
        } else {
            error_cache_control(&self.head.method, error)
        }
    }
}

/// The result of an endpoint of the API.
enum EndpointResult {
    /// A response with a body.
    CachedResponse(Arc<CachedResponse>),
    /// A reply of the Admin API.
    Reply(Reply),
    /// A redirect to the URL with a trailing slash.
    Redirect(HeaderValue),
    /// A response that is complete already, is deferred, or is a stream.
    Complete(Response),
}

impl Api {
    /// Responds to a request to the API, with an error response if it fails.
    pub(super) fn serve_api(&self, call: &Call) -> Response {
        let preflight = if call.head.method == Method::OPTIONS {
            self.preflight(call)
        } else {
            None
        };
        let outcome = preflight.map_or_else(
            || self.decode_and_run(call),
            |it| Ok(EndpointResult::Complete(it)),
        );
        let mut response = match outcome {
            // Its headers were marked when it was made.
            Ok(EndpointResult::CachedResponse(response)) => {
                return content_encoding::response(&response, call.head.head_ref().fields);
            }
            Ok(EndpointResult::Reply(reply)) => return self.finish(call, reply),
            Ok(EndpointResult::Redirect(location)) => redirect(location),
            Ok(EndpointResult::Complete(response)) => response,
            Err(failure) => error::response(&failure, call.error_cache_control(&failure)),
        };
        self.mark(&mut response.headers, call);
        response
    }

    fn preflight(&self, call: &Call) -> Option<Response> {
        let origins = self.origins(&call.cache.site_urls);
        cors::preflight(call.head, &call.path, &self.router, &origins)
    }

    /// Adds the CORS fields, and the deprecation fields for old URLs.
    pub(super) fn mark(&self, headers: &mut Headers, call: &Call) {
        if call.path.is_for_all_origins() {
            allow_all_origins(headers);
        } else {
            cors::allow_trusted_origin(headers, call.head, &self.origins(&call.cache.site_urls));
        }
        if let Some(version) = call.path.deprecated_version() {
            let query = call.head.target.query().map(|query| format!("?{query}"));
            let address = format!(
                "{}/{}/api/{}{}",
                call.cache.site_urls.base(),
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

    /// Runs a call after decoding its body, which may be compressed.
    fn decode_and_run(&self, call: &Call) -> Result<EndpointResult> {
        if !call.path.is_admin() {
            return self.outcome(call);
        }
        let bytes_max = || {
            let of_staff = self.body_bytes_max(call.head);
            of_staff.unwrap_or(self.options.body_bytes_max)
        };
        let memory = self.body_memory.get();
        let is_change = !is_read(&call.head.method);
        if is_change && memory.is_some_and(|memory| memory.is_overdrawn()) {
            // The change could not be refused later, and its response takes memory, too.
            return Ok(self.busy());
        }
        // Released when the response is made: decoding and JSON values count as well.
        let mut held = memory.map(BodyMemory::hold);
        let body = match request_decoding::decoded(call.head, call.body, bytes_max, held.as_mut()) {
            Err(failure) if failure.kind() == Kind::Maintenance => return Ok(self.busy()),
            decoded => decoded?,
        };
        if let Some(held) = &mut held
            && admin::is_json(call.head)
            && held.take_for_work(body.len()).is_err()
        {
            return Ok(self.busy());
        }
        self.outcome(&Call {
            body: &body,
            ..*call
        })
    }

    fn busy(&self) -> EndpointResult {
        EndpointResult::Complete(self.refuse(Refusal::Busy))
    }

    fn outcome(&self, call: &Call) -> Result<EndpointResult> {
        let Some(found) = self.router.find(&call.head.method, call.path.path) else {
            check_body(call)?;
            let header = call
                .head
                .headers
                .get("accept-version")
                .and_then(|value| value.to_str().ok());
            let from_path = call.path.accept_version();
            let requested = from_path.as_deref().or(header);
            if let Some(version) = requested.filter(|version| versions::is_outdated(version)) {
                self.report_outdated(call, version);
            }
            return Err(versions::unknown_endpoint(requested));
        };
        let query = Query::parse(call.head.target.query().unwrap_or_default())?;
        let is_redirected = found.without_slash && is_read(&call.head.method);
        match &found.route.endpoint {
            Endpoint::Document => self.document.response(format!(
                "{}/{}/api",
                call.cache.site_urls.base(),
                self.options.path_prefix
            )),
            Endpoint::Content(endpoint) => {
                self.check_key(call, &query)?;
                if is_redirected {
                    return with_slash(call.head).map(EndpointResult::Redirect);
                }
                self.make_response(call, &found, &query, *endpoint, true)
            }
            Endpoint::ChangeFeed(endpoint) => {
                self.check_key(call, &query)?;
                if is_redirected {
                    return with_slash(call.head).map(EndpointResult::Redirect);
                }
                let is_cached = match self.feed_response(call, &query)? {
                    FeedResponse::Complete(response) => {
                        return Ok(EndpointResult::Complete(response));
                    }
                    FeedResponse::Cached => true,
                    FeedResponse::Uncached => false,
                };
                self.make_response(call, &found, &query, *endpoint, is_cached)
            }
            Endpoint::Open(_) | Endpoint::Unauthenticated(_) if is_redirected => {
                return with_slash(call.head).map(EndpointResult::Redirect);
            }
            Endpoint::Open(endpoint) => {
                // Endpoints open to all are requested too seldom to be cached.
                self.make_response(call, &found, &query, *endpoint, false)
            }
            Endpoint::Unauthenticated(endpoint) => {
                let request = self.admin_request(call, &found, &query, None)?;
                return endpoint(&request).map(|reply| declared(found.route, reply));
            }
            Endpoint::Admin(permission, endpoint) => {
                // Broken JSON is reported before anything else (Ghost 6.65, recorded).
                admin::json(call.head, call.body)?;
                let actor = admin::authenticate(self, call, is_redirected)?;
                permission.admit(&actor)?;
                refuse_change(call, &actor, permission)?;
                refuse_odd_spelling(call, &actor)?;
                if is_redirected {
                    return with_slash(call.head).map(EndpointResult::Redirect);
                }
                let request = self.admin_request(call, &found, &query, Some(actor))?;
                return endpoint(&request).map(|reply| declared(found.route, reply));
            }
        }
        .map(EndpointResult::CachedResponse)
    }

    fn admin_request<'a>(
        &'a self,
        call: &'a Call,
        found: &RouteMatch,
        parameters: &'a Query,
        actor: Option<Actor>,
    ) -> Result<admin::Request<'a>> {
        Ok(admin::Request {
            api: self,
            snapshot: call.snapshot,
            site_urls: &call.cache.site_urls,
            head: call.head,
            body: call.body,
            parameters,
            variables: found
                .variables()
                .iter()
                .map(|variable| decode(variable))
                .collect::<Result<_>>()?,
            actor,
            now: self.site.now(),
        })
    }

    /// Turns a reply of the Admin API into a response. Reads are compressed and get an entity tag,
    /// as other responses do.
    fn finish(&self, call: &Call, reply: Reply) -> Response {
        let is_json = matches!(reply.body, ReplyBody::Json(_));
        let in_memory = |body: Vec<u8>| {
            if body.is_empty() {
                Body::Empty
            } else {
                Body::Bytes(Bytes::from(body.into_boxed_slice()))
            }
        };
        let has_body = !matches!(reply.body, ReplyBody::Empty);
        let (kind, body) = match reply.body {
            ReplyBody::Empty => (None, Body::Empty),
            ReplyBody::Json(body) => (None, in_memory(body)),
            ReplyBody::Other(kind, body) => (Some(kind), in_memory(body)),
            ReplyBody::File(kind, file, length) => {
                let range = 0..length;
                (Some(kind), Body::File { file, range })
            }
            ReplyBody::Failure(failure) => {
                let mut response = error::response(&failure, CacheControl::Private);
                for (name, value) in reply.headers.iter() {
                    response.headers.append(name.clone(), value.clone());
                }
                self.mark(&mut response.headers, call);
                return response;
            }
        };
        let mut headers = if has_body {
            headers::of_json(CacheControl::Private)
        } else {
            headers::without_body(CacheControl::Private)
        };
        if let Some(kind) = kind {
            headers.set(header::CONTENT_TYPE, kind);
        }
        let mut named = HashSet::new();
        for (name, value) in reply.headers.iter() {
            // The fields of the reply replace the common fields.
            if named.insert(name) {
                headers.set(name.clone(), value.clone())
            } else {
                headers.append(name.clone(), value.clone())
            }
        }
        self.mark(&mut headers, call);
        match body {
            Body::Bytes(body)
                if is_json && reply.status == StatusCode::OK && is_read(&call.head.method) =>
            {
                headers.set(header::ETAG, headers::entity_tag(&body));
                content_encoding::response(
                    &CachedResponse::new(headers, body),
                    call.head.head_ref().fields,
                )
            }
            body => Response {
                status: reply.status,
                headers,
                body,
            },
        }
    }

    fn check_key(&self, call: &Call, query: &Query) -> Result<()> {
        let client = client_address(&call.head.head_ref());
        let now = self.site.now();
        keys::admit(&self.rate_limits, client, now)?;
        let checked = keys::check(&call.snapshot.catalog, query);
        if matches!(&checked, Err(error) if error.kind() == Kind::Unauthorized) {
            let client = RateLimitKey::client(client);
            self.rate_limits.wrong_keys.record(client, (), now);
        }
        checked
    }
}

/// Returns the reply. Tests fail if it succeeds with a status that the row of the endpoint does not
/// declare.
fn declared(route: &Route, reply: Reply) -> EndpointResult {
    debug_assert!(
        !reply.status.is_success() || route.statuses.contains(&reply.status.as_u16()),
        "{} {} responds with {}, which its row does not declare",
        route.method,
        route.path,
        reply.status
    );
    EndpointResult::Reply(reply)
}

/// Rejects an integration's request whose path has upper-case letters or whose method is HEAD: the
/// paths of integrations are a list that is compared exactly (Ghost 6.65, recorded).
fn refuse_odd_spelling(call: &Call, actor: &Actor) -> Result<()> {
    let is_odd = call.head.method == Method::HEAD
        || call
            .path
            .path
            .split('/')
            .take(2)
            .any(|part| part.bytes().any(|byte| byte.is_ascii_uppercase()));
    match actor {
        Actor::Integration { .. } if is_odd => Err(Error::new(
            Kind::NoPermission,
            "Integrations may not use this spelling of the path.",
        )),
        _ => Ok(()),
    }
}

/// Rejects changes with a key whose scope is "read".
fn refuse_change(call: &Call, actor: &Actor, permission: &Permission) -> Result<()> {
    match actor {
        Actor::Integration {
            scope: IntegrationScope::Read,
            ..
        } if !is_read(&call.head.method) => Err(permission
            .refusal()
            .context("The scope of the key is \"read\".")),
        _ => Ok(()),
    }
}

/// Rejects a body that is declared as JSON and is not JSON, whatever the path (Ghost 6.65,
/// recorded).
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
    let kind = if call.path.is_admin() {
        Kind::UnreadableBody
    } else {
        Kind::BadRequest
    };
    match serde_json::from_slice::<serde::de::IgnoredAny>(admin::unmarked(call.body)) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(Error::new(kind, "The body is not valid JSON.").context(format!("{error}.")))
        }
    }
}

/// Returns the caching rule of an error: only permanently missing resources may be cached as
/// missing (Ghost 6.65, recorded).
pub(super) fn error_cache_control(method: &Method, error: &Error) -> CacheControl {
    if error.kind() == Kind::NotFound && is_read(method) {
        CacheControl::Absent
    } else {
        CacheControl::Private
    }
}

/// Returns the `Location` with a slash at the end of the path: without the host, with the query as
/// sent.
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
