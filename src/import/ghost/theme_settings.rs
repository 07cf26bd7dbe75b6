//! Imports theme settings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{importer::Importer, rows::RowReader};
use crate::{
    domain::theme::{ChosenValues, TEXT_CHARACTERS_MAX},
    error::Result,
    import::Outcome,
    render::urls,
    store::Table,
};

/// The name of theme settings in the report.
const PLURAL: &str = "theme settings";

/// Longest name of a theme and of a setting, in bytes.
const NAME_BYTES_MAX: usize = 191;

/// Maximum number of settings that are read, of all themes.
const SETTINGS_MAX: usize = 1000;

impl Importer<'_> {
    /// Imports theme settings. They take effect once a theme that has these settings is installed.
    pub fn theme_settings(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut chosen: BTreeMap<String, ChosenValues> = BTreeMap::new();
        let mut unread = tables.theme_settings.len().saturating_sub(SETTINGS_MAX);
        for row in tables.theme_settings.iter().take(SETTINGS_MAX) {
            let row = row.read();
            let names = name(&row, "theme").zip(name(&row, "key"));
            match names.zip(self.theme_value(&row)) {
                Some(((theme, key), value)) => {
                    chosen.entry(theme).or_default().values.insert(key, value);
                }
                None => unread += 1,
            }
            let unknown = row.unread(&["id"]);
            self.unknown_columns.add("custom_theme_settings", unknown);
        }
        if unread > 0 {
            self.report.leave_out(
                "table custom_theme_settings",
                format!(
                    "{unread} of its rows were skipped: without a theme or a setting, too long, or too many"
                ),
            );
        }
        for (theme, imported) in chosen {
            let stored = self
                .transaction
                .read(Table::ThemeSettings, theme.as_bytes())?;
            let before: ChosenValues = stored.unwrap_or_default();
            let mut after = before.clone();
            for (key, value) in imported.values {
                let outcome = match after.values.get(&key) {
                    Some(known) if *known == value => Outcome::Unchanged,
                    Some(_) => Outcome::Updated,
                    None => Outcome::Added,
                };
                self.report.count(PLURAL, outcome);
                after.values.insert(key, value);
            }
            if after != before {
                self.transaction
                    .put(Table::ThemeSettings, theme.as_bytes(), &after)?;
            }
        }
        Ok(())
    }

    /// Returns the value of a row; `None` if it is too long.
    fn theme_value(&self, row: &RowReader<'_>) -> Option<Value> {
        let kind = row.text("type");
        let Some(text) = row.text("value") else {
            return Some(Value::Null);
        };
        match kind.as_deref() {
            Some("boolean") => Some(Value::Bool(matches!(text.as_ref(), "true" | "1"))),
            Some("image") => {
                let stored = urls::url_to_stored(&text, self.site);
                Some(self.files.renamed(&stored).as_ref().into())
            }
            _ => (text.chars().count() <= TEXT_CHARACTERS_MAX).then(|| text.as_ref().into()),
        }
    }
}

fn name(row: &RowReader<'_>, column: &'static str) -> Option<String> {
    let name = row.text(column)?;
    (name.len() <= NAME_BYTES_MAX).then(|| name.into_owned())
}
