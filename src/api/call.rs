//! One request to the API: the checks in their order, the endpoint, and the finished answer.

use std::{collections::HashSet, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};

use super::{
    Answers, Api,
    admin::{self, Reply, reply::ReplyBody},
    answers::Answer,
    client_address, cors, error,
    feed::Way,
    headers::{self, CacheControl},
    is_read, keys,
    making::allow_all_origins,
    packed_bodies, packing,
    params::{Query, decode},
    request::{Refusal, RequestHead},
    response::{Body, Headers, Response},
    router::{self, ApiPath, Endpoint, Found},
    routes::ROUTES,
    versions,
};
use crate::{
    body_memory::BodyMemory,
    domain::{
        actor::Actor,
        integration::IntegrationScope,
        permission::{Permission, Right},
    },
    error::{Error, Kind, Result},
    site::Edition,
};

/// One request to the API, and the edition of the site that answers it.
#[derive(Clone, Copy)]
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
    /// Whether the answer may be that there is nothing yet.
    pub may_wait: bool,
}

impl Call<'_> {
    fn errors_cache_control(&self, error: &Error) -> CacheControl {
        // What a stranger is told about the Admin API is told to everybody (Ghost 6.65, recorded).
        let is_known = [header::AUTHORIZATION, header::COOKIE]
            .iter()
            .any(|credential| self.head.headers.contains_key(credential));
        match self.path.is_admin() && is_known {
            true => CacheControl::Private,
            false => errors_cache_control(&self.head.method, error),
        }
    }
}

/// What an endpoint of the API came to.
enum Outcome {
    /// An answer with a body.
    Answer(Arc<Answer>),
    /// An answer of the Admin API.
    Reply(Reply),
    /// The address lacks its last slash.
    Redirect(HeaderValue),
    /// An answer that is whole already, is not there yet, or has no end.
    Going(Response),
}

impl Api {
    /// Answers a request to the API, whatever becomes of it.
    pub(super) fn answer_api(&self, call: &Call) -> Response {
        let preflight = match call.head.method == Method::OPTIONS {
            true => cors::preflight(
                call.head,
                &call.path,
                &self.origins(&call.answers.addresses),
            ),
            false => None,
        };
        let outcome =
            preflight.map_or_else(|| self.outcome_of_opened(call), |it| Ok(Outcome::Going(it)));
        let mut response = match outcome {
            // Marked when it was made.
            Ok(Outcome::Answer(answer)) => {
                return packing::response(&answer, call.head.head_ref().fields);
            }
            Ok(Outcome::Reply(reply)) => return self.respond(call, reply),
            Ok(Outcome::Redirect(location)) => redirect(location),
            Ok(Outcome::Going(response)) => response,
            Err(failure) => error::response(&failure, call.errors_cache_control(&failure)),
        };
        self.mark(&mut response.headers, call);
        response
    }

    /// Adds what tells browsers who may read the answer, and users of old addresses that they are old.
    pub(super) fn mark(&self, headers: &mut Headers, call: &Call) {
        if call.path.is_for_all_origins() {
            allow_all_origins(headers);
        } else {
            cors::allow_trusted_origin(headers, call.head, &self.origins(&call.answers.addresses));
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

    /// The outcome of a call whose body may be packed.
    fn outcome_of_opened(&self, call: &Call) -> Result<Outcome> {
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
            // What it changes could no longer be refused then, and its answer takes memory, too.
            return Ok(self.busy());
        }
        let mut held = memory.map(BodyMemory::hold);
        let body = match packed_bodies::opened(call.head, call.body, bytes_max, held.as_mut()) {
            Err(failure) if failure.kind() == Kind::Maintenance => return Ok(self.busy()),
            opened => opened?,
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

    fn busy(&self) -> Outcome {
        Outcome::Going(self.refuse(Refusal::Busy))
    }

    fn outcome(&self, call: &Call) -> Result<Outcome> {
        let Some(found) = router::find(ROUTES, &call.head.method, call.path.path) else {
            check_body(call)?;
            let header = call
                .head
                .headers
                .get("accept-version")
                .and_then(|value| value.to_str().ok());
            let from_path = call.path.accept_version();
            let wanted = from_path.as_deref().or(header);
            if let Some(version) = wanted.filter(|version| versions::is_over(version)) {
                self.report_outdated(call, version);
            }
            return Err(versions::unknown_endpoint(wanted));
        };
        let query = Query::parse(call.head.target.query().unwrap_or_default())?;
        let is_redirected = found.without_slash && is_read(&call.head.method);
        match &found.route.endpoint {
            Endpoint::Document => self.document.answer(format!(
                "{}/{}/api",
                call.answers.addresses.base(),
                self.options.path_prefix
            )),
            Endpoint::Content(endpoint) => {
                self.check_key(call, &query)?;
                if is_redirected {
                    return with_slash(call.head).map(Outcome::Redirect);
                }
                self.make_answer(call, &found, &query, *endpoint, true)
            }
            Endpoint::Feed(endpoint) => {
                self.check_key(call, &query)?;
                if is_redirected {
                    return with_slash(call.head).map(Outcome::Redirect);
                }
                let is_kept = match self.way_of_feed(call, &query)? {
                    Way::Going(response) => return Ok(Outcome::Going(response)),
                    Way::Kept => true,
                    Way::Once => false,
                };
                self.make_answer(call, &found, &query, *endpoint, is_kept)
            }
            Endpoint::Open(_) | Endpoint::Entrance(_) if is_redirected => {
                return with_slash(call.head).map(Outcome::Redirect);
            }
            Endpoint::Open(endpoint) => {
                // What is open to all is asked for too seldom to be kept.
                self.make_answer(call, &found, &query, *endpoint, false)
            }
            Endpoint::Entrance(endpoint) => {
                let reply =
                    endpoint(&self.admin_request(call, &found, &query, None, Right::No)?)?;
                return Ok(Outcome::Reply(reply));
            }
            Endpoint::Admin(permission, endpoint) => {
                // Broken JSON is told before anything else (Ghost 6.65, recorded).
                admin::json(call.head, call.body)?;
                let actor = admin::authenticate(self, call, is_redirected)?;
                let right = permission.admit(&actor)?;
                refuse_change(call, &actor, permission)?;
                refuse_odd_spelling(call, &actor)?;
                if is_redirected {
                    return with_slash(call.head).map(Outcome::Redirect);
                }
                let request = self.admin_request(call, &found, &query, Some(actor), right)?;
                return endpoint(&request).map(Outcome::Reply);
            }
        }
        .map(Outcome::Answer)
    }

    fn admin_request<'a>(
        &'a self,
        call: &'a Call,
        found: &Found,
        parameters: &'a Query,
        actor: Option<Actor>,
        right: Right,
    ) -> Result<admin::Request<'a>> {
        Ok(admin::Request {
            api: self,
            edition: call.edition,
            addresses: &call.answers.addresses,
            head: call.head,
            body: call.body,
            parameters,
            variables: found
                .variables
                .iter()
                .map(|variable| decode(variable))
                .collect::<Result<_>>()?,
            actor,
            right,
            now: self.site.now(),
        })
    }

    /// The response that a reply of the Admin API becomes. What was read is packed and tagged as any other answer.
    fn respond(&self, call: &Call, reply: Reply) -> Response {
        let is_json = matches!(reply.body, ReplyBody::Json(_));
        let in_memory = |body: Vec<u8>| match body.is_empty() {
            true => Body::Empty,
            false => Body::Bytes(Bytes::from(body.into_boxed_slice())),
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
        let mut headers = match has_body {
            true => headers::of_json(CacheControl::Private),
            false => headers::without_body(CacheControl::Private),
        };
        if let Some(kind) = kind {
            headers.set(header::CONTENT_TYPE, kind);
        }
        let mut named = HashSet::new();
        for (name, value) in reply.headers.iter() {
            // What the reply says itself stands in the place of what all answers have.
            match named.insert(name) {
                true => headers.set(name.clone(), value.clone()),
                false => headers.append(name.clone(), value.clone()),
            }
        }
        self.mark(&mut headers, call);
        match body {
            Body::Bytes(body)
                if is_json && reply.status == StatusCode::OK && is_read(&call.head.method) =>
            {
                headers.set(header::ETAG, headers::entity_tag(&body));
                packing::response(&Answer::new(headers, body), call.head.head_ref().fields)
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
        self.guard.admit(client, now)?;
        let checked = keys::check(&call.edition.catalog, query);
        if matches!(&checked, Err(error) if error.kind() == Kind::Unauthorized) {
            self.guard.note_wrong_key(client, now);
        }
        checked
    }
}

/// What integrations may call is a list of paths, and a path in other letters is not on it; nor is HEAD (Ghost 6.65,
/// recorded).
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

/// Keys whose scope is "read" change nothing.
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
    let kind = match call.path.is_admin() {
        true => Kind::UnreadableBody,
        false => Kind::BadRequest,
    };
    match serde_json::from_slice::<serde::de::IgnoredAny>(admin::unmarked(call.body)) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(kind, "The body is not JSON.").context(format!("{error}."))),
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
