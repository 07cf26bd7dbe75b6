//! Serves the change feed: as an event stream, or as a response that is sent immediately if there are
//! changes and otherwise may be deferred.

use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::{
    Api,
    call::Call,
    content::{
        change_stream::{self, ChangeSource, ChangeStream, EVENT_STREAM},
        changes::ChangesQuery,
    },
    headers::{self, CacheControl},
    params::QueryParameters,
    response::{Body, Response},
};
use crate::error::Result;

/// The `Vary` of the feed: `Accept` selects JSON or events.
pub(super) static VARY: HeaderValue =
    HeaderValue::from_static("Accept, Accept-Version, Accept-Encoding");

/// Disables buffering of the event stream in nginx. Other proxies do not buffer event streams.
static NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The way to serve a feed request.
pub(super) enum FeedResponse {
    /// With a response that may be cached.
    Cached,
    /// With a response that is not cached, because the next request with the same URL may wait.
    Uncached,
    /// With this stream or deferred response.
    Complete(Response),
}

impl Api {
    /// Chooses how to serve a feed request whose key was accepted.
    ///
    /// # Errors
    ///
    /// `Validation` if a parameter is malformed.
    pub(super) fn feed_response(
        &self,
        call: &Call,
        query: &QueryParameters,
    ) -> Result<FeedResponse> {
        if change_stream::accepts_event_stream(&call.head.head_ref()) {
            return self.stream(call, query).map(FeedResponse::Complete);
        }
        let requested = ChangesQuery::parse(query)?;
        // A client that lacks changes gets them immediately. That response depends only on the commit
        // and the query, so it can be cached.
        if requested.wait.is_zero() || !requested.is_up_to_date(&call.snapshot.catalog) {
            return Ok(FeedResponse::Cached);
        }
        Ok(if call.may_wait && call.head.method == Method::GET {
            FeedResponse::Complete(Response {
                body: Body::Later(requested.wait),
                ..Response::new(StatusCode::OK)
            })
        } else {
            FeedResponse::Uncached
        })
    }

    fn stream(&self, call: &Call, query: &QueryParameters) -> Result<Response> {
        // The stream outlives the request and follows later commits, so it owns its sources.
        let source = ChangeSource {
            site: self.site.clone(),
            site_urls: self.options.site_urls.clone(),
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
