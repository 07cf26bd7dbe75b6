//! The URLs of the reader scripts, on a CDN or on the site itself.

use std::borrow::Cow;

use super::theme::Theme;
use crate::reader_scripts::Manifest;

/// The path of installed scripts on the site.
pub const SCRIPTS_PATH: &str = "/public/reader-scripts/";

/// The origin of the reader scripts that pages load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScriptChoice {
    /// Ghost's scripts if they are installed. Otherwise, Galley's script for a theme that comes with Galley, and Ghost's scripts
    /// from its CDN for other themes.
    #[default]
    Automatic,
    /// Galley's own small script and pages.
    Galley,
    /// Ghost's scripts, from the site if they are installed, otherwise from Ghost's CDN.
    Ghost,
}

impl ScriptChoice {
    /// The names of all choices in the configuration.
    pub const NAMES: [&str; 3] = ["auto", "galley", "ghost"];

    /// Returns the choice with a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Automatic,
            "galley" => Self::Galley,
            "ghost" => Self::Ghost,
            _ => return None,
        })
    }

    /// Returns the scripts for the pages of a site in a subdirectory.
    pub fn scripts(
        self,
        theme: &Theme,
        subdirectory: &str,
        installed: Option<&Manifest>,
    ) -> ScriptUrls {
        let of_ghost = match installed {
            Some(manifest) => ScriptUrls::on_site(subdirectory, manifest),
            None => ScriptUrls::default(),
        };
        let own = match self {
            Self::Automatic if installed.is_none() && theme.is_built_in => {
                Some(OwnScript::default())
            }
            Self::Galley => Some(OwnScript::default()),
            Self::Automatic | Self::Ghost => None,
        };
        ScriptUrls { own, ..of_ghost }
    }
}

/// Galley's own reader script, which replaces Portal, search and the announcement bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnScript {
    /// Whether the page is for a static host, where forms and search are hidden.
    pub is_static: bool,
}

/// The URLs of Ghost's scripts that pages load. The default is Ghost's CDN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptUrls {
    /// Galley's own script, if pages load it instead of Portal, search, the announcement bar and comments.
    pub own: Option<OwnScript>,
    /// Portal: sign-up, sign-in and the account of members.
    pub portal: Cow<'static, str>,
    /// Search.
    pub search: Cow<'static, str>,
    /// The style sheet of search.
    pub search_styles: Cow<'static, str>,
    /// The announcement bar.
    pub announcement_bar: Cow<'static, str>,
    /// Comments.
    pub comments: Cow<'static, str>,
    /// The admin toolbar for staff.
    pub admin_toolbar: Cow<'static, str>,
}

impl Default for ScriptUrls {
    /// Returns the URLs on the CDN, with the versions of Ghost 6.65.
    fn default() -> Self {
        let url = |url: &'static str| Cow::Borrowed(url);
        Self {
            own: None,
            // The CDN resolves `~2.71` to the latest patch release, so no checksum of the script
            // can be given.
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
    /// Returns the URLs on a site in a subdirectory. Scripts of packages that are not installed are on the CDN.
    pub fn on_site(subdirectory: &str, installed: &Manifest) -> Self {
        let url = |package, file, on_cdn| match installed.path_of(package, file) {
            Some(path) => Cow::Owned(format!("{subdirectory}{SCRIPTS_PATH}{path}")),
            None => on_cdn,
        };
        let cdn = Self::default();
        Self {
            own: None,
            portal: url("portal", "umd/portal.min.js", cdn.portal),
            search: url("sodo-search", "umd/sodo-search.min.js", cdn.search),
            search_styles: url("sodo-search", "umd/main.css", cdn.search_styles),
            announcement_bar: url(
                "announcement-bar",
                "umd/announcement-bar.min.js",
                cdn.announcement_bar,
            ),
            comments: url("comments-ui", "umd/comments-ui.min.js", cdn.comments),
            // This package is not published on npm, and only pages of staff load it.
            admin_toolbar: cdn.admin_toolbar,
        }
    }
}
