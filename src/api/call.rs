//! One request to the API on a worker, and the snapshot of the site that it is served from.

use bytes::Bytes;
use http::{Method, header};

use super::{
    SnapshotCache,
    admin::Sender,
    headers::CacheControl,
    path::ApiPath,
    prepared::ApiRequest,
    request::{RequestHead, is_read},
};
use crate::{
    error::{Error, Kind},
    site::SiteSnapshot,
};

/// One request to the API, and the snapshot of the site that it is served from.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The body of the request.
    pub body: &'a Bytes,
    /// The prepared parts of the request.
    pub request: &'a ApiRequest,
    /// The site snapshot that the response is made from.
    pub snapshot: &'a SiteSnapshot,
    /// The cached responses of the same snapshot.
    pub cache: &'a SnapshotCache,
    /// True if the response may be deferred until there is something new.
    pub may_wait: bool,
}

impl<'a> Call<'a> {
    /// Returns the path below the API's prefix.
    pub fn path(&self) -> ApiPath<'a> {
        self.request.path()
    }

    /// Returns the sender, whose rights are those of the call's snapshot.
    pub fn sender(&self) -> Sender<'a> {
        let catalog = &self.snapshot.catalog;
        self.request
            .sender(self.head, catalog, &self.cache.site_urls)
    }

    /// Returns the caching rule of an error response. Those of the Admin API to anonymous clients
    /// are public (Ghost 6.65, recorded).
    pub fn error_cache_control(&self, error: &Error) -> CacheControl {
        let has_credentials = [header::AUTHORIZATION, header::COOKIE]
            .iter()
            .any(|credential| self.head.headers.contains_key(credential));
        if self.path().is_admin() && has_credentials {
            CacheControl::Private
        } else {
            error_cache_control(&self.head.method, error)
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
