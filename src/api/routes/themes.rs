//! Themes, redirects, routes, and the git repository of the site.

use super::{
    parameters::{COPIED_SETTINGS, LISTS, REPOSITORY},
    route::{
        BUSY, BodyLimit,
        Input::{Form, Json, NoBody},
        NO_CONTENT, OK,
        Output::{EmptyObject, Media, Nothing, Object, Page, Records},
        Route, delete, get, post, post_unauthenticated, put,
    },
    shape::Shape::{Any, File, Open, Ref, SizedList, Text},
};
use crate::{
    api::admin::{custom_theme_settings, git, redirects, routes_file, themes},
    domain::{
        permission::{
            CUSTOM_THEME_SETTINGS_BROWSE, CUSTOM_THEME_SETTINGS_EDIT, GIT_READ, GIT_SYNC,
            REDIRECTS_DOWNLOAD, REDIRECTS_UPLOAD, ROUTES_DOWNLOAD, ROUTES_UPLOAD,
        },
        theme::{
            THEMES_ACTIVATE, THEMES_BROWSE, THEMES_DELETE, THEMES_DOWNLOAD, THEMES_READ_ACTIVE,
            THEMES_UPLOAD,
        },
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Themes, redirects and routes.
    get("admin/themes/", &THEMES_BROWSE, themes::browse)
        .named("adminBrowseThemes", "Browse themes")
        .query(&[LISTS])
        .returns(OK, Page("themes", Ref("Theme"))),
    get("admin/themes/active/", &THEMES_READ_ACTIVE, themes::read_active)
        .named("readActiveTheme", "Read the active theme")
        .returns(OK, Records("themes", Ref("Theme"))),
    post("admin/themes/upload/", &THEMES_UPLOAD, themes::upload)
        .named("uploadTheme", "Upload a theme, which replaces one of the same name")
        .query(&[COPIED_SETTINGS])
        .takes(Form(&[("file", File)]))
        .returns(OK, Records("themes", Ref("Theme"))),
    post("admin/themes/install/", &THEMES_UPLOAD, themes::install)
        .named("installTheme", "Install the theme of a repository of GitHub, which replaces one of the same name")
        .query(&[REPOSITORY])
        .takes(NoBody)
        .runs_long()
        .returns(OK, Records("themes", Ref("Theme"))),
    put("admin/themes/{name}/activate/", &THEMES_ACTIVATE, themes::activate)
        .named("activateTheme", "Activate a theme")
        .takes(NoBody)
        .returns(OK, Records("themes", Ref("Theme"))),
    get("admin/themes/{name}/download/", &THEMES_DOWNLOAD, themes::download)
        .named("downloadTheme", "Download a theme as a zip archive")
        .returns(OK, Media("application/zip")),
    delete("admin/themes/{name}/", &THEMES_DELETE, themes::delete)
        .named("adminDeleteThemesById", "Delete a theme")
        .returns(NO_CONTENT, Nothing),
    get("admin/custom_theme_settings/", &CUSTOM_THEME_SETTINGS_BROWSE, custom_theme_settings::browse)
        .named("adminBrowseCustomThemeSettings", "Browse custom theme settings")
        .query(&[LISTS])
        .returns(OK, Page("custom_theme_settings", Ref("CustomThemeSetting"))),
    put("admin/custom_theme_settings/", &CUSTOM_THEME_SETTINGS_EDIT, custom_theme_settings::edit)
        .named("editCustomThemeSettings", "Edit settings of the active theme: all that are sent, or none")
        .takes(Json(&[("custom_theme_settings", SizedList(1, usize::MAX, &Open(&[("key", Text), ("value", Any)])))]))
        .returns(OK, Records("custom_theme_settings", Ref("CustomThemeSetting"))),
    get("admin/redirects/download/", &REDIRECTS_DOWNLOAD, redirects::download)
        .named("downloadRedirects", "Download the redirects as YAML")
        .returns(OK, Media("application/yaml")),
    post("admin/redirects/upload/", &REDIRECTS_UPLOAD, redirects::upload)
        .named("uploadRedirects", "Upload redirects as JSON or YAML, which replace the existing ones")
        .takes(Form(&[("redirects", File)]))
        .returns(OK, EmptyObject),
    get("admin/settings/routes/yaml/", &ROUTES_DOWNLOAD, routes_file::download)
        .named("downloadRoutes", "Download the routes file")
        .returns(OK, Media("application/yaml")),
    post("admin/settings/routes/yaml/", &ROUTES_UPLOAD, routes_file::upload)
        .named("uploadRoutes", "Upload a routes file, which replaces the existing one")
        .takes(Form(&[("routes", File)]))
        .returns(OK, EmptyObject),
    // The git repository of the site.
    get("admin/git/", &GIT_READ, git::browse)
        .named("readGit", "Read the state of the site's git repository")
        .query(&[LISTS])
        .returns(OK, Records("git", Ref("GitSource"))),
    post("admin/git/sync/", &GIT_SYNC, git::sync)
        .named("syncGit", "Sync with the repository now, and wait until its newest commit is served or rejected")
        .takes(NoBody)
        .fails(BUSY)
        .runs_long()
        .returns(OK, Records("git", Ref("GitSource"))),
    post_unauthenticated("admin/git/push/", git::push)
        .named("pushGit", "Receive a signed push webhook of GitHub, GitLab, Gitea or Forgejo")
        .takes(Json(&[("ref", Text)]))
        .limited_to(BodyLimit::Push)
        .returns(&[200, 202], Object("push")),
];
