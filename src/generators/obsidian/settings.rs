//! Reads the settings of Obsidian: `.obsidian/app.json`.

use std::path::Path;

use crate::{
    generators::settings::{
        ProjectSettings,
        literals::{data_in, truth_at},
        reference::{SettingRow, no_effect, read, unsupported_in_data},
    },
    render::markdown::Dialect,
};

/// The settings that change notes, from Obsidian's help.
pub(super) const ROWS: &[SettingRow] = &[
    read("strictLineBreaks"),
    no_effect("alwaysUpdateLinks"),
    no_effect("attachmentFolderPath"),
    no_effect("newLinkFormat"),
    no_effect("useMarkdownLinks"),
    no_effect("userIgnoreFilters"),
];

/// The name of the settings file, without extension.
pub(super) const FILE: &str = ".obsidian/app";

/// Reads the settings of the vault `root`.
pub(super) fn read_vault(root: &Path) -> ProjectSettings {
    let table = data_in(root, FILE).unwrap_or_default();
    ProjectSettings {
        dialect: Some(Dialect {
            // By default, Obsidian shows line breaks.
            line_breaks: truth_at(&table, "strictLineBreaks") != Some(true),
            ..Dialect::OBSIDIAN
        }),
        problems: unsupported_in_data(root, FILE, &[], ROWS, &table),
        ..ProjectSettings::default()
    }
}
