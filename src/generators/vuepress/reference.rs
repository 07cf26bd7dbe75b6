//! The settings of VuePress, from its reference "Config".

use crate::generators::settings::{
    markdown_it::PLUGINS,
    reference::{SettingRow, no_effect, read, reported},
};

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("base"),
    read("lang"),
    read("locales"),
    read("markdown.breaks"),
    read("markdown.emoji"),
    read("markdown.linkify"),
    read("markdown.typographer"),
    read("permalink"),
    read("permalinkPattern"),
    reported("extendsMarkdown", "", PLUGINS),
    reported("markdown.extendMarkdown", "", PLUGINS),
    reported("markdown.plugins", "", PLUGINS),
    reported(
        "markdown.slugify",
        "",
        "heading ids follow the default rules",
    ),
    reported(
        "pagePatterns",
        "",
        "all Markdown files outside of `.vuepress` are documents",
    ),
    reported(
        "patterns",
        "",
        "all Markdown files outside of `.vuepress` are documents",
    ),
    no_effect("dest"),
    no_effect("markdown.anchor"),
    no_effect("markdown.html"),
    no_effect("markdown.lineNumbers"),
    no_effect("markdown.links"),
    no_effect("markdown.toc"),
];
