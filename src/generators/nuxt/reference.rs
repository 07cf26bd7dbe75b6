//! The settings of Nuxt Content, from its references "Configuration" for versions 2 and 3.

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

const PLUGINS: &str = "plugins are not run, and the Markdown is read without them";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("app.baseURL"),
    read("i18n.defaultLocale"),
    read("i18n.locales"),
    reported("content.build.markdown.rehypePlugins", "", PLUGINS),
    reported("content.build.markdown.remarkPlugins", "", PLUGINS),
    reported(
        "content.build.pathMeta",
        "",
        "former URLs have the default form",
    ),
    reported("content.build.transformers", "", PLUGINS),
    reported(
        "content.ignores",
        "",
        "only documents with a name that begins with `.` or `_` are ignored",
    ),
    reported(
        "content.markdown.mdc",
        "true",
        "components in Markdown are expanded",
    ),
    reported("content.markdown.rehypePlugins", "", PLUGINS),
    reported("content.markdown.remarkPlugins", "", PLUGINS),
    reported("content.sources", "", "documents are those in `content`"),
    no_effect("content.build.markdown.highlight"),
    no_effect("content.build.markdown.toc"),
    no_effect("content.documentDriven"),
    no_effect("content.highlight"),
    no_effect("content.markdown.anchorLinks"),
    no_effect("content.markdown.toc"),
];
