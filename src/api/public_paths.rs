//! The paths that a proxy forwards to Galley if the site has a separate front end.
//!
//! With `front_end = "theme"`, Galley serves all paths. The proxy configurations in `docs/proxy.md` and `examples/` are based on
//! this list.

/// A pattern of paths, which are relative to the site. `*` matches any text at the beginning or end of the pattern,
/// and any text without a slash elsewhere.
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

/// The paths of a site with the default `path_prefix`.
pub const PUBLIC_PATHS: &[PublicPath] = &[
    path("/ghost", "a redirect to `/ghost/`"),
    path("/ghost/*", "the APIs, the admin app and the set-up"),
    path("/content/*", "images and other files"),
    path("/members/*", "accounts of readers"),
    path("/unsubscribe", "links in newsletters"),
    path("/unsubscribe/*", "the same"),
    path("/p/*", "previews of drafts"),
    path("/email/*", "posts that are sent by mail only"),
    path("/public/*", "scripts for readers"),
    path("*/rss", "redirects to RSS feeds"),
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
