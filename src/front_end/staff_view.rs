//! The parts of a page that only staff see: settings that are not saved yet, and the toolbar.

use serde_json::{Map, Value as Json};
use url::form_urlencoded;

/// The changes that a request of staff makes to its page. Readers' pages have the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaffView {
    /// The settings that are tried on this page alone.
    pub tried: Option<TriedSettings>,
    /// Whether the page has the toolbar of the admin app.
    pub has_toolbar: bool,
}

/// Settings that staff try on a page before they save them, as the admin app sends them (Ghost 6.65).
#[derive(Clone, Debug, PartialEq)]
pub struct TriedSettings {
    /// The query that they are written as.
    pub query: String,
    site: Vec<(&'static str, Option<String>)>,
    /// The values for the settings of the theme.
    pub custom: TriedValues,
    /// The announcement; `None` if no reader would see it.
    pub announcement: Option<TriedAnnouncement>,
}

/// The values that are tried for the settings of the theme.
#[derive(Clone, Debug, PartialEq)]
pub enum TriedValues {
    /// None is tried.
    Saved,
    /// The theme has no settings at all.
    Absent,
    /// These replace saved ones.
    Chosen(Map<String, Json>),
}

/// An announcement that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedAnnouncement {
    /// Its HTML.
    pub content: String,
    /// The name of its colours; empty if there is none.
    pub background: String,
}

/// The settings of the site that can be tried, by their names in the query.
const SITE_SETTINGS: [(&str, &str); 7] = [
    ("c", "accent_color"),
    ("icon", "icon"),
    ("logo", "logo"),
    ("cover", "cover_image"),
    ("d", "description"),
    ("bf", "body_font"),
    ("hf", "heading_font"),
];

/// The name of the values for the theme in the query.
const CUSTOM: &str = "custom";

/// The property of `@site` with the query itself.
const QUERY: &str = "_preview";

impl TriedSettings {
    /// Returns the settings that a query names; `None` for an empty query. Unknown names and unreadable values are ignored.
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
            custom: last(CUSTOM).map_or(TriedValues::Saved, TriedValues::of),
            announcement: TriedAnnouncement::of(&pairs),
        })
    }

    /// Returns the property of `@site` that is tried: null for a setting that is emptied; `None` for one that is not tried.
    pub fn property(&self, name: &str) -> Option<Option<&str>> {
        if name == QUERY {
            return Some(Some(&self.query));
        }
        let mut tried = self.site.iter().filter(|(setting, _)| *setting == name);
        tried.next().map(|(_, value)| value.as_deref())
    }

    /// Returns the text of a setting of the site that is tried; `None` if it is emptied or not tried.
    pub fn text(&self, setting: &str) -> Option<&str> {
        self.property(setting).flatten()
    }

    /// Returns the names of the properties of `@site` that are tried.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.site.iter().map(|(setting, _)| *setting);
        names.chain([QUERY])
    }
}

/// Returns a value of the query; `None` for the spellings of an empty one.
fn given(value: &str) -> Option<&str> {
    Some(value).filter(|value| !matches!(*value, "" | "null" | "undefined"))
}

impl TriedValues {
    fn of(value: Option<&str>) -> Self {
        let Some(text) = value else {
            return Self::Absent;
        };
        match serde_json::from_str(text) {
            Ok(Json::Object(values)) => Self::Chosen(values),
            _ => Self::Saved,
        }
    }
}

impl TriedAnnouncement {
    /// Returns the announcement that a query names, if it has a text and names its readers.
    fn of(pairs: &[(String, String)]) -> Option<Self> {
        let first = |name: &str| {
            let mut values = pairs.iter().filter(|(own, _)| own == name);
            values.next().map(|(_, value)| value.clone())
        };
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
        let tried = TriedSettings::parse("c=%23ff0000&logo=&d=null&x=1&c=%2300ff00").unwrap();
        assert_eq!(tried.property("accent_color"), Some(Some("#00ff00")));
        assert_eq!(tried.property("logo"), Some(None));
        assert_eq!(tried.property("description"), Some(None));
        assert_eq!(tried.property("icon"), None);
        assert_eq!(tried.custom, TriedValues::Saved);
        assert_eq!(TriedSettings::parse(""), None);
    }

    #[test]
    fn malformed_values_of_the_theme_are_ignored() {
        for (query, expected) in [
            ("custom=%7Bbroken", TriedValues::Saved),
            ("custom=%5B1%5D", TriedValues::Saved),
            ("custom=7", TriedValues::Saved),
            ("custom=", TriedValues::Absent),
            ("custom=%7B%7D", TriedValues::Chosen(Map::new())),
        ] {
            assert_eq!(TriedSettings::parse(query).unwrap().custom, expected);
        }
    }

    #[test]
    fn announcement_needs_a_text_and_readers() {
        let announcement = |query: &str| TriedSettings::parse(query).unwrap().announcement;
        assert_eq!(announcement("announcement=%3Cp%3Ea"), None);
        assert_eq!(
            announcement("announcement=&announcement_vis=visitors"),
            None
        );
        let shown = announcement("announcement=%3Cp%3Ea&announcement_vis=");
        assert_eq!(shown.unwrap().content, "<p>a");
    }
}
