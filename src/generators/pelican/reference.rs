//! The settings of Pelican, by its reference "Settings".

use crate::generators::settings::reference::{SettingRow, no_effect, read, reported};

/// The source of dates if a setting about them is not supported.
pub(super) const DATES: &str = "dates are those of headers, else of names and folders";

/// The source of slugs if a setting about them is not supported.
pub(super) const SLUGS: &str = "slugs are made by the usual rules";

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
        "slugs of authors are made like those of articles",
    ),
    reported(
        "CATEGORY_REGEX_SUBSTITUTIONS",
        "",
        "slugs of categories are made like those of articles",
    ),
    reported("DEFAULT_DATE", "None", DATES),
    reported(
        "EXTRA_PATH_METADATA",
        "{}",
        "files have the paths of their folders",
    ),
    reported(
        "PLUGINS",
        "[]",
        "plugins are not run, and documents are read without them",
    ),
    reported("READERS", "{}", "documents are read by their extensions"),
    reported("SLUG_SUBSTITUTIONS", "", SLUGS),
    reported("TYPOGRIFY_DASHES", "default", "dashes are the usual ones"),
    no_effect("DEFAULT_DATE_FORMAT"),
    no_effect("DEFAULT_PAGINATION"),
    no_effect("RELATIVE_URLS"),
    no_effect("SUMMARY_MAX_LENGTH"),
    no_effect("WITH_FUTURE_DATES"),
];
