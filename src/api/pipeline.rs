//! The order in which a request to the API is handled, on the thread that read it and on a worker:
//! route, body, query, permissions, redirect, cache, endpoint, header fields, content encoding.

use std::{collections::HashSet, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};

use super::{
    Api, SnapshotCache,
    admin::{self, Reply, reply::ReplyBody},
    call::Call,
    change_feed::FeedResponse,
    client_address::client_address,
    content::{self, Budget},
    content_encoding,
    content_response::ContentCall,
    cors,
    entity_tag::entity_tag,
    error,
    headers::{self, CacheControl},
    ignored_fields::{IGNORED_FIELDS, SentFields, header_value, record_of},
    keys, members, multipart, openapi,
    params::QueryParameters,
    prepared::{ApiRequest, FoundRoute},
    request::{HeadRef, RequestRefusal, is_read},
    request_decoding::{self, JsonOnce},
    response::{Body, Headers, Response},
    response_cache::CachedResponse,
    routes::{
        self,
        route::{BodyLimit, Endpoint, Route},
    },
    versions,
};
use crate::{
    admin::ignored_fields,
    body_memory::BodyMemory,
    domain::{
        actor::Actor, permission::Permission, rate_limit::RateLimitKey,
        reading_member::ReadingMember,
    },
    error::{Error, Kind, Result},
    repository::PUSH_BYTES_MAX,
};

/// Longest JSON body from clients of the Admin API, in bytes (Ghost 6.65, recorded).
const JSON_BYTES_MAX: u64 = 50 << 20;

/// The result of an endpoint of the API.
enum EndpointResult {
    /// A response with a body.
    CachedResponse(Arc<CachedResponse>),
    /// A reply of the Admin API.
    Reply(Reply),
    /// A response that is already complete, or is deferred or a stream.
    Complete(Response),
}

impl Api {
    /// Responds to a request to the API, with an error response if it fails.
    pub(super) fn serve_api(&self, call: &Call) -> Response {
        let outcome = match self.preflight(call) {
            Some(response) => Ok(EndpointResult::Complete(response)),
            None => self.decode_and_run(call),
        };
        let mut response = match outcome {
            // The CORS and deprecation fields were added before the response was cached.
            Ok(EndpointResult::CachedResponse(response)) => {
                let fields = call.head.head_ref().fields;
                let mut response = content_encoding::response(&response, fields);
                // These fields depend on the page that sends the request, so they are not in the
                // cache.
                self.mark_for_reader(&mut response.headers, call);
                return response;
            }
            Ok(EndpointResult::Reply(reply)) => return self.finish(call, reply),
            Ok(EndpointResult::Complete(response)) => response,
            Err(failure) => error::response(&failure, call.error_cache_control(&failure)),
        };
        self.mark(&mut response.headers, call);
        self.mark_for_reader(&mut response.headers, call);
        response
    }

    /// Adds the CORS fields for pages that send requests as a member.
    fn mark_for_reader(&self, headers: &mut Headers, call: &Call) {
        if call.path().is_content() {
            members::mark_content(self, call.head, headers);
        }
    }

    /// Returns the member who reads or searches posts or pages; `None` for other endpoints and for
    /// anonymous readers.
    fn reader(&self, call: &Call) -> Option<ReadingMember> {
        let path = call.path().path;
        // Other endpoints respond to members as to anonymous readers and share their cached
        // responses.
        let is_gated = ["content/posts/", "content/pages/", "content/search/"]
            .iter()
            .any(|gated| path.starts_with(gated));
        let head = call.head.head_ref();
        if !is_gated || !members::has_credentials(self, head.fields) {
            return None;
        }
        let member = members::reader(self, call.snapshot, call.cache, &head)?;
        Some(ReadingMember::new(member, self.site.now()))
    }

    fn preflight(&self, call: &Call) -> Option<Response> {
        if call.head.method != Method::OPTIONS {
            return None;
        }
        let origins = self.origins(&call.cache.site_urls);
        cors::preflight(call.head, &call.path(), routes::router(), &origins)
    }

    /// Adds the CORS fields, and the deprecation fields for old URLs.
    fn mark(&self, headers: &mut Headers, call: &Call) {
        self.mark_for(headers, &call.head.head_ref(), call.request, call.cache);
    }

    pub(super) fn mark_for(
        &self,
        headers: &mut Headers,
        head: &HeadRef,
        request: &ApiRequest,
        cache: &SnapshotCache,
    ) {
        let path = request.path();
        if path.is_for_all_origins() {
            cors::allow_all_origins(headers);
        } else {
            cors::allow_trusted_origin(headers, head.fields, &self.origins(&cache.site_urls));
        }
        // A query with bytes that are invalid in a header field gets neither of the two fields.
        if let Some(version) = path.deprecated_version() {
            let address = format!(
                "{}/{}/api/{}{}",
                cache.site_urls.base(),
                self.options.path_prefix,
                path.path,
                request.raw_query()
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
        if !call.path().is_admin() {
            return self.run(call);
        }
        let bytes_max = || {
            // Called only for a compressed body. The limit for an uncompressed body was already applied
            // while it was read.
            let of_staff = self.body_limit(call.request, call.sender());
            of_staff.unwrap_or(self.live().body_bytes_max)
        };
        let memory = self.body_memory.get();
        let is_change = !is_read(&call.head.method);
        if is_change && memory.is_some_and(|memory| memory.is_overdrawn()) {
            // Once the change is made, it cannot be refused any more, but its response also needs memory.
            return Err(RequestRefusal::Busy.into());
        }
        // Held until the response is built, to account for decoding and for JSON values.
        let mut held = memory.map(BodyMemory::hold);
        let body = request_decoding::decoded(call.head, call.body, bytes_max, held.as_mut())?;
        if let Some(held) = &mut held
            && request_decoding::is_json(call.head)
        {
            held.take_for_work(body.len())
                .map_err(RequestRefusal::from)?;
        }
        self.run(&Call {
            body: &body,
            ..*call
        })
    }

    /// Returns the longest body from a sender, in bytes; `None` for the limit of anonymous clients.
    pub(super) fn body_limit(&self, request: &ApiRequest, sender: admin::Sender) -> Option<u64> {
        let limit = match &request.found {
            Some(found) => found.route.body_limit,
            // The body of a request to an unknown endpoint is also read before the error response.
            None if request.path().is_admin() => BodyLimit::Json,
            None => BodyLimit::Anonymous,
        };
        // The sender is verified by a signature of the whole body, so the body must be read first.
        if limit == BodyLimit::Push && self.accepts_push_webhooks() {
            return Some(PUSH_BYTES_MAX);
        }
        // This decides only on the limit. The sender is authenticated again when the body has
        // arrived (`token_that_expires_while_the_body_arrives_is_rejected`).
        if limit == BodyLimit::Anonymous || !admin::has_valid_credentials(self, sender) {
            return None;
        }
        Some(
            if limit == BodyLimit::Upload && multipart::is_declared(sender.head) {
                self.live().upload_bytes_max
            } else {
                JSON_BYTES_MAX
            },
        )
    }

    fn run(&self, call: &Call) -> Result<EndpointResult> {
        let Some(found) = &call.request.found else {
            check_body(call)?;
            return Err(self.unknown_endpoint(call));
        };
        let route = found.route;
        let query = call.request.query()?;
        // The path of the OpenAPI document is the only one without a trailing slash.
        let is_redirected = found.without_slash
            && is_read(&call.head.method)
            && !matches!(route.endpoint, Endpoint::Document);
        // Invalid JSON is reported before anything else (Ghost 6.65, recorded).
        let json = match route.endpoint {
            Endpoint::Admin(..) => JsonOnce::parse(call.head, call.body)?,
            _ => JsonOnce::default(),
        };
        // Checked before the redirect: Ghost refuses a request without a key before it adds the slash
        // (recorded).
        let actor = self.check_rights(call, route, query, is_redirected)?;
        if is_redirected {
            return redirect_to_slash(&call.cache.site_urls.public_path(call.request.target()))
                .map(EndpointResult::Complete);
        }
        match route.endpoint {
            Endpoint::Document => {
                let api_url = format!(
                    "{}/{}/api",
                    call.cache.site_urls.base(),
                    self.options.path_prefix
                );
                let document = openapi::served::served(&self.document, api_url);
                document.map(EndpointResult::CachedResponse)
            }
            Endpoint::Content(endpoint) => self.content(call, found, query, endpoint, true),
            // Endpoints without a key are requested too rarely for a cache.
            Endpoint::Open(endpoint) => self.content(call, found, query, endpoint, false),
            Endpoint::ChangeFeed(endpoint) => match self.feed_response(call, query)? {
                FeedResponse::Complete(response) => Ok(EndpointResult::Complete(response)),
                FeedResponse::Cached => self.content(call, found, query, endpoint, true),
                FeedResponse::Uncached => self.content(call, found, query, endpoint, false),
            },
            Endpoint::Unauthenticated(endpoint) | Endpoint::Admin(_, endpoint) => {
                let request = admin::Request {
                    api: self,
                    snapshot: call.snapshot,
                    site_urls: &call.cache.site_urls,
                    head: call.head,
                    body: call.body,
                    json,
                    parameters: query,
                    variables: found.variables()?,
                    actor,
                    now: self.site.now(),
                };
                let reply = self.admin_reply(route, endpoint, &request);
                reply.map(|reply| declared(route, reply))
            }
        }
    }

    /// Runs an endpoint of the Admin API. The fields of the request that it ignored are named in the reply
    /// and in the audit log.
    fn admin_reply(
        &self,
        route: &Route,
        endpoint: admin::AdminHandler,
        request: &admin::Request,
    ) -> Result<Reply> {
        if is_read(&request.head.method) {
            return endpoint(request);
        }
        // Read now, because the endpoint takes the JSON.
        let sent = request.json.peek(|body| SentFields::of(route, body));
        let (reply, reported) = ignored_fields::collect(|| endpoint(request));
        let reply = reply?;
        // A refused change stores nothing, so no fields are reported.
        if !reply.status.is_success() {
            return Ok(reply);
        }
        let names = sent.ignored(reported, &reply);
        if names.is_empty() {
            return Ok(reply);
        }
        if let Some(actor) = &request.actor {
            // The change is already committed, so its audit entry is looked up by actor and record.
            let record = record_of(route, &reply);
            let before = request.snapshot.catalog.last_action;
            let named = self.site.write(|transaction| {
                transaction.name_ignored_fields(actor, before, record, &names)
            });
            if let Err(error) = named {
                // Only a warning: the change is durable, and the header field names the fields.
                tracing::warn!(%error, "cannot record ignored fields in the audit log");
            }
        }
        Ok(reply.with_text(IGNORED_FIELDS.clone(), &header_value(&names)))
    }

    /// Checks whether the sender may use the endpoint, with the permissions as of the call's snapshot.
    /// Returns the actor, if the endpoint requires one.
    fn check_rights(
        &self,
        call: &Call,
        route: &Route,
        query: &QueryParameters,
        is_redirected: bool,
    ) -> Result<Option<Actor>> {
        match route.endpoint {
            Endpoint::Document | Endpoint::Open(_) | Endpoint::Unauthenticated(_) => Ok(None),
            Endpoint::Content(_) | Endpoint::ChangeFeed(_) => {
                self.check_key(call, query).map(|()| None)
            }
            Endpoint::Admin(permission, _) => {
                let actor = admin::authenticate(self, call.sender(), is_redirected)?;
                permission.admit(&actor)?;
                refuse_change(call, &actor, permission)?;
                refuse_odd_spelling(call, &actor)?;
                Ok(Some(actor))
            }
        }
    }

    fn check_key(&self, call: &Call, query: &QueryParameters) -> Result<()> {
        let client = client_address(&call.head.head_ref());
        let now = self.site.now();
        // Checked before the key: a blocked client must not learn that a guess was correct.
        keys::admit(&self.rate_limits, client, now)?;
        // A valid key does not reset the count, because a client could alternate it with guesses
        // (`valid_key_does_not_reset_the_count_of_wrong_keys`).
        let checked = keys::check(&call.snapshot.catalog, query);
        // A request without a key, or with several, is not a guess.
        if matches!(&checked, Err(error) if error.kind() == Kind::Unauthorized) {
            let client = RateLimitKey::client(client);
            self.rate_limits.wrong_keys.record(client, &*self.site);
        }
        checked
    }

    /// Returns the error for a request without a route.
    fn unknown_endpoint(&self, call: &Call) -> Error {
        let header = call
            .head
            .headers
            .get("accept-version")
            .and_then(|value| value.to_str().ok());
        let from_path = call.path().accept_version();
        let requested = from_path.as_deref().or(header);
        if let Some(version) = requested.filter(|version| versions::is_outdated(version)) {
            self.report_outdated(call, version);
        }
        versions::unknown_endpoint(requested)
    }

    fn content(
        &self,
        call: &Call,
        found: &FoundRoute,
        query: &QueryParameters,
        endpoint: content::ContentHandler,
        is_cacheable: bool,
    ) -> Result<EndpointResult> {
        let response = self.content_response(&ContentCall {
            head: call.head.head_ref(),
            request: call.request,
            found,
            query,
            snapshot: call.snapshot,
            cache: call.cache,
            endpoint,
            budget: Budget::Unlimited,
            is_cacheable,
            reader: self.reader(call),
        })?;
        Ok(EndpointResult::CachedResponse(response))
    }

    /// Converts a reply of the Admin API into a response. Replies to reads are compressed and get an
    /// entity tag, like other responses.
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
                // Such as the cookie of a sign-in that still needs a code.
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
        // A name may occur several times, such as `set-cookie`.
        let mut named = HashSet::new();
        for (name, value) in reply.headers.iter() {
            // Header fields of the reply override the common header fields.
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
                headers.set(header::ETAG, entity_tag(&body));
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
}

/// Returns the reply unchanged. Debug builds panic if it succeeds with a status that the route does not
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

/// Rejects a request of an integration if its method is HEAD or the first two segments of its path
/// contain upper-case letters: Ghost compares methods and paths of integrations exactly with a list
/// (6.65, recorded).
fn refuse_odd_spelling(call: &Call, actor: &Actor) -> Result<()> {
    let is_odd = call.head.method == Method::HEAD
        || call
            .path()
            .path
            .split('/')
            .take(2)
            .any(|part| part.bytes().any(|byte| byte.is_ascii_uppercase()));
    match actor {
        Actor::Integration { .. } if is_odd => Err(Error::new(
            Kind::NoPermission,
            "Integrations may not use HEAD or upper-case letters in the path.",
        )),
        _ => Ok(()),
    }
}

/// Rejects a change by a key with the scope "read".
fn refuse_change(call: &Call, actor: &Actor, permission: &Permission) -> Result<()> {
    if is_read(&call.head.method) {
        return Ok(());
    }
    permission.refuse_reader(actor)
}

/// Rejects a body that is declared as JSON but is not valid JSON, independent of the path (Ghost 6.65,
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
    let kind = if call.path().is_admin() {
        Kind::UnreadableBody
    } else {
        Kind::BadRequest
    };
    // Checks only the syntax, without memory for values.
    match serde_json::from_slice::<serde::de::IgnoredAny>(request_decoding::unmarked(call.body)) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(Error::new(kind, "The body is not valid JSON.").context(format!("{error}.")))
        }
    }
}

/// Redirects to the path with a trailing slash. The location contains no host, and the query as sent.
fn redirect_to_slash(target: &str) -> Result<Response> {
    let location = match target.split_once('?') {
        Some((path, query)) => format!("{path}/?{query}"),
        None => format!("{target}/"),
    };
    let mut response =
        Response::redirect(true, &location, CacheControl::Year.value()).map_err(Error::internal)?;
    let version = headers::API_VERSION.clone();
    response
        .headers
        .set(headers::CONTENT_VERSION.clone(), version);
    let vary = headers::VARY_WITHOUT_BODY.clone();
    response.headers.set(header::VARY, vary);
    Ok(response)
}
