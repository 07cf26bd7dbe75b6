//! The URLs of the scripts of readers, on a CDN or on the site itself.

use std::borrow::Cow;

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
