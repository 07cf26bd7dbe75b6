//! Parsing of setting values from text, for imports and for the Admin API.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use url::Url;

use super::setting::{Setting, SettingType};
use crate::render::{
    active_urls::{Usage, is_active},
    urls,
};

/// Longest HTML, in characters (Ghost 6.65, recorded).
pub const MARKUP_CHARACTERS_MAX: usize = 65_535;

/// Longest URL, in characters (Ghost 6.65, recorded).
pub const URL_CHARACTERS_MAX: usize = 2000;

/// Maximum number of entries of a menu or another list.
pub const ENTRIES_MAX: usize = 1000;

/// Parses `text` as the value of a setting of this type, in stored form; `None` if it is invalid.
/// `site` is the site's URL.
pub fn parse(kind: SettingType, text: &str, site: &Url) -> Option<Value> {
    let is_short = |max: usize| text.chars().count() <= max;
    match kind {
        SettingType::Text(max) => is_short(max).then(|| json!(text)),
        SettingType::Url => {
            is_short(URL_CHARACTERS_MAX).then(|| json!(urls::url_to_stored(text, site)))
        }
        SettingType::Markup => {
            is_short(MARKUP_CHARACTERS_MAX).then(|| json!(urls::html_to_stored(text, site)))
        }
        SettingType::Switch => match text {
            "true" | "1" => Some(json!(true)),
            "false" | "0" => Some(json!(false)),
            _ => None,
        },
        SettingType::Choice(words) => words.contains(&text).then(|| json!(text)),
        SettingType::TimeZone => TimeZone::get(text).is_ok().then(|| json!(text)),
        // Further keys, such as `children`, are stored as sent (Ghost 6.65, observed).
        SettingType::Navigation => entries(text, |entry| {
            entry.get("url")?.is_string().then(|| entry.clone())
        }),
        SettingType::Json(max) => {
            let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            (is_short(max) && is_json()).then(|| json!(text))
        }
        SettingType::Words => entries(text, |entry| Some(json!(entry.as_str()?))),
    }
}

/// Settings that contain profiles on other sites, as names or URLs.
const PROFILES: &[&str] = &[
    "facebook",
    "twitter",
    "threads",
    "bluesky",
    "mastodon",
    "tiktok",
    "youtube",
    "instagram",
    "linkedin",
];

/// Returns the usage of a setting that contains a URL; `None` for other settings.
fn usage(setting: &Setting) -> Option<Usage> {
    match setting.kind {
        SettingType::Url => Some(Usage::Image),
        _ if setting.key == "portal_button_icon" => Some(Usage::Image),
        _ if PROFILES.contains(&setting.key) => Some(Usage::Link),
        _ => None,
    }
}

/// Returns the value of a setting without URLs that run code: menu entries are removed, other
/// values are emptied. The removed URLs are added to `removed`.
pub fn without_active_urls(setting: &Setting, value: Value, removed: &mut Vec<String>) -> Value {
    match (value, usage(setting)) {
        (Value::String(url), Some(usage)) if is_active(&url, usage) => {
            removed.push(url);
            emptied(setting).unwrap_or_default()
        }
        (mut menu, _) if setting.kind == SettingType::Navigation => {
            remove_active_links(&mut menu, removed);
            menu
        }
        (value, _) => value,
    }
}

/// Removes menu entries whose URL runs code, including nested ones.
pub fn remove_active_links(menu: &mut Value, removed: &mut Vec<String>) {
    match menu {
        Value::Array(entries) => {
            entries.retain(|entry| {
                let url = entry["url"].as_str().unwrap_or_default();
                let is_safe = !is_active(url, Usage::Link);
                if !is_safe {
                    removed.push(url.to_owned());
                }
                is_safe
            });
            // The recursion is bounded, because `serde_json` rejects deeply nested text.
            for entry in entries {
                remove_active_links(entry, removed);
            }
        }
        Value::Object(entry) => {
            for value in entry.values_mut() {
                remove_active_links(value, removed);
            }
        }
        _ => {}
    }
}

/// Returns the empty value of a setting; `None` if the setting cannot be empty, and null if the
/// empty value equals an unset one.
pub fn emptied(setting: &Setting) -> Option<Value> {
    match (setting.kind, setting.default) {
        _ if setting.is_empty_by_default() => Some(Value::Null),
        (SettingType::Text(_), _) => Some(json!("")),
        (SettingType::Json(_), default) => serde_json::from_str(default).ok(),
        (SettingType::Navigation | SettingType::Words, _) => Some(json!([])),
        _ => None,
    }
}

/// Describes the values that a setting of this type accepts.
pub fn expected(kind: SettingType) -> String {
    match kind {
        SettingType::Text(max) => format!("text of at most {max} characters"),
        SettingType::Markup => format!("HTML of at most {MARKUP_CHARACTERS_MAX} characters"),
        SettingType::Url => {
            format!("a URL of at most {URL_CHARACTERS_MAX} characters")
        }
        SettingType::Switch => "true or false".to_owned(),
        SettingType::Choice(words) => format!("one of {}", words.join(", ")),
        SettingType::TimeZone => "the name of a time zone".to_owned(),
        SettingType::Navigation => "a list of links with label and url".to_owned(),
        SettingType::Words => "a list of words".to_owned(),
        SettingType::Json(max) => format!("JSON of at most {max} characters"),
    }
}

/// Parses the list in this JSON text with `read` for each entry; `None` if an entry is invalid.
fn entries(text: &str, read: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    let list: Vec<Value> = serde_json::from_str(text).ok()?;
    if list.len() > ENTRIES_MAX {
        return None;
    }
    list.iter()
        .map(read)
        .collect::<Option<Vec<_>>>()
        .map(Value::Array)
}
