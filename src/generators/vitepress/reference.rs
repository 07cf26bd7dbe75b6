//! The settings of VitePress, from its reference "Site config".

use crate::generators::settings::{
    markdown_it::PLUGINS,
    reference::{SettingRow, no_effect, read, reported},
};

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("base"),
    read("cleanUrls"),
    read("lang"),
    read("locales"),
    read("markdown.breaks"),
    read("markdown.gfmAlerts"),
    read("markdown.linkify"),
    read("markdown.math"),
    read("markdown.typographer"),
    read("rewrites"),
    read("srcDir"),
    read("srcExclude"),
    reported(
        "markdown.anchor.slugify",
        "",
        "heading ids follow the default rules",
    ),
    reported(
        "markdown.attrs.disable",
        "false",
        "ids in braces after headings are parsed",
    ),
    reported("markdown.config", "", PLUGINS),
    reported("markdown.container", "", "containers have default titles"),
    reported("markdown.preConfig", "", PLUGINS),
    reported("markdown.quotes", "", "English quotation marks are used"),
    no_effect("lastUpdated"),
    no_effect("markdown.externalLinks"),
    no_effect("markdown.html"),
    no_effect("markdown.image"),
    no_effect("markdown.lineNumbers"),
    no_effect("markdown.theme"),
    no_effect("markdown.toc"),
    no_effect("outDir"),
];
