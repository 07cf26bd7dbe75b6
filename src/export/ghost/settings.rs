//! Settings (`settings`) and settings of the active theme (`custom_theme_settings`).

use serde::Serialize;
use serde_json::Value;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{
    catalog::Catalog,
    domain::{
        UNDATED,
        setting::{SETTINGS, Setting, SettingType, UNSUPPORTED},
        theme::{CustomKind, ThemeSettings},
    },
    id::Id,
};

/// A row of `settings`, whose values are all text.
#[derive(Serialize)]
struct SettingRow<'a> {
    id: Id,
    group: &'a str,
    key: &'a str,
    value: Option<String>,
    r#type: &'a str,
    flags: Option<&'a str>,
    created_at: Time,
    updated_at: Time,
}

impl<'a> SettingRow<'a> {
    fn of(key: &'a str, group: &'a str, r#type: &'a str, value: Option<String>) -> Self {
        Self {
            id: Id::derive("setting", key),
            group,
            key,
            value,
            r#type,
            flags: flags(key),
            created_at: Time(UNDATED),
            updated_at: Time(UNDATED),
        }
    }
}

/// Returns Ghost's flags of a setting: served to readers (`PUBLIC`), or ignored by imports (`RO`)
/// (Ghost 6.65, recorded).
fn flags(key: &str) -> Option<&'static str> {
    match key {
        "members_support_address" => Some("PUBLIC,RO"),
        "active_theme" => Some("RO"),
        "threads"
        | "bluesky"
        | "mastodon"
        | "tiktok"
        | "youtube"
        | "instagram"
        | "linkedin"
        | "announcement_content"
        | "announcement_background" => Some("PUBLIC"),
        key if key.starts_with("transistor_") => Some("PUBLIC"),
        _ => None,
    }
}

/// Writes the current value of each setting, including defaults, because defaults may differ on
/// another site. Unsupported settings are written as clients see them.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("settings")?;
    // In Ghost, the URL of the site is part of the configuration, not of the settings.
    for setting in SETTINGS.iter().filter(|setting| setting.key != "url") {
        let value = text_of(&catalog.settings.get(setting.key));
        table.row(&SettingRow::of(
            setting.key,
            setting.group(),
            type_of(setting),
            value,
        ))?;
    }
    for setting in UNSUPPORTED.iter().filter(|setting| setting.is_exported()) {
        let value = setting.text();
        table.row(&SettingRow::of(
            setting.key,
            setting.group,
            type_of_absent(setting.key, value.as_deref()),
            value,
        ))?;
    }
    report.add("settings", table.end()?);
    Ok(())
}

/// Returns a value as text: texts unchanged, booleans as words, lists as JSON.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn type_of(setting: &Setting) -> &'static str {
    match setting.kind {
        SettingType::Switch => "boolean",
        SettingType::Navigation | SettingType::Words => "array",
        // The default is the JSON text of a text, which itself contains JSON.
        SettingType::Json(_) if setting.default.starts_with("\"{") => "object",
        SettingType::Json(_) if setting.default.starts_with("\"[") => "array",
        SettingType::Text(_)
        | SettingType::Url
        | SettingType::Markup
        | SettingType::Choice(_)
        | SettingType::TimeZone
        | SettingType::Json(_) => "string",
    }
}

fn type_of_absent(key: &str, value: Option<&str>) -> &'static str {
    match (key, value) {
        ("stripe_connect_livemode", _) | (_, Some("true" | "false")) => "boolean",
        ("donations_suggested_amount" | "machine_payments_amount", _) => "number",
        (_, Some("[]")) => "array",
        _ => "string",
    }
}

/// A row of `custom_theme_settings`, whose values are all text.
#[derive(Serialize)]
struct ThemeSettingRow<'a> {
    id: Id,
    theme: &'a str,
    key: &'a str,
    r#type: &'a str,
    value: Option<String>,
}

/// Writes the current value of each setting of the active theme.
pub fn write_theme_settings(
    settings: Option<&ThemeSettings>,
    document: &mut ExportDocument,
) -> Result<(), ExportError> {
    let mut table = document.table("custom_theme_settings")?;
    for (theme, setting, value) in settings.into_iter().flat_map(|settings| {
        let rows = settings.settings.iter();
        rows.map(|(setting, value)| (&settings.theme, setting, value))
    }) {
        table.row(&ThemeSettingRow {
            id: setting.id(theme),
            theme,
            key: &setting.key,
            r#type: match setting.kind {
                CustomKind::Select(_) => "select",
                CustomKind::Boolean => "boolean",
                CustomKind::Color => "color",
                CustomKind::Image => "image",
                CustomKind::Text => "text",
            },
            value: match value {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            },
        })?;
    }
    table.end()?;
    Ok(())
}
