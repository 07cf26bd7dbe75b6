//! Reads the settings of Nuxt Content: literals in `nuxt.config.*`.

use std::path::Path;

use crate::{
    generators::settings::{
        ProjectSettings, default_locale, literals::literal, locales, math_plugins, script_in,
    },
    render::markdown::Dialect,
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path, own: Dialect) -> ProjectSettings {
    let script = script_in(root, &["nuxt.config"]);
    let mut settings = ProjectSettings {
        languages: locales(&script),
        language: default_locale(&script),
        dialect: Some(Dialect {
            math: math_plugins::of_remark(&script),
            ..own
        }),
        ..ProjectSettings::default()
    };
    super::collections::read(root, &mut settings);
    settings.report_scripts(root, &["nuxt.config"], super::reference::ROWS);
    if let Some(base) = literal(&script, "baseURL") {
        settings.base_path = base.trim_end_matches('/').to_owned();
    }
    settings
}
