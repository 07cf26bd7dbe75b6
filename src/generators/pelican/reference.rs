//! The settings of Pelican, from its reference "Settings".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

/// The behaviour if a setting for dates is not supported.
pub(super) const DATES: &str = "dates are read from headers, else from file and folder names";

/// The behaviour if a setting for slugs is not supported.
pub(super) const SLUGS: &str = "slugs follow the default rules";

/// The settings that date documents, make URLs, choose languages or files, or change Markdown.
pub(super) const ROWS: &[SettingRow] = &[
    read("ARTICLE_EXCLUDES"),
    read("ARTICLE_PATHS"),
    read("ARTICLE_SAVE_AS"),
    read("ARTICLE_URL"),
    read("CODE_DIR"),
    read("DEFAULT_LANG"),
    read("DEFAULT_METADATA"),
    read("FILENAME_METADATA"),
    read("IGNORE_FILES"),
    read("MARKDOWN"),
    read("PAGE_EXCLUDES"),
    read("PAGE_PATHS"),
    read("PAGE_SAVE_AS"),
    read("PAGE_URL"),
    read("PATH"),
    read("PATH_METADATA"),
    read("SITEURL"),
    read("SLUGIFY_PRESERVE_CASE"),
    read("SLUGIFY_SOURCE"),
    read("SLUGIFY_USE_UNICODE"),
    read("SLUG_REGEX_SUBSTITUTIONS"),
    read("TIMEZONE"),
    read("TYPOGRIFY"),
    read("USE_FOLDER_AS_CATEGORY"),
    reported(
        "ARTICLE_LANG_URL",
        "",
        "translations have the URLs of articles",
    ),
    reported(
        "AUTHOR_REGEX_SUBSTITUTIONS",
        "",
        "author slugs follow the rules for articles",
    ),
    reported(
        "CATEGORY_REGEX_SUBSTITUTIONS",
        "",
        "category slugs follow the rules for articles",
    ),
    reported("DEFAULT_DATE", "None", DATES),
    reported(
        "EXTRA_PATH_METADATA",
        "{}",
        "files are published at the paths of their folders",
    ),
    reported(
        "PLUGINS",
        "[]",
        "plugins are not run, and documents are read without them",
    ),
    reported("READERS", "{}", "documents are read by their extensions"),
    reported("SLUG_SUBSTITUTIONS", "", SLUGS),
    reported("TYPOGRIFY_DASHES", "default", "default dashes are used"),
    no_effect("DEFAULT_DATE_FORMAT"),
    no_effect("DEFAULT_PAGINATION"),
    no_effect("RELATIVE_URLS"),
    no_effect("SUMMARY_MAX_LENGTH"),
    no_effect("WITH_FUTURE_DATES"),
];
