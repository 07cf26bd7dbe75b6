//! Settings of Quartz: `quartz.config.ts`, of which literal values and plugins with known names are read.

use std::path::Path;

use crate::{
    generators::settings::{
        Settings,
        literals::literal,
        reference::{SettingRow, no_effect, read, reported},
        script_in, scripts,
    },
    render::markdown::{Dialect, Typography},
};

/// The settings that date notes, choose files or change Markdown, by the reference "Configuration" of Quartz.
pub(super) const ROWS: &[SettingRow] = &[
    read("configuration.baseUrl"),
    read("enableSmartyPants"),
    read("Plugin.HardLineBreaks"),
    reported(
        "configuration.ignorePatterns",
        "",
        "notes outside of `private/` and `templates/` are read",
    ),
    no_effect("configuration.defaultDateType"),
    no_effect("configuration.locale"),
];

const CONFIGURATION: [&str; 1] = ["quartz.config"];

/// Reads the settings of the project `root`, whose dialect is `own` without them.
pub(super) fn read_project(root: &Path, own: Dialect) -> Settings {
    let script = script_in(root, &CONFIGURATION);
    let mut settings = Settings {
        dialect: Some(Dialect {
            line_breaks: script.contains("Plugin.HardLineBreaks("),
            typography: match scripts::truth(&script, "enableSmartyPants") {
                Some(false) => Typography::AS_TYPED,
                _ => own.typography,
            },
            ..own
        }),
        ..Settings::default()
    };
    if let Some(host) = literal(&script, "baseUrl") {
        settings.set_url(&format!("https://{host}"));
    }
    let patterns = scripts::value(&script, "configuration.ignorePatterns").unwrap_or_default();
    let is_usual = patterns.split(['[', ']', ',']).all(|pattern| {
        let pattern = pattern.trim().trim_matches(['"', '\'', '`']);
        matches!(pattern, "" | "private" | "templates" | ".obsidian")
    });
    let rows = ROWS
        .iter()
        .filter(|row| !is_usual || !row.key.ends_with("ignorePatterns"));
    let rows: Vec<SettingRow> = rows.copied().collect();
    settings.report_scripts(root, &CONFIGURATION, &rows);
    settings
}
