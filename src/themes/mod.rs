//! Themes on disk, each in a folder below `themes/` in the uploads, and two built-in themes.
//!
//! This module does not render anything. A theme is stored for its templates and assets, for the
//! settings and image widths in its package, and so that clients that upload and activate themes
//! work. A new theme is extracted next to its final path, validated, and then moved there: after a
//! crash at any moment, either the old or the new theme is complete. *Files of a theme never leave
//! its folder; no link is followed.*

mod bucket_change;
mod built_in;
mod card_classes;
mod checking;
mod download;
mod encoding;
mod encoding_rules;
mod files;
mod github;
mod helper_names;
mod in_bucket;
mod incoming;
mod limits;
mod name;
mod old_expressions;
mod package_rules;
mod packages;
mod replacement;
mod replacement_in_bucket;
mod report;
mod rules;
mod served_paths;
mod template_rules;
mod text_rules;
mod theme;
mod theme_folder;
mod translations;
mod validation;
mod variable_rules;

pub use self::files::{ThemeFile, ThemeVersion};
pub use self::theme::Theme;
pub use self::theme_folder::Themes;

pub use self::{
    built_in::is_reserved,
    github::GitHubRepository,
    incoming::IncomingTheme,
    name::{NAME_BYTES_MAX, from_text as name_from_text, is_name, name_of_file},
    packages::InstalledThemes,
    replacement::{ReplacedTheme, clear_abandoned},
    report::{Finding, Level, Report, RuleViolation},
    served_paths::is_for_readers,
    translations::parse as parse_translations,
    validation::{code_of, template_errors, validate},
};
