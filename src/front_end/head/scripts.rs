//! The reader scripts: Portal, search, the announcement bar and comments.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::page::Page;
use crate::{
    front_end::{OwnScript, PreviewSettings, public_files},
    reader_texts::ReaderTexts,
    templates::escape,
};

/// The styles of the call to action below the preview of a gated post, as in Ghost 6.65 (recorded).
const MEMBERS_STYLES: &str = include_str!("members.css");

/// Returns the elements for Portal and the styles of gated posts, unless they are excluded; empty if the site has neither members
/// nor recommendations.
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
    if !is_excluded("portal") && page.state.scripts.own.is_none() {
        let site = page.state.site_urls.site();
        let api = format!("{site}{}/api/content/", page.state.path_prefix);
        let preview = page.state.staff.preview.as_ref();
        let accent_color = preview.and_then(|preview| preview.text("accent_color"));
        // Previewed settings come from the query of a request.
        let accent_color = accent_color.map(escape);
        let mut attributes = vec![
            ("i18n", "true"),
            ("ghost", site),
            ("key", &page.state.content_key),
            ("api", &api),
            ("locale", &page.state.locale),
        ];
        if let Some(color) = &accent_color {
            attributes.push(("accent-color", color));
        }
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

/// Returns the element for Galley's own script, which replaces Portal, search and the announcement bar. Excluded parts are
/// disabled; empty if all parts are excluded.
pub(super) fn own(page: &Page, script: OwnScript, is_excluded: impl Fn(&str) -> bool) -> String {
    let parts = ["portal", "search", "announcement"];
    if parts.into_iter().all(&is_excluded) {
        return String::new();
    }
    let name = "readers.min.js";
    let path = page.state.site_urls.public_path(&format!("/public/{name}"));
    let sum = public_files::sum_of(name, &page.state.theme.package).unwrap_or_default();
    let mut attributes = format!(" data-site=\"{}\"", page.state.site_urls.site());
    let preview = page.state.staff.preview.as_ref();
    let may_announce = !is_excluded("announcement");
    for (name, is_on) in [
        ("search", !is_excluded("search")),
        (
            "announcement",
            // In a preview, only the previewed announcement is shown.
            may_announce && preview.is_none() && has_announcement(page),
        ),
        ("static", script.is_static),
    ] {
        if is_on {
            attributes.push_str(&format!(" data-{name}"));
        }
    }
    let preview = preview.and_then(|preview| preview.announcement.as_ref());
    if let Some(preview) = preview.filter(|_| may_announce) {
        attributes.push_str(&format!(
            " data-tried-announcement=\"{}\" data-tried-background=\"{}\"",
            escape(&preview.content),
            escape(&preview.background)
        ));
    }
    let texts = own_script_texts(&page.state.locale);
    if !texts.is_empty() {
        let json = serde_json::to_string(&texts).unwrap_or_default();
        attributes.push_str(&format!(" data-texts=\"{}\"", escape(&json)));
    }
    format!("<script defer src=\"{path}?v={sum}\"{attributes}></script>")
}

/// Returns the translations for Galley's own script, by their English texts; none for English.
fn own_script_texts(locale: &str) -> BTreeMap<&'static str, &'static str> {
    let texts = ReaderTexts::of(locale);
    let translated = |english| (english, texts.text(english));
    let translated = OWN_SCRIPT_TEXTS.iter().copied().map(translated);
    translated
        .filter(|(english, text)| english != text)
        .collect()
}

/// The texts that Galley's own script shows.
const OWN_SCRIPT_TEXTS: &[&str] = &[
    "Close",
    "Copy the link",
    "Share",
    "Something went wrong. Please try again.",
    "You are a member now.",
    "You are signed in.",
    "You are subscribed.",
    "You could not be signed in: the link is invalid or was used before.",
    "You could not be signed up: the link is invalid or was used before.",
    "You could not be subscribed: the link is invalid or was used before.",
    "Your address could not be changed: the link is invalid or was used before.",
    "Your address is changed.",
];

/// Returns the element for search.
pub(super) fn search(page: &Page) -> String {
    let attributes = [
        ("key", page.state.content_key.as_str()),
        ("styles", &page.state.scripts.search_styles),
        ("sodo-search", page.state.site_urls.site()),
        ("locale", &page.state.locale),
    ];
    script(&page.state.scripts.search, &attributes)
}

/// Returns the element for the announcement bar; empty if there is no announcement for any readers. Staff who preview settings
/// see only the previewed announcement.
pub(super) fn announcement_bar(page: &Page) -> String {
    if let Some(preview) = &page.state.staff.preview {
        return preview_announcement_bar(page, preview);
    }
    if !has_announcement(page) {
        return String::new();
    }
    announcement_script(page, &[])
}

/// Returns whether the site has an announcement for some readers.
fn has_announcement(page: &Page) -> bool {
    let settings = &page.state.snapshot.catalog.settings;
    let readers = settings.get("announcement_visibility");
    let has_readers = readers
        .as_array()
        .is_some_and(|readers: &Vec<Json>| !readers.is_empty());
    settings.text("announcement_content").is_some() && has_readers
}

fn preview_announcement_bar(page: &Page, preview: &PreviewSettings) -> String {
    let Some(announcement) = &preview.announcement else {
        return String::new();
    };
    let content = escape(&announcement.content);
    let background = escape(&announcement.background);
    let attributes = [
        ("announcement", content.as_str()),
        ("announcement-background", &background),
        ("preview", "true"),
    ];
    announcement_script(page, &attributes)
}

/// Returns the element for the announcement bar with additional attributes.
fn announcement_script(page: &Page, added: &[(&str, &str)]) -> String {
    let site = page.state.site_urls.site();
    let api = format!("{site}members/api/announcement/");
    let mut attributes = vec![("announcement-bar", site), ("api-url", &api)];
    attributes.extend(added);
    script(&page.state.scripts.announcement_bar, &attributes)
}

/// Returns the element for a script of the CDN. The values of the data attributes must be escaped.
pub(super) fn script(url: &str, attributes: &[(&str, &str)]) -> String {
    let attributes: String = attributes
        .iter()
        .map(|(name, value)| format!(" data-{name}=\"{value}\""))
        .collect();
    format!("<script defer src=\"{url}\"{attributes} crossorigin=\"anonymous\"></script>")
}
