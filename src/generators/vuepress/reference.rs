//! The settings of VuePress, by its reference "Config".

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
    reported("markdown.slugify", "", "ids of headings are the usual ones"),
    reported(
        "pagePatterns",
        "",
        "documents are all Markdown outside of `.vuepress`",
    ),
    reported(
        "patterns",
        "",
        "documents are all Markdown outside of `.vuepress`",
    ),
    no_effect("dest"),
    no_effect("markdown.anchor"),
    no_effect("markdown.html"),
    no_effect("markdown.lineNumbers"),
    no_effect("markdown.links"),
    no_effect("markdown.toc"),
];
