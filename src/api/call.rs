//! A request to the API on a worker, with the snapshot of the site from which it is served.

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

/// A request to the API, with the snapshot of the site from which it is served.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The body of the request.
    pub body: &'a Bytes,
    /// The prepared parts of the request.
    pub request: &'a ApiRequest,
    /// The snapshot of the site from which the response is built.
    pub snapshot: &'a SiteSnapshot,
    /// The cached responses of the same snapshot.
    pub cache: &'a SnapshotCache,
    /// True if the response may be deferred until the site changes.
    pub may_wait: bool,
}

impl<'a> Call<'a> {
    /// Returns the path below the API's prefix.
    pub fn path(&self) -> ApiPath<'a> {
        self.request.path()
    }

    /// Returns the sender, with the permissions as of the call's snapshot.
    pub fn sender(&self) -> Sender<'a> {
        let catalog = &self.snapshot.catalog;
        self.request
            .sender(self.head, catalog, &self.cache.site_urls)
    }

    /// Returns the caching rule for an error response. Only errors of the Admin API for clients with
    /// credentials are always private (Ghost 6.65, recorded).
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

/// Returns the caching rule for an error: [`CacheControl::Absent`] for a missing resource, otherwise
/// [`CacheControl::Private`] (Ghost 6.65, recorded).
pub(super) fn error_cache_control(method: &Method, error: &Error) -> CacheControl {
    if error.kind() == Kind::NotFound && is_read(method) {
        CacheControl::Absent
    } else {
        CacheControl::Private
    }
}
