//! The settings of the active theme: `custom_theme_settings`.

use serde::Serialize;
use serde_json::Value;

use super::{super::ExportError, document::Document};
use crate::{
    domain::theme::{CustomKind, ThemeSettings},
    id::Id,
};

/// A row of `custom_theme_settings`, whose values are all text.
#[derive(Serialize)]
struct ThemeSettingRow<'a> {
    id: Id,
    theme: &'a str,
    key: &'a str,
    r#type: &'a str,
    value: Option<String>,
}

/// Writes the current value of each setting.
pub fn write(settings: Option<&ThemeSettings>, document: &mut Document) -> Result<(), ExportError> {
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
