//! The URLs of the scripts of readers, on a CDN or on the site itself.

use std::borrow::Cow;

use crate::reader_scripts::Manifest;

/// The path of installed scripts on the site.
pub const SCRIPTS_PATH: &str = "/public/reader-scripts/";

/// The URLs of the scripts of Ghost that pages load. By default, they are on Ghost's CDN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptUrls {
    /// Sign-up, sign-in and the account of members.
    pub portal: Cow<'static, str>,
    /// Search.
    pub search: Cow<'static, str>,
    /// The styles of search.
    pub search_styles: Cow<'static, str>,
    /// The announcement bar.
    pub announcement_bar: Cow<'static, str>,
    /// Comments below posts.
    pub comments: Cow<'static, str>,
    /// The toolbar of staff.
    pub admin_toolbar: Cow<'static, str>,
}

impl Default for ScriptUrls {
    /// Returns the URLs on the CDN, in the versions of Ghost 6.65.
    fn default() -> Self {
        let url = |url: &'static str| Cow::Borrowed(url);
        Self {
            portal: url("https://cdn.jsdelivr.net/ghost/portal@~2.71/umd/portal.min.js"),
            search: url("https://cdn.jsdelivr.net/ghost/sodo-search@~1.8/umd/sodo-search.min.js"),
            search_styles: url("https://cdn.jsdelivr.net/ghost/sodo-search@~1.8/umd/main.css"),
            announcement_bar: url(
                "https://cdn.jsdelivr.net/ghost/announcement-bar@~1.1/umd/announcement-bar.min.js",
            ),
            comments: url("https://cdn.jsdelivr.net/ghost/comments-ui@~1.6/umd/comments-ui.min.js"),
            admin_toolbar: url(
                "https://cdn.jsdelivr.net/ghost/admin-toolbar@~0.1/umd/admin-toolbar.min.js",
            ),
        }
    }
}

impl ScriptUrls {
    /// Returns the URLs on a site in this subdirectory. Scripts of packages that are not installed are on the CDN.
    pub fn on_site(subdirectory: &str, installed: &Manifest) -> Self {
        let url = |package, file, on_cdn| match installed.path_of(package, file) {
            Some(path) => Cow::Owned(format!("{subdirectory}{SCRIPTS_PATH}{path}")),
            None => on_cdn,
        };
        let cdn = Self::default();
        Self {
            portal: url("portal", "umd/portal.min.js", cdn.portal),
            search: url("sodo-search", "umd/sodo-search.min.js", cdn.search),
            search_styles: url("sodo-search", "umd/main.css", cdn.search_styles),
            announcement_bar: url(
                "announcement-bar",
                "umd/announcement-bar.min.js",
                cdn.announcement_bar,
            ),
            comments: url("comments-ui", "umd/comments-ui.min.js", cdn.comments),
            // The package is not published at npm. Only pages of staff load it.
            admin_toolbar: cdn.admin_toolbar,
        }
    }
}
