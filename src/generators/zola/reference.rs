//! The settings of Zola, from its reference "Configuration".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("base_url"),
    read("default_language"),
    read("ignored_content"),
    read("languages"),
    read("markdown.definition_list"),
    read("markdown.external_links_no_follow"),
    read("markdown.external_links_no_referrer"),
    read("markdown.external_links_target_blank"),
    read("markdown.github_alerts"),
    read("markdown.render_emoji"),
    read("markdown.smart_punctuation"),
    reported("slugify.anchors", "on", "ids of headings are in ASCII"),
    reported("slugify.paths", "on", "former URLs are in ASCII"),
    reported(
        "slugify.paths_keep_dates",
        "false",
        "former URLs do not contain the dates of file names",
    ),
    no_effect("markdown.bottom_footnotes"),
    no_effect("markdown.external_links_class"),
    no_effect("markdown.highlight_code"),
    no_effect("markdown.highlighting"),
    no_effect("markdown.insert_anchor_links"),
    no_effect("markdown.lazy_async_image"),
    no_effect("taxonomies"),
];
