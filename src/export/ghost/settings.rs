//! Settings: `settings`, a row for each.

use serde::Serialize;
use serde_json::Value;

use super::{
    super::{ExportError, Report},
    document::{Document, Time},
};
use crate::{
    catalog::Catalog,
    domain::{
        UNDATED,
        setting::{self, SettingType},
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

/// Writes the value that holds for each setting: what is the default here is another one elsewhere.
pub fn write(
    catalog: &Catalog,
    document: &mut Document,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("settings")?;
    for setting in setting::of_exports().filter(|setting| setting.key != "url") {
        table.row(&SettingRow {
            id: Id::derive("setting", setting.key),
            group: setting.group(),
            key: setting.key,
            value: text_of(&catalog.settings.get(setting.key)),
            r#type: type_of(setting.kind),
            flags: None,
            created_at: Time(UNDATED),
            updated_at: Time(UNDATED),
        })?;
    }
    report.add("settings", table.end()?);
    Ok(())
}

/// Texts as they are, switches as words, lists as JSON.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn type_of(kind: SettingType) -> &'static str {
    match kind {
        SettingType::Switch => "boolean",
        SettingType::Navigation | SettingType::Words => "array",
        SettingType::Text(_)
        | SettingType::Address
        | SettingType::Markup
        | SettingType::Choice(_)
        | SettingType::TimeZone
        | SettingType::Json(_) => "string",
    }
}
