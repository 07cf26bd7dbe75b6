//! The parts of a page that only staff see: a preview of unsaved settings, and the toolbar.

use serde_json::{Map, Value as Json};
use url::form_urlencoded;

/// The changes to a page that a request of staff makes. Pages of readers have the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaffView {
    /// The unsaved settings that this page previews.
    pub preview: Option<PreviewSettings>,
    /// Whether the page has the toolbar of the admin app.
    pub has_toolbar: bool,
}

/// Settings that staff preview on a page before saving them, as the admin app sends them (Ghost 6.65).
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewSettings {
    /// The query string that contains them.
    pub query: String,
    site: Vec<(&'static str, Option<String>)>,
    /// The values of the theme's settings.
    pub custom: PreviewValues,
    /// The announcement; `None` if no reader would see it.
    pub announcement: Option<PreviewAnnouncement>,
}

/// The previewed values of the theme's settings.
#[derive(Clone, Debug, PartialEq)]
pub enum PreviewValues {
    /// No values are previewed.
    Saved,
    /// The theme has no settings at all.
    Absent,
    /// Values that replace the saved ones.
    Chosen(Map<String, Json>),
}

/// A previewed announcement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewAnnouncement {
    /// The HTML.
    pub content: String,
    /// The name of the colour scheme; empty if there is none.
    pub background: String,
}

/// The settings of the site that can be previewed, with their names in the query.
const SITE_SETTINGS: [(&str, &str); 7] = [
    ("c", "accent_color"),
    ("icon", "icon"),
    ("logo", "logo"),
    ("cover", "cover_image"),
    ("d", "description"),
    ("bf", "body_font"),
    ("hf", "heading_font"),
];

/// The name of the theme's values in the query.
const CUSTOM: &str = "custom";

/// The property of `@site` that contains the query itself.
const QUERY: &str = "_preview";

impl PreviewSettings {
    /// Parses the settings in a query; `None` if the query is empty. Unknown names and invalid values are ignored.
    pub fn parse(query: &str) -> Option<Self> {
        if query.is_empty() {
            return None;
        }
        let pairs = form_urlencoded::parse(query.strip_prefix('?').unwrap_or(query).as_bytes());
        let pairs: Vec<(String, String)> = pairs.into_owned().collect();
        let last = |name: &str| {
            let mut values = pairs.iter().rev().filter(|(own, _)| own == name);
            values.next().map(|(_, value)| given(value))
        };
        let site = SITE_SETTINGS
            .into_iter()
            .filter_map(|(name, setting)| Some((setting, last(name)?)))
            .map(|(setting, value)| (setting, value.map(str::to_owned)));
        Some(Self {
            query: query.to_owned(),
            site: site.collect(),
            custom: last(CUSTOM).map_or(PreviewValues::Saved, PreviewValues::of),
            announcement: PreviewAnnouncement::of(&pairs),
        })
    }

    /// Returns a previewed property of `@site`; `None` if it is not previewed, `Some(None)` if it is emptied.
    pub fn property(&self, name: &str) -> Option<Option<&str>> {
        if name == QUERY {
            return Some(Some(&self.query));
        }
        let mut preview = self.site.iter().filter(|(setting, _)| *setting == name);
        preview.next().map(|(_, value)| value.as_deref())
    }

    /// Returns the previewed text of a setting of the site; `None` if it is emptied or not previewed.
    pub fn text(&self, setting: &str) -> Option<&str> {
        self.property(setting).flatten()
    }

    /// Returns the names of the previewed properties of `@site`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.site.iter().map(|(setting, _)| *setting);
        names.chain([QUERY])
    }
}

/// Returns a value of the query; `None` for the spellings of an empty value.
fn given(value: &str) -> Option<&str> {
    Some(value).filter(|value| !matches!(*value, "" | "null" | "undefined"))
}

impl PreviewValues {
    fn of(value: Option<&str>) -> Self {
        let Some(text) = value else {
            return Self::Absent;
        };
        match serde_json::from_str(text) {
            Ok(Json::Object(values)) => Self::Chosen(values),
            // A malformed value must not empty the settings of the theme.
            _ => Self::Saved,
        }
    }
}

impl PreviewAnnouncement {
    /// Returns the announcement in a query, if the query has its text and its audience.
    fn of(pairs: &[(String, String)]) -> Option<Self> {
        let first = |name: &str| {
            let mut values = pairs.iter().filter(|(own, _)| own == name);
            values.next().map(|(_, value)| value.clone())
        };
        // Without an audience, no reader would see the announcement.
        first("announcement_vis")?;
        Some(Self {
            content: first("announcement").filter(|content| !content.is_empty())?,
            background: first("announcement_bg").unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_by_their_short_names() {
        let preview = PreviewSettings::parse("c=%23ff0000&logo=&d=null&x=1&c=%2300ff00").unwrap();
        assert_eq!(preview.property("accent_color"), Some(Some("#00ff00")));
        assert_eq!(preview.property("logo"), Some(None));
        assert_eq!(preview.property("description"), Some(None));
        assert_eq!(preview.property("icon"), None);
        assert_eq!(preview.custom, PreviewValues::Saved);
        assert_eq!(PreviewSettings::parse(""), None);
    }

    #[test]
    fn malformed_values_of_the_theme_are_ignored() {
        for (query, expected) in [
            ("custom=%7Bbroken", PreviewValues::Saved),
            ("custom=%5B1%5D", PreviewValues::Saved),
            ("custom=7", PreviewValues::Saved),
            ("custom=", PreviewValues::Absent),
            ("custom=%7B%7D", PreviewValues::Chosen(Map::new())),
        ] {
            assert_eq!(PreviewSettings::parse(query).unwrap().custom, expected);
        }
    }

    #[test]
    fn announcement_needs_a_text_and_readers() {
        let announcement = |query: &str| PreviewSettings::parse(query).unwrap().announcement;
        assert_eq!(announcement("announcement=%3Cp%3Ea"), None);
        assert_eq!(
            announcement("announcement=&announcement_vis=visitors"),
            None
        );
        let shown = announcement("announcement=%3Cp%3Ea&announcement_vis=");
        assert_eq!(shown.unwrap().content, "<p>a");
    }
}
