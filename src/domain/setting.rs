//! Settings of the site, with the table of all settings.
//!
//! The table defines the name, the type and the default of each setting, and whether the Content
//! API shows it.

mod table;
mod unsupported;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use jiff::tz::TimeZone;
use serde_json::{Value, json};

pub use self::{
    table::SETTINGS,
    unsupported::{LABS, UNSUPPORTED, UNSUPPORTED_LABS, UnsupportedSetting},
};
use super::{file_reference::FileReference, permission::permissions, post::Visibility};
use crate::{id::Id, reader_texts::ReaderTexts};

permissions! {
    SETTINGS_BROWSE: "settings", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    SETTINGS_EDIT: "settings", "edit" => Yes, Yes, No, No, No, No, No;
}

/// The local part of the support address, unless one is set (Ghost 6.65, recorded).
pub const DEFAULT_SUPPORT_NAME: &str = "noreply";

/// The setting with the tiers of posts whose default visibility is "tiers".
pub const DEFAULT_TIERS: &str = "default_content_visibility_tiers";

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// Text of at most this many characters.
    Text(usize),
    /// A URL, stored in stored form.
    Url,
    /// HTML that is added to every page.
    Markup,
    /// A boolean.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The IANA name of a time zone.
    TimeZone,
    /// A list of links: `{label, url}`, with further keys as sent.
    Navigation,
    /// A list of words.
    Words,
    /// Data of the editor: JSON text of at most this many characters, which is not interpreted.
    Json(usize),
}

/// One row of the table.
pub struct Setting {
    /// Its name, on the wire and in `site.toml`.
    pub key: &'static str,
    /// Its type.
    pub kind: SettingType,
    /// Its default, as JSON text.
    pub default: &'static str,
    /// True if the Content API serves the setting (specification 2.7; further keys as recorded from
    /// Ghost 6.65).
    pub public: bool,
    /// The sources that can set it.
    pub sources: SettingSources,
    /// Its description.
    pub about: &'static str,
}

impl Setting {
    /// Returns whether the default is empty.
    pub fn is_empty_by_default(&self) -> bool {
        matches!(self.default, "null" | "\"\"")
    }

    /// Returns its group in Ghost (Ghost 6.65, recorded).
    pub fn group(&self) -> &'static str {
        match self.key {
            "members_signup_access"
            | "members_support_address"
            | "blocked_email_domains"
            | "members_track_sources"
            | "default_content_visibility"
            | DEFAULT_TIERS => "members",
            "comments_enabled" => "comments",
            "outbound_link_tagging" => "analytics",
            "recommendations_enabled" => "recommendations",
            "is_private" | "password" | "public_hash" => "private",
            "active_theme" => "theme",
            "require_email_mfa" => "security",
            "labs" => "labs",
            "unsplash" => "unsplash",
            "shared_views" => "views",
            key if key.starts_with("portal_") => "portal",
            key if key.starts_with("editor_") => "editor",
            key if key.starts_with("announcement_") => "announcement",
            key if key.starts_with("pintura") => "pintura",
            _ => "site",
        }
    }
}

/// The sources that can set a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSources {
    /// Content files, imports and the Admin API.
    Everywhere,
    /// Imports and the Admin API. The value refers to records by identifier, which content files do
    /// not use.
    Records,
    /// The Admin API only. The setting belongs to staff and front ends rather than to the site.
    Staff,
    /// Galley itself only.
    Internal,
}

/// Returns the settings that content files and exported folders contain.
pub fn of_site() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| setting.sources == SettingSources::Everywhere)
}

/// Returns the settings that imports in Ghost's format accept (Ghost 6.65, recorded). Not accepted
/// are the password of a private site, experimental editor features, and references to tiers of
/// another site.
pub fn of_imports() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| match setting.sources {
        SettingSources::Everywhere | SettingSources::Records => setting.key != "url",
        SettingSources::Staff => !matches!(
            setting.key,
            "is_private" | "password" | "portal_products" | "labs"
        ),
        SettingSources::Internal => false,
    })
}

/// The settings of a site: the values that were set, and the table's defaults for the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, Value>,
    of_file: BTreeSet<String>,
    files: Box<[FileReference]>,
}

impl Settings {
    /// Returns settings with these values, none of which comes from a content file.
    pub fn new(values: BTreeMap<String, Value>) -> Self {
        Self::with_file(values, BTreeSet::new())
    }

    /// Returns settings with these values. The values of the keys in `of_file` come from a content
    /// file.
    pub fn with_file(values: BTreeMap<String, Value>, of_file: BTreeSet<String>) -> Self {
        Self {
            files: FileReference::in_texts(values.values().map(Value::to_string)),
            values,
            of_file,
        }
    }

    /// Returns the same settings with `key` set to `value`.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.values.insert(key.to_owned(), value);
        // Not only inserted: the references to files are computed again from the values.
        Self::with_file(self.values, self.of_file)
    }

    /// Returns the values that were set, without the defaults.
    pub fn set_values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    /// Returns the keys that are set by a content file.
    pub fn keys_of_file(&self) -> &BTreeSet<String> {
        &self.of_file
    }

    /// Returns whether a value that was set refers to `file`.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.files.binary_search(&file).is_ok()
    }

    /// Returns the value of `key`, set or default; null for an unknown key.
    pub fn get(&self, key: &str) -> Cow<'_, Value> {
        match self.values.get(key) {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(default_of(key)),
        }
    }

    /// Returns the text of `key`; `None` if it is empty or not a text.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.get(key).as_ref() {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns whether the boolean `key` is true.
    pub fn is_on(&self, key: &str) -> bool {
        *self.get(key) == json!(true)
    }

    /// Returns the time zone of the site's dates; UTC if the setting is not a known time zone.
    pub fn time_zone(&self) -> TimeZone {
        self.text("timezone")
            .and_then(|name| TimeZone::get(&name).ok())
            .unwrap_or(TimeZone::UTC)
    }

    /// Returns the texts for readers, in the language of the site.
    pub fn reader_texts(&self) -> ReaderTexts {
        ReaderTexts::of(&self.text("locale").unwrap_or_default())
    }

    /// Returns the support address of a site at `host`. If the setting is not a complete address,
    /// it is the local part.
    pub fn support_address(&self, host: &str) -> String {
        match self.text("members_support_address") {
            None => format!("{DEFAULT_SUPPORT_NAME}@{host}"),
            Some(address) if address.contains('@') => address,
            Some(before) => format!("{before}@{host}"),
        }
    }

    /// Returns the visibility of posts that do not specify it.
    pub fn default_visibility(&self) -> Visibility {
        self.text("default_content_visibility")
            .and_then(|name| Visibility::from_name(&name))
            .unwrap_or(Visibility::Public)
    }

    /// Returns the tiers of posts that do not specify their visibility; empty unless the default
    /// visibility is "tiers".
    pub fn default_tiers(&self) -> Vec<Id> {
        if self.default_visibility() != Visibility::Tiers {
            return Vec::new();
        }
        let listed = self.get(DEFAULT_TIERS);
        let listed = listed.as_array().into_iter().flatten();
        listed
            .filter_map(|tier| tier.as_str()?.parse().ok())
            .collect()
    }
}

fn default_of(key: &str) -> Value {
    SETTINGS
        .iter()
        .find(|setting| setting.key == key)
        .and_then(|setting| serde_json::from_str(setting.default).ok())
        .unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_json_and_keys_are_unique() {
        for (index, setting) in SETTINGS.iter().enumerate() {
            assert!(
                serde_json::from_str::<Value>(setting.default).is_ok(),
                "{}",
                setting.key
            );
            assert!(
                SETTINGS[index + 1..]
                    .iter()
                    .all(|other| other.key != setting.key),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn set_values_take_precedence_over_defaults() {
        let unset = Settings::default();
        assert_eq!(unset.text("timezone").as_deref(), Some("Etc/UTC"));
        assert_eq!(unset.time_zone().iana_name(), Some("Etc/UTC"));

        let set = Settings::new([("timezone".to_owned(), json!("Asia/Kathmandu"))].into());
        assert_eq!(set.time_zone().iana_name(), Some("Asia/Kathmandu"));
        assert_eq!(set.text("locale").as_deref(), Some("en"));
    }
}
