//! The parts of a request that are prepared once, on the thread that read it, for all that handle it.
//!
//! Only the request itself is here: its route, its query, its token. Values that depend on the
//! moment (whether a key still exists, whether a token has expired) is decided with the snapshot
//! that the response is made from.

use std::{ops::Range, sync::OnceLock};

use http::Method;

use super::{
    admin::{Sender, TokenOnce},
    params::{QueryParameters, decode},
    path::ApiPath,
    request::RequestHead,
    router::Router,
    routes::route::Route,
};
use crate::{
    catalog::Catalog,
    error::{Error, Result},
    site::RequestLife,
    site_urls::SiteUrls,
};

/// A request whose path is known to be one of the API, or not.
pub struct PreparedRequest {
    /// `None` for a path outside the API.
    pub(super) api: Option<ApiRequest>,
    /// The life of this process in which it began, if it shares the store.
    pub(super) life: RequestLife,
}

/// The prepared parts of a request to the API.
pub(super) struct ApiRequest {
    target: Box<str>,
    /// The range in `target` of the path below the API's prefix, without an old version.
    path: Range<usize>,
    /// The length of the path below the API's prefix, with an old version.
    path_bytes: usize,
    version: Option<&'static str>,
    /// The route, unless the endpoint is unknown.
    pub found: Option<FoundRoute>,
    token: TokenOnce,
    query: OnceLock<Result<QueryParameters>>,
    normalised: OnceLock<String>,
}

/// The route of a request.
pub(super) struct FoundRoute {
    /// The route.
    pub route: &'static Route,
    /// True if the path lacks its trailing slash.
    pub without_slash: bool,
    variables: Result<Vec<String>>,
}

impl PreparedRequest {
    /// Prepares a request for `target`, whose path ends with `path` below the API's prefix; `None`
    /// for a path outside the API.
    pub(super) fn new(
        router: &Router,
        method: &Method,
        target: &str,
        path: Option<&str>,
        life: RequestLife,
    ) -> Self {
        Self {
            life,
            api: path.map(|path| ApiRequest::new(router, method, target, path)),
        }
    }

    /// Returns whether the request still has this path below the API's prefix. The site's URL
    /// may have changed since.
    pub(super) fn leads_to(&self, path: Option<&str>) -> bool {
        self.api.as_ref().map(|request| request.path_bytes) == path.map(str::len)
    }
}

impl ApiRequest {
    fn new(router: &Router, method: &Method, target: &str, path: &str) -> Self {
        let end = target.find('?').unwrap_or(target.len());
        let relative = ApiPath::new(path);
        let found = router.find(method, relative.path).map(|found| FoundRoute {
            route: found.route,
            without_slash: found.without_slash,
            variables: found.variables().iter().map(|text| decode(text)).collect(),
        });
        Self {
            target: target.into(),
            path: end - relative.path.len()..end,
            path_bytes: path.len(),
            version: relative.version(),
            found,
            token: TokenOnce::default(),
            query: OnceLock::new(),
            normalised: OnceLock::new(),
        }
    }

    /// Returns the sender of this request, of which `head` is the head, with the rights that
    /// `catalog` gives.
    pub fn sender<'a>(
        &'a self,
        head: &'a RequestHead,
        catalog: &'a Catalog,
        site_urls: &'a SiteUrls,
    ) -> Sender<'a> {
        Sender {
            head,
            version: self.version,
            token: &self.token,
            catalog,
            site_urls,
        }
    }

    /// Returns path and query as sent.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns the path below the API's prefix.
    pub fn path(&self) -> ApiPath<'_> {
        ApiPath::of_version(&self.target[self.path.clone()], self.version)
    }

    /// Returns the query as sent, with its question mark; empty if there is none.
    pub fn raw_query(&self) -> &str {
        &self.target[self.path.end..]
    }

    /// Returns the decoded query.
    ///
    /// # Errors
    ///
    /// As [`QueryParameters::parse`].
    pub fn query(&self) -> Result<&QueryParameters> {
        let raw = self.raw_query();
        let parse = || QueryParameters::parse(raw.strip_prefix('?').unwrap_or(raw));
        self.query.get_or_init(parse).as_ref().map_err(Error::clone)
    }

    /// Returns the request in its normal form, of which `query` is this request's.
    pub fn normalised(&self, query: &QueryParameters) -> &str {
        let path = &self.target[self.path.clone()];
        self.normalised.get_or_init(|| query.normalised(path))
    }
}

impl FoundRoute {
    /// Returns the decoded values of the route's variables.
    ///
    /// # Errors
    ///
    /// As [`decode`].
    pub fn variables(&self) -> Result<&[String]> {
        self.variables.as_deref().map_err(Error::clone)
    }
}
