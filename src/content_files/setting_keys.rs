//! The settings of the site as the keys of `site.toml`.

use serde_json::Value as Json;
use toml::Value;

use crate::{
    content_files::{menu::is_tables, written_keys::WrittenKeys},
    content_text::url_form::{UrlForm, UrlWriter},
    domain::{
        setting::{self, Setting, SettingType, Settings},
        theme::FILE_SETTINGS,
    },
};

/// Returns the keys of all settings that differ from the defaults.
pub fn keys(settings: &Settings, form: UrlForm) -> WrittenKeys {
    let default = Settings::default();
    let mut keys = WrittenKeys::new(form);
    for setting in setting::of_site() {
        let value = settings.get(setting.key);
        if shown(&value) != shown(&default.get(setting.key)) {
            add(&mut keys, setting, &value);
        }
    }
    if let themes @ Json::Object(_) = settings.get(FILE_SETTINGS).as_ref() {
        add_theme_settings(&mut keys, themes);
    }
    keys
}

/// Returns a value as served: an empty text is null (Ghost 6.65, recorded).
pub fn shown(value: &Json) -> &Json {
    match value {
        Json::String(text) if text.is_empty() => &Json::Null,
        other => other,
    }
}

/// Adds a setting.
pub fn add(keys: &mut WrittenKeys, setting: &Setting, value: &Json) {
    let form = keys.form();
    match (setting.kind, value) {
        // An empty text overrides the default.
        (_, Json::Null) => keys.text(setting.key, ""),
        (SettingType::Url, Json::String(url)) => {
            keys.text(setting.key, form.url(url));
        }
        (SettingType::Markup, Json::String(markup)) => {
            keys.text(setting.key, &form.markup(markup));
        }
        (SettingType::Navigation, menu) if !is_tables(menu) => {
            keys.text(setting.key, &menu.to_string());
        }
        (_, value) => keys.add(setting.key, as_toml(value)),
    }
}

/// Adds the values of settings of themes.
pub fn add_theme_settings(keys: &mut WrittenKeys, themes: &Json) {
    let themes = with_form(themes, keys.form());
    keys.add(FILE_SETTINGS, as_toml(&themes));
}

/// Returns values of settings of themes with their URLs in this form. TOML has no null, so it is written as an empty
/// text, which has the same meaning.
fn with_form(values: &Json, form: UrlForm) -> Json {
    match values {
        Json::Object(entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (key.clone(), with_form(value, form)))
                .collect()
        }
        Json::String(text) => form.url(text).into(),
        Json::Null => "".into(),
        other => other.clone(),
    }
}

/// Converts the value of a setting to TOML. All values can be converted: texts, booleans, lists of texts, and menus that
/// [`is_tables`] accepts.
fn as_toml(value: &Json) -> Value {
    Value::try_from(value).unwrap_or_else(|_| Value::String(value.to_string()))
}
