//! The settings of Astro, by its "Configuration reference".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

const PLUGINS: &str = "plugins are not run, and the Markdown is read without them";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("base"),
    read("i18n.defaultLocale"),
    read("i18n.locales"),
    read("markdown.gfm"),
    read("markdown.smartypants"),
    read("redirects"),
    read("site"),
    reported("markdown.rehypePlugins", "", PLUGINS),
    reported("markdown.remarkPlugins", "", PLUGINS),
    reported("markdown.remarkRehype", "", PLUGINS),
    reported("srcDir", "./src", "documents are those in `src`"),
    no_effect("build.format"),
    no_effect("markdown.shikiConfig"),
    no_effect("markdown.syntaxHighlight"),
    no_effect("publicDir"),
    no_effect("trailingSlash"),
];
