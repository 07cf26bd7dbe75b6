//! Settings of Gatsby: `gatsby-config.*`, of which literal values and plugins with known names are read.

use std::path::Path;

use crate::{
    generators::settings::{
        Settings,
        literals::literal,
        reference::{SettingRow, no_effect, read, reported},
        script_in,
    },
    render::markdown::{Dialect, Typography},
};

/// The settings that make URLs or change Markdown, by the references of Gatsby and of its plugins for Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("gatsby-remark-smartypants"),
    read("pathPrefix"),
    read("siteMetadata.siteUrl"),
    reported(
        "mdxOptions",
        "",
        "plugins are not run, and the Markdown is read without them",
    ),
    no_effect("gatsby-remark-autolink-headers"),
    no_effect("gatsby-remark-images"),
    no_effect("gatsby-remark-prismjs"),
    no_effect("trailingSlash"),
];

const CONFIGURATION: [&str; 1] = ["gatsby-config"];

/// Reads the settings of the project `root`, whose dialect is `dialect` without them.
pub(super) fn read_project(root: &Path, mut dialect: Dialect) -> Settings {
    let script = script_in(root, &CONFIGURATION);
    if script.contains("gatsby-remark-smartypants") {
        dialect.typography = Typography::EM_DASHES;
    }
    let mut settings = Settings {
        dialect: Some(dialect),
        ..Settings::default()
    };
    settings.set_url(&literal(&script, "siteUrl").unwrap_or_default());
    if let Some(prefix) = literal(&script, "pathPrefix") {
        settings.base_path = prefix.trim_end_matches('/').to_owned();
    }
    settings.report_scripts(root, &CONFIGURATION, ROWS);
    settings
}
