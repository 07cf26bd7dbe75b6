//! The two built-in themes, as in Ghost: `source`, the default of a new site, and `casper`.
//!
//! Clients search for them by name. Each is a small theme by Galley under that name: a package
//! with the image widths of the theme of the same name in Ghost, and the templates that every theme
//! must have.

use crate::domain::theme::DEFAULT_THEME;

/// The files of a theme, by path, sorted.
pub type BuiltInFiles = &'static [(&'static str, &'static str)];

const INDEX: &str = include_str!("index.hbs");
const POST: &str = include_str!("post.hbs");
const STYLES: &str = include_str!("screen.css");

const CASPER: BuiltInFiles = &[
    ("assets/css/screen.css", STYLES),
    ("index.hbs", INDEX),
    ("package.json", include_str!("casper/package.json")),
    ("post.hbs", POST),
];

const SOURCE: BuiltInFiles = &[
    ("assets/css/screen.css", STYLES),
    ("index.hbs", INDEX),
    ("package.json", include_str!("source/package.json")),
    ("post.hbs", POST),
];

/// The themes by name, sorted.
pub const BUILT_IN: [(&str, BuiltInFiles); 2] = [("casper", CASPER), ("source", SOURCE)];

/// The theme of a site that has chosen none: [`DEFAULT_THEME`](crate::domain::theme::DEFAULT_THEME).
pub const DEFAULT: (&str, BuiltInFiles) = (DEFAULT_THEME, SOURCE);

/// Returns the files of the built-in theme of this name.
pub fn find(name: &str) -> Option<(&'static str, BuiltInFiles)> {
    BUILT_IN.into_iter().find(|(own, _)| *own == name)
}

/// Returns whether a name is that of a built-in theme, in any case: some file systems ignore case.
pub fn is_reserved(name: &str) -> bool {
    BUILT_IN
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(name))
}
