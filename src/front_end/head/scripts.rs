//! The scripts of readers: Portal, search, the announcement bar and comments.

use serde_json::Value as Json;

use super::page::Page;

/// The styles of the box below the visible part of a gated post, as Ghost 6.65 writes them (recorded).
const MEMBERS_STYLES: &str = include_str!("members.css");

/// Returns Portal and the styles of gated posts, as far as they are not excluded; empty if the site has neither members nor
/// recommendations.
pub(super) fn members(page: &Page, is_excluded: impl Fn(&str) -> bool) -> String {
    let has_recommendations = page
        .state
        .snapshot
        .catalog
        .settings
        .is_on("recommendations_enabled");
    if !page.has_members() && !has_recommendations {
        return String::new();
    }
    let mut html = String::new();
    if !is_excluded("portal") {
        let site = page.state.site_urls.site();
        let attributes = [
            ("i18n", "true"),
            ("ghost", &site),
            ("key", &page.state.content_key),
            (
                "api",
                &format!("{site}{}/api/content/", page.state.path_prefix),
            ),
            ("locale", &page.state.locale),
        ];
        html.push_str(&script(&page.state.scripts.portal, &attributes));
    }
    if !is_excluded("cta_styles") {
        html.push_str(&format!(
            "<style id=\"gh-members-styles\">{}</style>",
            MEMBERS_STYLES.trim_end()
        ));
    }
    html
}

/// Returns the script of search.
pub(super) fn search(page: &Page) -> String {
    let attributes = [
        ("key", page.state.content_key.as_str()),
        ("styles", &page.state.scripts.search_styles),
        ("sodo-search", &page.state.site_urls.site()),
        ("locale", &page.state.locale),
    ];
    script(&page.state.scripts.search, &attributes)
}

/// Returns the script of the announcement bar; empty if there is no announcement for anyone.
pub(super) fn announcement_bar(page: &Page) -> String {
    let settings = &page.state.snapshot.catalog.settings;
    let readers = settings.get("announcement_visibility");
    let has_readers = readers
        .as_array()
        .is_some_and(|readers: &Vec<Json>| !readers.is_empty());
    if settings.text("announcement_content").is_none() || !has_readers {
        return String::new();
    }
    let site = page.state.site_urls.site();
    let api = format!("{site}members/api/announcement/");
    let attributes = [("announcement-bar", site.as_str()), ("api-url", &api)];
    script(&page.state.scripts.announcement_bar, &attributes)
}

/// Returns a script of the CDN with its data attributes.
fn script(url: &str, attributes: &[(&str, &str)]) -> String {
    let attributes: String = attributes
        .iter()
        .map(|(name, value)| format!(" data-{name}=\"{value}\""))
        .collect();
    format!("<script defer src=\"{url}\"{attributes} crossorigin=\"anonymous\"></script>")
}
