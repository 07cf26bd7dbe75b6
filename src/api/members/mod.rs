//! The API that readers' pages call, below `/members/`: sign up, sign in, the own account (Ghost
//! 6.65, recorded: shapes and names, as its Portal and its sign-up forms use them).
//!
//! No response shows whether an address belongs to a member. Its responses are never cached, and pages
//! of origins that are not the site's own or listed get none that depend on the member's cookie.

mod account;
mod cors;
mod features_off;
mod inbox_links;
mod links;
mod reader;
mod session;
mod tokens;

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::{Map, Value, json};

pub use self::{
    cors::mark_content,
    reader::{has_credentials, reader},
    tokens::VerifiedTokens,
};
use super::{
    Api, SnapshotCache,
    admin::site,
    call::error_cache_control,
    client_address, error,
    headers::{self, CacheControl},
    is_read,
    params::Query,
    request::Request,
    response::{Body, Response},
};
use crate::{
    admin::{auth_mails::MailSite, member_sign_in::SignInContext},
    domain::{member::Member, setting::Settings},
    error::{Error, Kind, Result},
    site::SiteSnapshot,
};

/// Longest value of a text in a request, in bytes.
const TEXT_BYTES_MAX: usize = 2000;

/// A request of a reader's page.
struct Call<'a> {
    api: &'a Api,
    snapshot: &'a SiteSnapshot,
    cache: &'a SnapshotCache,
    request: &'a Request,
    query: Query,
}

/// Returns the response to a request for `path`, which is relative to the site; `None` for another
/// path.
pub(super) fn respond(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    request: &Request,
    path: &str,
) -> Option<Response> {
    let path = path.strip_prefix("/members")?;
    if !path.is_empty() && !path.starts_with('/') {
        return None;
    }
    let path = path.trim_matches('/');
    let head = &request.head;
    let query = Query::parse(head.target.query().unwrap_or_default());
    let result = query.and_then(|query| {
        let call = Call {
            api,
            snapshot,
            cache,
            request,
            query,
        };
        call.respond(path)
    });
    let mut response = match result {
        Ok(None) => return None,
        Ok(Some(response)) => response,
        Err(failure) => {
            let cache_control = error_cache_control(&head.method, &failure);
            error::response(&failure, cache_control)
        }
    };
    cors::mark(api, cache, head, &mut response.headers);
    Some(response)
}

impl Call<'_> {
    fn respond(&self, path: &str) -> Result<Option<Response>> {
        let method = &self.request.head.method;
        if *method == Method::OPTIONS && path.starts_with("api/") {
            return Ok(Some(cors::preflight(&self.request.head)));
        }
        if path.is_empty() && is_read(method) && self.query.first("token").is_some() {
            return links::open(self).map(Some);
        }
        let verb = if is_read(method) {
            "GET"
        } else {
            method.as_str()
        };
        let response = match (verb, path) {
            ("GET", ".well-known/jwks.json") => tokens::published_keys(self)?,
            ("GET", "api/site") => {
                json_response(&site::description(self.settings(), &self.cache.site_urls))
            }
            ("GET", "api/integrity-token") => text(StatusCode::OK, &tokens::integrity(self)?),
            ("POST", "api/send-magic-link") => links::send(self)?,
            ("POST", "api/verify-otc") => links::verify_code(self)?,
            ("GET", "api/session") => tokens::identity(self)?,
            ("GET", "api/entitlements") => tokens::entitlements(self)?,
            ("DELETE", "api/session") => account::sign_out(self)?,
            ("GET", "api/member") => account::read(self)?,
            ("PUT", "api/member") => account::edit(self)?,
            ("DELETE", "api/member") => account::delete(self)?,
            ("GET", "api/member/newsletters") => account::read_newsletters(self)?,
            ("PUT", "api/member/newsletters") => account::edit_newsletters(self)?,
            ("POST", "api/member/email") => account::request_address(self)?,
            ("DELETE", "api/member/suppression") => account::lift_suppression(self)?,
            ("GET", "api/announcement") => account::announcement(self),
            ("GET", _) if path.starts_with("feedback/") => {
                features_off::redirect_feedback(self, path)?
            }
            _ if path.starts_with("api/") => features_off::respond(self, verb, path)?,
            _ => return Ok(None),
        };
        Ok(Some(response))
    }

    fn settings(&self) -> &Settings {
        &self.snapshot.catalog.settings
    }

    /// Returns the member who is signed in.
    fn member(&self) -> Option<Arc<Member>> {
        session::of_cookie(
            self.api,
            self.snapshot,
            self.cache,
            &self.request.head.head_ref(),
        )
    }

    /// Returns the member who is signed in.
    ///
    /// # Errors
    ///
    /// `Unauthorized` if no one is signed in.
    fn signed_in(&self) -> Result<Arc<Member>> {
        self.member()
            .ok_or_else(|| Error::new(Kind::Unauthorized, "You have to be signed in to do this."))
    }

    /// Returns the JSON object in the body; an empty one for an empty body.
    fn body(&self) -> Result<Map<String, Value>> {
        if self.request.body.is_empty() {
            return Ok(Map::new());
        }
        serde_json::from_slice(&self.request.body).map_err(|error| {
            Error::new(Kind::BadRequest, "The body is not a JSON object.")
                .context(error.to_string())
        })
    }

    fn mail_site(&self) -> MailSite {
        self.api.mail_site(self.snapshot, &self.cache.site_urls)
    }

    fn sign_in<'c>(&'c self, mail_site: &'c MailSite) -> SignInContext<'c> {
        SignInContext {
            site: &self.api.site,
            rate_limits: &self.api.rate_limits,
            mail_site,
            client: client_address(&self.request.head.head_ref()),
        }
    }

    /// Returns the URL of the site for readers, without a slash at the end: its front end's, if one
    /// is configured.
    fn front(&self) -> String {
        match &self.api.options.front_end {
            Some(front_end) => front_end.url(""),
            None => self.cache.site_urls.base().to_owned(),
        }
    }
}

/// Returns the text of a field of a body, shortened to the accepted length.
fn text_of<'b>(body: &'b Map<String, Value>, name: &str) -> Option<&'b str> {
    let text = body.get(name)?.as_str()?;
    (text.len() <= TEXT_BYTES_MAX).then_some(text)
}

fn json_response(value: &Value) -> Response {
    with_json(StatusCode::OK, value)
}

fn with_json(status: StatusCode, value: &Value) -> Response {
    Response {
        status,
        headers: headers::of_json(CacheControl::Private),
        body: Body::Bytes(Bytes::from(value.to_string())),
    }
}

fn text(status: StatusCode, text: &str) -> Response {
    let mut headers = headers::of_json(CacheControl::Private);
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.set(header::CONTENT_TYPE, plain);
    Response {
        status,
        headers,
        body: Body::Bytes(Bytes::from(text.to_owned())),
    }
}

fn no_content() -> Response {
    Response {
        status: StatusCode::NO_CONTENT,
        headers: headers::without_body(CacheControl::Private),
        body: Body::Empty,
    }
}

fn empty_object() -> Value {
    json!({})
}
