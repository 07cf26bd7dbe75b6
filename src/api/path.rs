//! Paths of the API, relative to its prefix, with or without a leading old version.

/// A path below `/ghost/api/`, with the old version that preceded it, if any.
#[derive(Clone, Copy)]
pub struct ApiPath<'a> {
    /// The path without the version, such as `content/posts/`.
    pub path: &'a str,
    version: Option<&'static str>,
}

/// The path of the OpenAPI document.
pub const DOCUMENT_PATH: &str = "openapi.json";

/// Old versions in paths that are still served (specification section 9).
const OLD_VERSIONS: &[&str] = &["v2", "v3", "v4", "canary"];

impl<'a> ApiPath<'a> {
    /// Strips an old version from the beginning of `path`, if the rest belongs to one of the two APIs.
    pub fn new(path: &'a str) -> Self {
        let versioned = path.split_once('/').and_then(|(version, rest)| {
            let version = OLD_VERSIONS.iter().find(|old| **old == version)?;
            // Ghost serves old versions only for the two APIs (6.65, observed).
            is_api(rest).then_some((*version, rest))
        });
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

    /// Returns the path from which the old version `version` has already been stripped.
    pub fn of_version(path: &'a str, version: Option<&'static str>) -> Self {
        Self { path, version }
    }

    /// Returns the version of the path, in the form of `Accept-Version`.
    pub fn accept_version(&self) -> Option<String> {
        self.deprecated_version()
            .map(|version| format!("{version}.0"))
    }

    /// Returns the old version as written in the path.
    pub fn version(&self) -> Option<&'static str> {
        self.version
    }

    /// Returns the old version for the header field `Deprecation`: `v2`, `v3` or `v4`, which is also
    /// used for `canary`.
    pub fn deprecated_version(&self) -> Option<&'static str> {
        self.version
            .map(|version| if version == "canary" { "v4" } else { version })
    }

    /// Returns whether this is a path of the Admin API, known or not.
    pub fn is_admin(&self) -> bool {
        self.path.starts_with("admin/")
    }

    /// Returns whether pages of all origins may read the response: that of the Content API, or the
    /// OpenAPI document.
    pub fn is_for_all_origins(&self) -> bool {
        self.is_content() || self.path == DOCUMENT_PATH
    }

    /// Returns whether this is a path of the Content API, known or not.
    pub fn is_content(&self) -> bool {
        self.path.starts_with("content/")
    }
}

fn is_api(rest: &str) -> bool {
    rest.starts_with("content/") || rest.starts_with("admin/")
}

#[cfg(test)]
mod tests {
    use super::*;

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
