//! The parts of a request that are prepared once, on the thread that read it.
//!
//! The prepared parts depend only on the request itself: its route, its query and its token. Whether a
//! key still exists or a token has expired is decided later, with the snapshot from which the response
//! is built.

use std::{ops::Range, sync::OnceLock};

use http::Method;

use super::{
    admin::{RequestToken, Sender},
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

/// The prepared parts of a request.
pub struct PreparedRequest {
    /// The parts of a request to the API; `None` for a path outside the API.
    pub(super) api: Option<ApiRequest>,
    /// The life of this process in which the request began, if the process shares the store.
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
    token: RequestToken,
    // Parsed on first use, by the thread that read the request or by the worker that shares it.
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
    /// Prepares a request for `target`. `path` is the end of its path, below the API's prefix; `None`
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

    /// Returns whether `path` is the path below the API's prefix with which the request was prepared. It
    /// differs if the site's URL has changed since.
    pub(super) fn matches_path(&self, path: Option<&str>) -> bool {
        // Both paths are the end of the same target, so they are equal if their lengths are.
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
            // An invalid variable is reported only after the key and the permissions were checked.
            variables: found.variables().iter().map(|text| decode(text)).collect(),
        });
        Self {
            target: target.into(),
            path: end - relative.path.len()..end,
            path_bytes: path.len(),
            version: relative.version(),
            found,
            token: RequestToken::default(),
            query: OnceLock::new(),
            normalised: OnceLock::new(),
        }
    }

    /// Returns the sender of this request, with the permissions as of `catalog`. `head` must be the head
    /// of this request.
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

    /// Returns the path and query as sent.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Returns the path below the API's prefix.
    pub fn path(&self) -> ApiPath<'_> {
        ApiPath::of_version(&self.target[self.path.clone()], self.version)
    }

    /// Returns the query as sent, including the question mark; empty if there is no query.
    pub fn raw_query(&self) -> &str {
        &self.target[self.path.end..]
    }

    /// Returns the decoded query.
    ///
    /// # Errors
    ///
    /// The errors of [`QueryParameters::parse`].
    pub fn query(&self) -> Result<&QueryParameters> {
        let raw = self.raw_query();
        let parse = || QueryParameters::parse(raw.strip_prefix('?').unwrap_or(raw));
        self.query.get_or_init(parse).as_ref().map_err(Error::clone)
    }

    /// Returns the normalised request. `query` must be the query of this request.
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
    /// The errors of [`decode`].
    pub fn variables(&self) -> Result<&[String]> {
        self.variables.as_deref().map_err(Error::clone)
    }
}
