//! Finding the route of a path: segment by segment, a literal before a variable.

use http::Method;

use super::{admin, content};
use crate::domain::permission::Permission;

/// One endpoint.
pub struct Route {
    /// Its method; what answers GET answers HEAD as well.
    pub method: Method,
    /// Its path below `/ghost/api/`, with a slash at the end; `{}` stands for one segment.
    pub path: &'static str,
    /// What answers, and who may ask.
    pub endpoint: Endpoint,
}

/// What answers, and who may ask.
pub enum Endpoint {
    /// Whoever has a Content API key.
    Content(content::Endpoint),
    /// Whoever has a Content API key: the change feed, whose answers may wait or go on.
    Feed(content::Endpoint),
    /// Everybody: what is told to those who have no key yet.
    Open(content::Endpoint),
    /// Whoever has this right.
    Admin(&'static Permission, admin::Endpoint),
    /// Whoever is on the way in: the endpoint itself sees to it.
    Entrance(admin::Endpoint),
    /// Everybody: the OpenAPI document.
    Document,
}

impl Route {
    /// An endpoint of the Content API.
    pub const fn content(path: &'static str, endpoint: content::Endpoint) -> Self {
        Self::new(Method::GET, path, Endpoint::Content(endpoint))
    }

    /// The change feed.
    pub const fn feed(path: &'static str, endpoint: content::Endpoint) -> Self {
        Self::new(Method::GET, path, Endpoint::Feed(endpoint))
    }

    /// An endpoint that needs no key.
    pub const fn open(path: &'static str, endpoint: content::Endpoint) -> Self {
        Self::new(Method::GET, path, Endpoint::Open(endpoint))
    }

    /// The OpenAPI document.
    pub const fn document(path: &'static str) -> Self {
        Self::new(Method::GET, path, Endpoint::Document)
    }

    /// An endpoint of the Admin API.
    pub const fn admin(
        method: Method,
        path: &'static str,
        permission: &'static Permission,
        endpoint: admin::Endpoint,
    ) -> Self {
        Self::new(method, path, Endpoint::Admin(permission, endpoint))
    }

    /// An endpoint of the Admin API for those who are not signed in yet.
    pub const fn entrance(method: Method, path: &'static str, endpoint: admin::Endpoint) -> Self {
        Self::new(method, path, Endpoint::Entrance(endpoint))
    }

    const fn new(method: Method, path: &'static str, endpoint: Endpoint) -> Self {
        Self {
            method,
            path,
            endpoint,
        }
    }
}

/// A path that led to a route.
pub struct Found<'a> {
    /// Where it led.
    pub route: &'static Route,
    /// What stood where the route has its variables, as sent.
    pub variables: Vec<&'a str>,
    /// Whether the path lacks the slash at its end.
    pub without_slash: bool,
}

/// The route for `method` and `path`, which is relative to `/ghost/api/`, with or without the slash at its end and in any
/// case of letters below `admin/`. `None` also for empty segments.
pub fn find<'a>(routes: &'static [Route], method: &Method, path: &'a str) -> Option<Found<'a>> {
    let asked = match *method {
        Method::HEAD => &Method::GET,
        _ => method,
    };
    let (path, without_slash) = match path.strip_suffix('/') {
        Some(path) => (path, false),
        None => (path, true),
    };
    routes
        .iter()
        // Most of them begin with another letter, which costs least to see.
        .filter(|route| begins_alike(route.path, path) && route.method == *asked)
        .filter_map(|route| variables(route.path, path).map(|variables| (route, variables)))
        // A literal beats a variable.
        .min_by_key(|(_, variables)| variables.len())
        .map(|(route, variables)| Found {
            route,
            variables,
            without_slash,
        })
}

fn begins_alike(pattern: &str, path: &str) -> bool {
    let first = |text: &str| text.bytes().next().map(|byte| byte.to_ascii_lowercase());
    first(pattern) == first(path)
}

/// The methods that `path` is there for, for `Allow`.
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

/// What stands for the variables of `pattern` in `path`. `None` when they do not match.
fn variables<'a>(pattern: &str, path: &'a str) -> Option<Vec<&'a str>> {
    let mut wanted = pattern.trim_end_matches('/').split('/');
    let mut given = path.split('/');
    // Ghost 6.65, recorded: paths of the Admin API are found in any case of letters.
    let in_any_case = pattern.starts_with("admin/");
    let mut found = Vec::new();
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(found),
            (Some("{}"), Some(segment)) if !segment.is_empty() => found.push(segment),
            (Some("{}"), _) => return None,
            (Some(literal), Some(segment)) if literal == segment => {}
            (Some(literal), Some(segment))
                if in_any_case && literal.eq_ignore_ascii_case(segment) => {}
            _ => return None,
        }
    }
}

/// A path below `/ghost/api/`, and the old version that stood in front of it.
#[derive(Clone, Copy)]
pub struct ApiPath<'a> {
    /// The path without the version, such as `content/posts/`.
    pub path: &'a str,
    version: Option<&'a str>,
}

/// The path of the OpenAPI document.
pub const DOCUMENT_PATH: &str = "openapi.json";

/// Versions that used to stand in paths and are still served there (specification section 9).
const OLD_VERSIONS: &[&str] = &["v2", "v3", "v4", "canary"];

impl<'a> ApiPath<'a> {
    /// Takes an old version off the front of `path`, if what follows is one of the two APIs.
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

    /// The version that the path asks for, as `Accept-Version` would name it.
    pub fn accept_version(&self) -> Option<String> {
        self.deprecated_version()
            .map(|version| format!("{version}.0"))
    }

    /// The old version in the path, as it stands there.
    pub fn version(&self) -> Option<&'a str> {
        self.version
    }

    /// The old version that answers warn of: `v2`, `v3` or `v4`, for which `canary` stands too.
    pub fn deprecated_version(&self) -> Option<&'a str> {
        self.version
            .map(|version| if version == "canary" { "v4" } else { version })
    }

    /// Whether it is a path of the Admin API, known or not.
    pub fn is_admin(&self) -> bool {
        self.path.starts_with("admin/")
    }

    /// Whether pages of every site may read what is there: the Content API, and the OpenAPI document.
    pub fn is_for_all_origins(&self) -> bool {
        self.is_content() || self.path == DOCUMENT_PATH
    }

    /// Whether it is a path of the Content API, known or not.
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
    fn a_literal_beats_a_variable() {
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
    fn extra_and_empty_segments_lead_nowhere() {
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
    fn old_versions_are_taken_off_in_front_of_an_api_only() {
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
