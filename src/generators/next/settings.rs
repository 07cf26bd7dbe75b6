//! Reads the settings of Next.js: literal values in `next.config.*`.

use std::path::Path;

use crate::{
    generators::settings::{
        ProjectSettings, math_plugins,
        reference::{SettingRow, no_effect, read, reported},
        script_in, scripts,
    },
    render::markdown::Dialect,
};

const PLUGINS: &str = "plugins are not run, and the Markdown is read without them";

/// The settings that make URLs, choose languages or change Markdown, from the references of Next.js and `@next/mdx`.
pub(super) const ROWS: &[SettingRow] = &[
    read("basePath"),
    reported("options.rehypePlugins", "", PLUGINS),
    reported("options.remarkPlugins", "", PLUGINS),
    no_effect("pageExtensions"),
    no_effect("trailingSlash"),
];

const CONFIGURATION: [&str; 1] = ["next.config"];

/// Reads the settings of the project `root`.
pub(super) fn read_project(root: &Path, own: Dialect) -> ProjectSettings {
    let script = script_in(root, &CONFIGURATION);
    let base_path = scripts::value(&script, "basePath").and_then(scripts::scalar);
    let mut settings = ProjectSettings {
        base_path: base_path.unwrap_or_default(),
        dialect: Some(Dialect {
            // Projects configure remark anywhere in their code, so the
            // dependencies of the package count.
            math: math_plugins::of_package(root),
            ..own
        }),
        ..ProjectSettings::default()
    };
    settings.report_scripts(root, &CONFIGURATION, ROWS);
    settings
}
