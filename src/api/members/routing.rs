//! The paths of the API that readers' pages call.

use http::{Method, StatusCode};

use super::{
    account,
    call::Call,
    cors, features_off, links, pages,
    replies::{json_response, text},
    tokens,
};
use crate::{
    api::{
        Api, SnapshotCache,
        admin::site,
        call::error_cache_control,
        error,
        params::QueryParameters,
        request::{Request, is_read},
        response::Response,
    },
    error::Result,
    site::SiteSnapshot,
};

/// Returns the response to a request for `path`, which is relative to the site; `None` for another
/// path.
pub(in crate::api) fn respond(
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
    let query = QueryParameters::parse(head.target.query().unwrap_or_default());
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
    // Also for errors: pages of listed origins must be able to read them.
    cors::mark(api, cache, head, &mut response.headers);
    Some(response)
}

impl Call<'_> {
    fn respond(&self, path: &str) -> Result<Option<Response>> {
        let method = &self.request.head.method;
        if *method == Method::OPTIONS && path.starts_with("api/") {
            return Ok(Some(cors::preflight(&self.request.head)));
        }
        // Without a token, the front end responds to `/members/`.
        if path.is_empty() && is_read(method) && self.query.first("token").is_some() {
            return links::open(self).map(Some);
        }
        let verb = if is_read(method) {
            "GET"
        } else {
            method.as_str()
        };
        if let Some(response) = pages::respond(self, verb, path)? {
            return Ok(Some(response));
        }
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
}
