//! Settings: what is said about the whole site. One table says which there are.
//!
//! The table decides what may be set, with which type, what holds when nothing is set, and what the Content API shows.

mod absent;
mod table;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use jiff::tz::TimeZone;
use serde_json::{Value, json};

pub use self::{
    absent::{ABSENT, AbsentSetting},
    table::SETTINGS,
};
use super::{file_reference::FileReference, post::Visibility};
use crate::id::Id;

/// What stands before the `@` of the address that members write to, as long as none is set (Ghost 6.65, recorded).
pub const STANDING_SENDER: &str = "noreply";

/// The setting that names the tiers of posts which are for tiers by default.
pub const DEFAULT_TIERS: &str = "default_content_visibility_tiers";

/// What a setting's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// Text of at most so many characters.
    Text(usize),
    /// An address, stored with the site's own address replaced by a mark.
    Address,
    /// HTML that goes into every page.
    Markup,
    /// Yes or no.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The IANA name of a time zone.
    TimeZone,
    /// A list of `{label, url}`.
    Navigation,
    /// A list of words.
    Words,
    /// What editors keep for themselves: JSON text of at most so many characters, which nobody here looks into.
    Json(usize),
}

/// One row of the table.
pub struct Setting {
    /// Its name, on the wire and in `site.toml`.
    pub key: &'static str,
    /// What its value may be.
    pub kind: SettingType,
    /// What holds when it is not set, as JSON text.
    pub default: &'static str,
    /// Whether the Content API shows it (specification 2.7; further keys as recorded from Ghost 6.65).
    pub public: bool,
    /// Who sets it.
    pub reach: Reach,
    /// What it is for.
    pub about: &'static str,
}

impl Setting {
    /// Whether nothing holds as long as it is not set.
    pub fn is_empty_by_default(&self) -> bool {
        matches!(self.default, "null" | "\"\"")
    }

    /// The group that Ghost sorts it into (Ghost 6.65, recorded).
    pub fn group(&self) -> &'static str {
        match self.key {
            "members_signup_access"
            | "members_support_address"
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

/// Who sets a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Content files, imports and the Admin API.
    Everywhere,
    /// Imports and the Admin API: it names records by their identifiers, which content files do not write.
    Records,
    /// The Admin API alone: what is about staff and front ends rather than about the site.
    Staff,
    /// Galley itself.
    Nobody,
}

/// The settings that content files know, and folders that are written as such.
pub fn of_site() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| setting.reach == Reach::Everywhere)
}

/// The settings that imports of Ghost's form take (Ghost 6.65, recorded). What a private site asks its readers for, what
/// editors keep of experiments and what names tiers of another site is left to whoever runs this one.
pub fn of_imports() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| match setting.reach {
        Reach::Everywhere | Reach::Records => setting.key != "url",
        Reach::Staff => !matches!(
            setting.key,
            "is_private" | "password" | "portal_products" | "labs"
        ),
        Reach::Nobody => false,
    })
}

/// The settings of a site: what was set, and the table's defaults for the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, Value>,
    of_file: BTreeSet<String>,
    files: Box<[FileReference]>,
}

impl Settings {
    /// The settings with these values set, none of them by a content file.
    pub fn new(values: BTreeMap<String, Value>) -> Self {
        Self::with_file(values, BTreeSet::new())
    }

    /// The settings with these values set, those of the keys `of_file` by a content file.
    pub fn with_file(values: BTreeMap<String, Value>, of_file: BTreeSet<String>) -> Self {
        Self {
            files: FileReference::in_texts(values.values().map(Value::to_string)),
            values,
            of_file,
        }
    }

    /// The same settings with `key` set to `value`.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.values.insert(key.to_owned(), value);
        Self::with_file(self.values, self.of_file)
    }

    /// What was set, without the defaults.
    pub fn set_values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    /// The keys that a content file sets: they change with that file only.
    pub fn keys_of_file(&self) -> &BTreeSet<String> {
        &self.of_file
    }

    /// Whether what was set refers to this file.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.files.binary_search(&file).is_ok()
    }

    /// The value that holds for `key`; null for a key that the table does not have.
    pub fn get(&self, key: &str) -> Cow<'_, Value> {
        match self.values.get(key) {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(default_of(key)),
        }
    }

    /// The text that holds for `key`; `None` when it is empty or no text.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.get(key).as_ref() {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether the switch `key` is on.
    pub fn is_on(&self, key: &str) -> bool {
        *self.get(key) == json!(true)
    }

    /// The time zone of the site's dates; UTC when the one that is set is unknown here.
    pub fn time_zone(&self) -> TimeZone {
        self.text("timezone")
            .and_then(|name| TimeZone::get(&name).ok())
            .unwrap_or(TimeZone::UTC)
    }

    /// Where members of a site at `host` write to: the address that is set, or what is set as the part before its `@`.
    pub fn support_address(&self, host: &str) -> String {
        match self.text("members_support_address") {
            None => format!("{STANDING_SENDER}@{host}"),
            Some(address) if address.contains('@') => address,
            Some(before) => format!("{before}@{host}"),
        }
    }

    /// Who may read a post that does not say so itself.
    pub fn default_visibility(&self) -> Visibility {
        self.text("default_content_visibility")
            .and_then(|name| Visibility::from_name(&name))
            .unwrap_or(Visibility::Public)
    }

    /// The tiers that such a post is for; none unless it is for tiers.
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
    fn every_default_is_json_and_no_key_stands_twice() {
        for (place, setting) in SETTINGS.iter().enumerate() {
            assert!(
                serde_json::from_str::<Value>(setting.default).is_ok(),
                "{}",
                setting.key
            );
            assert!(
                SETTINGS[place + 1..]
                    .iter()
                    .all(|other| other.key != setting.key),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn what_was_set_holds_and_defaults_hold_for_the_rest() {
        let unset = Settings::default();
        assert_eq!(unset.text("timezone").as_deref(), Some("Etc/UTC"));
        assert_eq!(unset.time_zone().iana_name(), Some("Etc/UTC"));

        let set = Settings::new([("timezone".to_owned(), json!("Asia/Kathmandu"))].into());
        assert_eq!(set.time_zone().iana_name(), Some("Asia/Kathmandu"));
        assert_eq!(set.text("locale").as_deref(), Some("en"));
    }
}
