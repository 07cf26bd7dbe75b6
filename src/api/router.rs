//! Finds the route of a path, segment by segment; a literal takes precedence over a variable.

use http::Method;

use super::{admin, content};
use crate::domain::permission::Permission;

/// One endpoint.
pub struct Route {
    /// Its method; routes of GET serve HEAD, too.
    pub method: Method,
    /// Its path below `/ghost/api/`, with a slash at the end; `{}` stands for one segment.
    pub path: &'static str,
    /// Its handler, and who may call it.
    pub endpoint: Endpoint,
}

/// The handler of a route, and who may call it.
pub enum Endpoint {
    /// Requires a Content API key.
    Content(content::ContentHandler),
    /// Requires a Content API key: the change feed, whose responses may be deferred or streamed.
    ChangeFeed(content::ContentHandler),
    /// Open to all: for clients that have no key yet.
    Open(content::ContentHandler),
    /// Requires this right.
    Admin(&'static Permission, admin::AdminHandler),
    /// Called before authentication: the endpoint itself checks the client.
    Unauthenticated(admin::AdminHandler),
    /// Open to all: the OpenAPI document.
    Document,
}

impl Route {
    /// Returns an endpoint of the Content API.
    pub const fn content(path: &'static str, endpoint: content::ContentHandler) -> Self {
        Self::new(Method::GET, path, Endpoint::Content(endpoint))
    }

    /// Returns the endpoint of the change feed.
    pub const fn feed(path: &'static str, endpoint: content::ContentHandler) -> Self {
        Self::new(Method::GET, path, Endpoint::ChangeFeed(endpoint))
    }

    /// Returns an endpoint that needs no key.
    pub const fn open(path: &'static str, endpoint: content::ContentHandler) -> Self {
        Self::new(Method::GET, path, Endpoint::Open(endpoint))
    }

    /// Returns the endpoint of the OpenAPI document.
    pub const fn document(path: &'static str) -> Self {
        Self::new(Method::GET, path, Endpoint::Document)
    }

    /// Returns an endpoint of the Admin API.
    pub const fn admin(
        method: Method,
        path: &'static str,
        permission: &'static Permission,
        endpoint: admin::AdminHandler,
    ) -> Self {
        Self::new(method, path, Endpoint::Admin(permission, endpoint))
    }

    /// Returns an endpoint of the Admin API for unauthenticated clients.
    pub const fn unauthenticated(
        method: Method,
        path: &'static str,
        endpoint: admin::AdminHandler,
    ) -> Self {
        Self::new(method, path, Endpoint::Unauthenticated(endpoint))
    }

    const fn new(method: Method, path: &'static str, endpoint: Endpoint) -> Self {
        Self {
            method,
            path,
            endpoint,
        }
    }
}

/// The route that a path matches.
pub struct RouteMatch<'a> {
    /// The route.
    pub route: &'static Route,
    /// The values of the route's variables, as sent.
    pub variables: Vec<&'a str>,
    /// Whether the path lacks its trailing slash.
    pub without_slash: bool,
}

/// Finds the route for `method` and `path`, which is relative to `/ghost/api/`, with or without a
/// trailing slash, and case-insensitive below `admin/`. `None` also for empty segments.
pub fn find<'a>(
    routes: &'static [Route],
    method: &Method,
    path: &'a str,
) -> Option<RouteMatch<'a>> {
    let method = if *method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let (path, without_slash) = match path.strip_suffix('/') {
        Some(path) => (path, false),
        None => (path, true),
    };
    routes
        .iter()
        // Comparing the first letter is cheapest and excludes most routes.
        .filter(|route| have_same_first_letter(route.path, path) && route.method == *method)
        .filter_map(|route| variables(route.path, path).map(|variables| (route, variables)))
        // A literal takes precedence over a variable.
        .min_by_key(|(_, variables)| variables.len())
        .map(|(route, variables)| RouteMatch {
            route,
            variables,
            without_slash,
        })
}

fn have_same_first_letter(pattern: &str, path: &str) -> bool {
    let first = |text: &str| text.bytes().next().map(|byte| byte.to_ascii_lowercase());
    first(pattern) == first(path)
}

/// Returns the methods of the routes at `path`, for `Allow`.
pub fn methods<'a>(
    routes: &'static [Route],
    path: &'a str,
) -> impl Iterator<Item = &'static Method> + use<'a> {
    let path = path.strip_suffix('/').unwrap_or(path);
    routes
        .iter()
        .filter(move |route| variables(route.path, path).is_some())
        .map(|route| &route.method)
}

/// Returns the values of the variables of `pattern` in `path`. `None` if the path does not match.
fn variables<'a>(pattern: &str, path: &'a str) -> Option<Vec<&'a str>> {
    let mut expected = pattern.trim_end_matches('/').split('/');
    let mut given = path.split('/');
    // Ghost 6.65, recorded: paths of the Admin API are case-insensitive.
    let ignores_case = pattern.starts_with("admin/");
    let mut found = Vec::new();
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return Some(found),
            (Some("{}"), Some(segment)) if !segment.is_empty() => found.push(segment),
            (Some("{}"), _) => return None,
            (Some(literal), Some(segment)) if literal == segment => {}
            (Some(literal), Some(segment))
                if ignores_case && literal.eq_ignore_ascii_case(segment) => {}
            _ => return None,
        }
    }
}

/// A path below `/ghost/api/`, and the old version that preceded it.
#[derive(Clone, Copy)]
pub struct ApiPath<'a> {
    /// The path without the version, such as `content/posts/`.
    pub path: &'a str,
    version: Option<&'a str>,
}

/// The path of the OpenAPI document.
pub const DOCUMENT_PATH: &str = "openapi.json";

/// Old versions in paths that are still served (specification section 9).
const OLD_VERSIONS: &[&str] = &["v2", "v3", "v4", "canary"];

impl<'a> ApiPath<'a> {
    /// Splits an old version off the front of `path`, if the rest belongs to one of the two APIs.
    pub fn new(path: &'a str) -> Self {
        let versioned = path
            .split_once('/')
            .filter(|(version, rest)| OLD_VERSIONS.contains(version) && is_api(rest));
        match versioned {
            Some((version, path)) => Self {
                path,
                version: Some(version),
            },
            None => Self {
                path,
                version: None,
            },
        }
    }

    /// Returns the version of the path, in the form of `Accept-Version`.
    pub fn accept_version(&self) -> Option<String> {
        self.deprecated_version()
            .map(|version| format!("{version}.0"))
    }

    /// Returns the old version as written in the path.
    pub fn version(&self) -> Option<&'a str> {
        self.version
    }

    /// Returns the old version for the deprecation header: `v2`, `v3` or `v4`, which is also used
    /// for `canary`.
    pub fn deprecated_version(&self) -> Option<&'a str> {
        self.version
            .map(|version| if version == "canary" { "v4" } else { version })
    }

    /// Returns whether it is a path of the Admin API, known or not.
    pub fn is_admin(&self) -> bool {
        self.path.starts_with("admin/")
    }

    /// Returns whether pages of all sites may read the response: the Content API, and the OpenAPI
    /// document.
    pub fn is_for_all_origins(&self) -> bool {
        self.is_content() || self.path == DOCUMENT_PATH
    }

    /// Returns whether it is a path of the Content API, known or not.
    pub fn is_content(&self) -> bool {
        self.path.starts_with("content/")
    }
}

fn is_api(rest: &str) -> bool {
    rest.starts_with("content/") || rest.starts_with("admin/")
}

#[cfg(test)]
mod tests {
    use super::{super::routes::ROUTES, *};

    fn found(path: &str) -> Option<(&'static str, &str, bool)> {
        find(ROUTES, &Method::GET, path).map(|found| {
            let variable = found.variables.first().copied().unwrap_or_default();
            (found.route.path, variable, found.without_slash)
        })
    }

    #[test]
    fn literal_takes_precedence_over_variable() {
        assert_eq!(found("content/posts/"), Some(("content/posts/", "", false)));
        assert_eq!(
            found("content/posts/slug/"),
            Some(("content/posts/{}/", "slug", false))
        );
        assert_eq!(
            found("content/posts/slug/a"),
            Some(("content/posts/slug/{}/", "a", true))
        );
    }

    #[test]
    fn extra_and_empty_segments_match_nothing() {
        for path in [
            "content/",
            "content/posts//",
            "content/posts/slug//",
            "content//posts/",
            "content/posts/a/b/",
            "",
        ] {
            assert!(found(path).is_none(), "{path}");
        }
    }

    #[test]
    fn old_versions_are_split_off_before_an_api_only() {
        let path = ApiPath::new("canary/content/posts/");
        assert_eq!(
            (path.path, path.accept_version().as_deref()),
            ("content/posts/", Some("v4.0"))
        );
        assert_eq!(
            ApiPath::new("v3/admin/site/").accept_version().as_deref(),
            Some("v3.0")
        );
        for path in [
            "v5/content/posts/",
            "v2/posts/",
            "v2",
            "v0.1/content/posts/",
        ] {
            assert_eq!(ApiPath::new(path).path, path);
        }
    }
}
