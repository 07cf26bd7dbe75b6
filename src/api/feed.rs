//! Serves the change feed: at once if there is something new, otherwise by waiting or as an event
//! stream.

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

/// The `Vary` of the feed: `Accept` chooses between JSON and events.
pub(super) static VARY: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Version, Accept-Encoding");

/// Tells nginx not to buffer the event stream; other proxies do not buffer it.
static NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The way to serve a feed request.
pub(super) enum Way {
    /// By a response that may be cached.
    Kept,
    /// By a response that is not cached, because the next request with the same URL may wait.
    Once,
    /// By this stream or deferred response.
    Going(Response),
}

impl Api {
    /// Chooses how to serve a feed request whose key was accepted.
    ///
    /// # Errors
    ///
    /// `Validation` if a parameter is malformed.
    pub(super) fn way_of_feed(&self, call: &Call, query: &Query) -> Result<Way> {
        if change_stream::is_wanted(&call.head.head_ref()) {
            return self.stream(call, query).map(Way::Going);
        }
        let requested = Asked::parse(query)?;
        if requested.wait.is_zero() || !requested.has_nothing_new(&call.edition.catalog) {
            return Ok(Way::Kept);
        }
        Ok(if call.may_wait && call.head.method == Method::GET {
            Way::Going(Response {
                body: Body::Later(requested.wait),
                ..Response::new(StatusCode::OK)
            })
        } else {
            Way::Once
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
