//! The settings of projects of Hexo.

use std::path::Path;

use crate::generators::{
    permalink::AddressRules,
    settings::{
        Settings,
        literals::{clean, data_in, text},
    },
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let table = data_in(root, "_config").unwrap_or_default();
    let mut settings = Settings {
        roots: text(&table, "source_dir")
            .map(|source| clean(&source))
            .into_iter()
            .collect(),
        addresses: AddressRules {
            style: text(&table, "permalink").unwrap_or_default(),
            ..AddressRules::default()
        },
        time_zone: text(&table, "timezone"),
        ..Settings::default()
    };
    settings.set_url(&text(&table, "url").unwrap_or_default());
    if let Some(path) = text(&table, "root") {
        settings.base_path = path.trim_end_matches('/').to_owned();
    }
    settings
}
