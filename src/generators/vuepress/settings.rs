//! Settings of VuePress: `.vuepress/config.*`, of which literal values are read.

use std::path::Path;

use crate::generators::settings::{Settings, script_in};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> Settings {
    let script = script_in(root, &[".vuepress/config"]);
    let mut settings = Settings::default();
    settings.set_site(&script);
    settings
}
