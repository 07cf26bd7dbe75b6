//! Settings of VuePress: `.vuepress/config.*`, of which literal values are read.

use std::path::Path;

use crate::{
    generators::settings::{Settings, markdown_it, script_in, scripts},
    render::markdown::Dialect,
};

/// The names of the configuration, without extension.
const CONFIGURATION: [&str; 1] = [".vuepress/config"];

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let script = script_in(root, &CONFIGURATION);
    let mut settings = Settings::default();
    settings.set_site(&script);
    settings.dialect = Some(Dialect {
        emoji: scripts::truth(&script, "markdown.emoji") != Some(false),
        ..markdown_it::with_options(&script, "markdown.", Dialect::VUE)
    });
    settings.report_scripts(root, &CONFIGURATION, super::reference::ROWS);
    settings
}
