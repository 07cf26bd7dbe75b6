//! Finding the route of a path: segment by segment, a literal before a variable.

use super::content;

/// One endpoint.
pub struct Route {
    /// Its path below `/ghost/api/`, with a slash at the end; `{}` stands for one segment.
    pub path: &'static str,
    /// Who may ask.
    pub access: Access,
    /// What answers.
    pub endpoint: content::Endpoint,
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whoever has a Content API key.
    ContentKey,
    /// Everybody.
    Open,
}

impl Route {
    /// An endpoint of the Content API.
    pub const fn content(path: &'static str, endpoint: content::Endpoint) -> Self {
        Self {
            path,
            access: Access::ContentKey,
            endpoint,
        }
    }

    /// An endpoint that needs no key.
    pub const fn open(path: &'static str, endpoint: content::Endpoint) -> Self {
        Self {
            path,
            access: Access::Open,
            endpoint,
        }
    }
}

/// A path that led to a route.
pub struct Found<'a> {
    /// Where it led.
    pub route: &'static Route,
    /// What stood where the route has its variable, as sent; empty for a route without one.
    pub variable: &'a str,
    /// Whether the path lacks the slash at its end.
    pub without_slash: bool,
}

/// The route for `path`, which is relative to `/ghost/api/`, with or without the slash at its end. `None` also for empty
/// segments.
pub fn find<'a>(routes: &'static [Route], path: &'a str) -> Option<Found<'a>> {
    let (path, without_slash) = match path.strip_suffix('/') {
        Some(path) => (path, false),
        None => (path, true),
    };
    let literal_first = |route: &&'static Route| route.path.matches("{}").count();
    routes
        .iter()
        .filter(|route| variable(route.path, path).is_some())
        .min_by_key(literal_first)
        .map(|route| Found {
            route,
            variable: variable(route.path, path).unwrap_or_default(),
            without_slash,
        })
}

/// What stands for the variable of `pattern` in `path`; empty when it has none. `None` when they do not match.
fn variable<'a>(pattern: &str, path: &'a str) -> Option<&'a str> {
    let mut wanted = pattern.trim_end_matches('/').split('/');
    let mut given = path.split('/');
    let mut found = "";
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(found),
            (Some("{}"), Some(segment)) if !segment.is_empty() => found = segment,
            (Some(literal), Some(segment)) if literal == segment && literal != "{}" => {}
            _ => return None,
        }
    }
}

/// A path below `/ghost/api/`, and the old version that stood in front of it.
pub struct ApiPath<'a> {
    /// The path without the version, such as `content/posts/`.
    pub path: &'a str,
    version: Option<&'a str>,
}

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

    /// The old version that answers warn of: `v2`, `v3` or `v4`, for which `canary` stands too.
    pub fn deprecated_version(&self) -> Option<&'a str> {
        self.version
            .map(|version| if version == "canary" { "v4" } else { version })
    }

    /// Whether it is a path of the Admin API, known or not.
    pub fn is_admin(&self) -> bool {
        self.path.starts_with("admin/")
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
        find(ROUTES, path).map(|found| (found.route.path, found.variable, found.without_slash))
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
