//! The settings of projects of Zola.

use std::path::Path;

use crate::generators::settings::{
    Settings,
    literals::{data_in, inner, keys, text},
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let table = data_in(root, "config").or_else(|| data_in(root, "zola"));
    let table = table.unwrap_or_default();
    let languages = inner(&table, "languages").map(keys).unwrap_or_default();
    let mut settings = Settings {
        language: text(&table, "default_language").filter(|_| !languages.is_empty()),
        languages,
        ..Settings::default()
    };
    settings.set_url(&text(&table, "base_url").unwrap_or_default());
    settings
}
