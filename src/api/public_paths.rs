//! The paths that a proxy passes on to Galley beside a front end elsewhere.
//!
//! With `front_end = "theme"`, all paths are Galley's. The configurations of proxies in `docs/proxy.md` and `examples/` are made
//! from this list.

/// A pattern of paths, which are relative to the site. `*` at the begin or end is any text, elsewhere any text
/// without a slash.
#[derive(Clone, Copy, Debug)]
pub struct PublicPath {
    /// The pattern.
    pub pattern: &'static str,
    /// The purpose of the paths.
    pub about: &'static str,
}

const fn path(pattern: &'static str, about: &'static str) -> PublicPath {
    PublicPath { pattern, about }
}

/// The paths of a site, with the default of `path_prefix`.
pub const PUBLIC_PATHS: &[PublicPath] = &[
    path("/ghost/*", "the APIs, the admin app and the set-up"),
    path("/content/*", "images and other files"),
    path("/members/*", "accounts of readers"),
    path("/unsubscribe/*", "links in newsletters"),
    path("/p/*", "previews of drafts"),
    path("/email/*", "posts that are sent by mail only"),
    path("/public/*", "scripts for readers"),
    path("*/rss/", "RSS feeds"),
    path("*/feed.json", "JSON Feeds"),
    path("/sitemap*.xml", "sitemaps"),
    path("/sitemap.xsl", "the style of sitemaps"),
];

impl PublicPath {
    /// Returns the pattern as a regular expression.
    pub fn regular_expression(&self) -> String {
        let (begin, rest) = match self.pattern.strip_prefix('*') {
            Some(rest) => ("", rest),
            None => ("^", self.pattern),
        };
        let (rest, end) = match rest.strip_suffix('*') {
            Some(rest) => (rest, ""),
            None => (rest, "$"),
        };
        let escaped = rest.replace('.', "\\.").replace('*', "[^/]*");
        format!("{begin}{escaped}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::feeds::SitemapKind, front_end::SCRIPTS_PATH};

    fn is_public(path: &str) -> bool {
        PUBLIC_PATHS.iter().any(|public| {
            let expression = regex::Regex::new(&public.regular_expression());
            expression.expect("the expression is valid").is_match(path)
        })
    }

    #[test]
    fn paths_of_galley_are_public_and_those_of_a_front_end_are_not() {
        let of_galley = [
            "/ghost/",
            "/ghost/api/content/posts/",
            "/content/images/a.png",
            "/members/api/session/",
            "/unsubscribe/",
            "/p/6f/",
            "/email/6f/",
            "/rss/",
            "/tag/night/rss/",
            "/author/ada/feed.json",
            "/sitemap.xml",
            "/sitemap.xsl",
            "/sitemap-posts-2.xml",
            SCRIPTS_PATH,
        ];
        for path in of_galley {
            assert!(is_public(path), "{path}");
        }
        for kind in SitemapKind::ALL {
            assert!(is_public(&format!("/sitemap-{}.xml", kind.name())));
        }
        for path in [
            "/",
            "/a-post/",
            "/ghostly/",
            "/about/content/",
            "/rss-feeds/",
        ] {
            assert!(!is_public(path), "{path}");
        }
    }
}
