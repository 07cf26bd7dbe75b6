//! The settings of Pelican, by its reference "Settings".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

const DATES: &str = "dates are those of headers, else of names and folders";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("ARTICLE_PATHS"),
    read("ARTICLE_SAVE_AS"),
    read("ARTICLE_URL"),
    read("DEFAULT_LANG"),
    read("MARKDOWN"),
    read("PAGE_PATHS"),
    read("PAGE_SAVE_AS"),
    read("PAGE_URL"),
    read("PATH"),
    read("SITEURL"),
    read("SLUGIFY_SOURCE"),
    read("TIMEZONE"),
    read("TYPOGRIFY"),
    reported(
        "ARTICLE_EXCLUDES",
        "",
        "documents in these folders are read",
    ),
    reported(
        "ARTICLE_LANG_URL",
        "",
        "translations have the URLs of articles",
    ),
    reported("DEFAULT_DATE", "None", DATES),
    reported(
        "DEFAULT_METADATA",
        "{}",
        "documents have their own metadata only",
    ),
    reported(
        "EXTRA_PATH_METADATA",
        "{}",
        "files have the paths of their folders",
    ),
    reported("FILENAME_METADATA", "", DATES),
    reported("IGNORE_FILES", "", "these files are read"),
    reported("PAGE_EXCLUDES", "", "documents in these folders are read"),
    reported("PATH_METADATA", "", DATES),
    reported(
        "PLUGINS",
        "[]",
        "plugins are not run, and documents are read without them",
    ),
    reported("READERS", "{}", "documents are read by their extensions"),
    reported(
        "SLUG_REGEX_SUBSTITUTIONS",
        "",
        "slugs are made by the usual rules",
    ),
    reported("TYPOGRIFY_DASHES", "default", "dashes are the usual ones"),
    no_effect("DEFAULT_DATE_FORMAT"),
    no_effect("DEFAULT_PAGINATION"),
    no_effect("RELATIVE_URLS"),
    no_effect("SUMMARY_MAX_LENGTH"),
    no_effect("WITH_FUTURE_DATES"),
];
