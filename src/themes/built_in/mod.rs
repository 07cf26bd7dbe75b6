//! The two built-in themes, as in Ghost: `source`, the default of a new site, and `casper`.
//!
//! Clients search for them by name. Each is the same small theme by Galley under that name, with a package that has the image
//! widths of the theme of the same name in Ghost.

use crate::domain::theme::DEFAULT_THEME;

/// The files of a theme, by path, sorted.
pub type BuiltInFiles = &'static [(&'static str, &'static str)];

/// The files that both have.
macro_rules! theme {
    ($package:literal) => {
        &[
            ("assets/css/screen.css", include_str!("screen.css")),
            ("author.hbs", include_str!("author.hbs")),
            ("default.hbs", include_str!("default.hbs")),
            ("error.hbs", include_str!("error.hbs")),
            ("index.hbs", include_str!("index.hbs")),
            ("package.json", include_str!($package)),
            ("page.hbs", include_str!("page.hbs")),
            ("partials/card.hbs", include_str!("partials/card.hbs")),
            ("post.hbs", include_str!("post.hbs")),
            ("tag.hbs", include_str!("tag.hbs")),
        ]
    };
}

const CASPER: BuiltInFiles = theme!("casper/package.json");

const SOURCE: BuiltInFiles = theme!("source/package.json");

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
