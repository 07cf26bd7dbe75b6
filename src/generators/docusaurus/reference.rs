//! The settings of Docusaurus, from its references for `docusaurus.config.js` and for its plugins.

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

const PLUGINS: &str = "plugins are not run, and the Markdown is read without them";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("baseUrl"),
    read("i18n.defaultLocale"),
    read("i18n.locales"),
    read("markdown.emoji"),
    read("markdown.format"),
    read("redirects"),
    read("url"),
    reported(
        "createRedirects",
        "",
        "redirects come only from document paths and literal `redirects`",
    ),
    reported(
        "admonitions.keywords",
        "",
        "custom admonitions become elements with their names as classes",
    ),
    reported(
        "authorsMapPath",
        "authors.yml",
        "authors are read from `blog/authors.yml`",
    ),
    reported("beforeDefaultRehypePlugins", "", PLUGINS),
    reported("beforeDefaultRemarkPlugins", "", PLUGINS),
    reported(
        "exclude",
        "",
        "only documents with a name that begins with `_` are excluded",
    ),
    reported(
        "markdown.anchors.maintainCase",
        "false",
        "ids of headings are in lower case",
    ),
    reported(
        "markdown.parseFrontMatter",
        "",
        "front matter is read as it is written",
    ),
    reported(
        "markdown.preprocessor",
        "",
        "Markdown is read as it is written",
    ),
    reported(
        "numberPrefixParser",
        "true",
        "number prefixes are removed from published paths, but not from slugs",
    ),
    reported("rehypePlugins", "", PLUGINS),
    reported("remarkPlugins", "", PLUGINS),
    no_effect("markdown.hooks"),
    no_effect("markdown.mdx1Compat"),
    no_effect("markdown.mermaid"),
    no_effect("markdown.remarkRehypeOptions"),
    no_effect("onBrokenLinks"),
    no_effect("onBrokenMarkdownLinks"),
    no_effect("showLastUpdateTime"),
    no_effect("trailingSlash"),
];
