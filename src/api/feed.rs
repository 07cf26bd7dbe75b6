//! How a request to the change feed is answered: at once, when there is something to tell, or for as long as the client stays.

use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::{
    Api,
    call::Call,
    content::{
        change_stream::{self, ChangeStream, EVENT_STREAM, Source},
        changes::Asked,
    },
    headers::{self, CacheControl},
    params::Query,
    response::{Body, Response},
};
use crate::error::Result;

/// What an answer of the feed depends on: `Accept` chooses between JSON and events.
pub(super) static VARY: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Version, Accept-Encoding");

/// Tells proxies of one kind to hand events on as they come; others do so by themselves.
static NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How a request is answered.
pub(super) enum Way {
    /// By an answer that may be kept.
    Kept,
    /// By an answer that is not kept: with the same address one may wait again.
    Once,
    /// By this, which has no end or no beginning yet.
    Going(Response),
}

impl Api {
    /// How a request to the feed is answered, whose key was accepted.
    ///
    /// # Errors
    ///
    /// `Validation` when a parameter is malformed.
    pub(super) fn way_of_feed(&self, call: &Call, query: &Query) -> Result<Way> {
        if change_stream::is_wanted(&call.head.head_ref()) {
            return self.stream(call, query).map(Way::Going);
        }
        let asked = Asked::parse(query)?;
        if asked.wait.is_zero() || !asked.has_nothing_new(&call.edition.catalog) {
            return Ok(Way::Kept);
        }
        Ok(match call.may_wait && call.head.method == Method::GET {
            true => Way::Going(Response {
                body: Body::Later(asked.wait),
                ..Response::new(StatusCode::OK)
            }),
            false => Way::Once,
        })
    }

    fn stream(&self, call: &Call, query: &Query) -> Result<Response> {
        let source = Source {
            site: self.site.clone(),
            addresses: self.options.addresses.clone(),
        };
        let stream = ChangeStream::new(source, call.head, query.clone())?;
        let mut headers = headers::of_json(CacheControl::Private);
        headers.set(header::VARY, VARY.clone());
        headers.set(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        headers.set(NO_BUFFERING.clone(), HeaderValue::from_static("no"));
        Ok(Response {
            status: StatusCode::OK,
            headers,
            body: Body::Live(Box::new(stream)),
        })
    }
}
