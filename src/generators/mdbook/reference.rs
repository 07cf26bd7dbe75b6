//! The settings of mdBook, from its reference "Configuration".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("book.src"),
    read("output.html.admonitions"),
    read("output.html.curly-quotes"),
    read("output.html.definition-lists"),
    read("output.html.redirect"),
    read("output.html.smart-punctuation"),
    read("preprocessor.katex"),
    reported(
        "preprocessor.*.command",
        "",
        "preprocessors are not run, and the Markdown is read without them",
    ),
    no_effect("book.language"),
    no_effect("build.create-missing"),
    no_effect("output.html.mathjax-support"),
    no_effect("output.html.site-url"),
    no_effect("preprocessor.index"),
    no_effect("preprocessor.links"),
];
