//! The settings of Eleventy, from its references "Configuration", "Markdown" and "Data cascade", and the options of
//! markdown-it.

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("addGlobalData"),
    read("addPassthroughCopy"),
    read("amendLibrary"),
    read("dir.data"),
    read("dir.includes"),
    read("dir.input"),
    read("dir.layouts"),
    read("ignores.add"),
    read("markdownIt.breaks"),
    read("markdownIt.linkify"),
    read("markdownIt.typographer"),
    read("setDataFileBaseName"),
    read("setLibrary"),
    read("templateFormats"),
    reported(
        "addDataExtension",
        "",
        "only data files in JSON and JavaScript are read",
    ),
    reported("addDateParsing", "", "dates follow the default rules"),
    reported("addPreprocessor", "", "documents are read as written"),
    reported("addTransform", "", "pages are not transformed"),
    reported(
        "setFrontMatterParsingOptions",
        "",
        "front matter is between lines of `---`",
    ),
    no_effect("addCollection"),
    no_effect("addFilter"),
    no_effect("addShortcode"),
    no_effect("dir.output"),
    no_effect("markdownIt.html"),
    no_effect("markdownTemplateEngine"),
    no_effect("pathPrefix"),
];
