//! The two built-in themes, as in Ghost: `source`, the default of a new site, and `casper`.
//!
//! Clients look for them by name. Both are Galley's own theme, with a package that has the image widths and the number of posts
//! per page of Ghost's theme with the same name. The folder `theme` is an ordinary theme: during editing, `galley serve --theme
//! src/themes/built_in/theme` renders it without a build.

use crate::domain::theme::DEFAULT_THEME;

/// The files of a theme, by path, sorted.
pub type BuiltInFiles = &'static [(&'static str, &'static str)];

/// The files of both themes.
macro_rules! theme {
    ($package:literal) => {
        &[
            (
                "assets/css/screen.css",
                include_str!("theme/assets/css/screen.css"),
            ),
            ("author.hbs", include_str!("theme/author.hbs")),
            (
                "custom-archive.hbs",
                include_str!("theme/custom-archive.hbs"),
            ),
            (
                "custom-subscribe.hbs",
                include_str!("theme/custom-subscribe.hbs"),
            ),
            ("default.hbs", include_str!("theme/default.hbs")),
            ("error.hbs", include_str!("theme/error.hbs")),
            ("home.hbs", include_str!("theme/home.hbs")),
            ("index.hbs", include_str!("theme/index.hbs")),
            ("locales/ar.json", include_str!("theme/locales/ar.json")),
            ("locales/de.json", include_str!("theme/locales/de.json")),
            ("locales/en.json", include_str!("theme/locales/en.json")),
            ("locales/es.json", include_str!("theme/locales/es.json")),
            ("locales/fr.json", include_str!("theme/locales/fr.json")),
            ("locales/ja.json", include_str!("theme/locales/ja.json")),
            ("locales/nl.json", include_str!("theme/locales/nl.json")),
            ("package.json", include_str!($package)),
            ("page-archive.hbs", include_str!("theme/page-archive.hbs")),
            (
                "page-subscribe.hbs",
                include_str!("theme/page-subscribe.hbs"),
            ),
            ("page.hbs", include_str!("theme/page.hbs")),
            (
                "partials/archive-posts.hbs",
                include_str!("theme/partials/archive-posts.hbs"),
            ),
            (
                "partials/archive.hbs",
                include_str!("theme/partials/archive.hbs"),
            ),
            (
                "partials/avatar.hbs",
                include_str!("theme/partials/avatar.hbs"),
            ),
            (
                "partials/brand.hbs",
                include_str!("theme/partials/brand.hbs"),
            ),
            (
                "partials/card-image.hbs",
                include_str!("theme/partials/card-image.hbs"),
            ),
            ("partials/card.hbs", include_str!("theme/partials/card.hbs")),
            (
                "partials/choices.hbs",
                include_str!("theme/partials/choices.hbs"),
            ),
            (
                "partials/content-cta.hbs",
                include_str!("theme/partials/content-cta.hbs"),
            ),
            (
                "partials/content-script.hbs",
                include_str!("theme/partials/content-script.hbs"),
            ),
            (
                "partials/content.hbs",
                include_str!("theme/partials/content.hbs"),
            ),
            (
                "partials/description.hbs",
                include_str!("theme/partials/description.hbs"),
            ),
            (
                "partials/direction.hbs",
                include_str!("theme/partials/direction.hbs"),
            ),
            (
                "partials/feature-image.hbs",
                include_str!("theme/partials/feature-image.hbs"),
            ),
            (
                "partials/feed-class.hbs",
                include_str!("theme/partials/feed-class.hbs"),
            ),
            ("partials/feed.hbs", include_str!("theme/partials/feed.hbs")),
            (
                "partials/footer.hbs",
                include_str!("theme/partials/footer.hbs"),
            ),
            (
                "partials/front.hbs",
                include_str!("theme/partials/front.hbs"),
            ),
            ("partials/gate.hbs", include_str!("theme/partials/gate.hbs")),
            (
                "partials/header.hbs",
                include_str!("theme/partials/header.hbs"),
            ),
            ("partials/lead.hbs", include_str!("theme/partials/lead.hbs")),
            (
                "partials/list-image.hbs",
                include_str!("theme/partials/list-image.hbs"),
            ),
            ("partials/lock.hbs", include_str!("theme/partials/lock.hbs")),
            ("partials/meta.hbs", include_str!("theme/partials/meta.hbs")),
            (
                "partials/navigation.hbs",
                include_str!("theme/partials/navigation.hbs"),
            ),
            (
                "partials/neighbours.hbs",
                include_str!("theme/partials/neighbours.hbs"),
            ),
            ("partials/note.hbs", include_str!("theme/partials/note.hbs")),
            (
                "partials/page-head.hbs",
                include_str!("theme/partials/page-head.hbs"),
            ),
            (
                "partials/pagination.hbs",
                include_str!("theme/partials/pagination.hbs"),
            ),
            (
                "partials/related.hbs",
                include_str!("theme/partials/related.hbs"),
            ),
            (
                "partials/scheme.hbs",
                include_str!("theme/partials/scheme.hbs"),
            ),
            (
                "partials/script.hbs",
                include_str!("theme/partials/script.hbs"),
            ),
            (
                "partials/section-columns.hbs",
                include_str!("theme/partials/section-columns.hbs"),
            ),
            (
                "partials/sections.hbs",
                include_str!("theme/partials/sections.hbs"),
            ),
            (
                "partials/signup-band.hbs",
                include_str!("theme/partials/signup-band.hbs"),
            ),
            (
                "partials/signup-form.hbs",
                include_str!("theme/partials/signup-form.hbs"),
            ),
            (
                "partials/subscribe.hbs",
                include_str!("theme/partials/subscribe.hbs"),
            ),
            ("partials/tier.hbs", include_str!("theme/partials/tier.hbs")),
            ("post.hbs", include_str!("theme/post.hbs")),
            ("private.hbs", include_str!("theme/private.hbs")),
            ("tag.hbs", include_str!("theme/tag.hbs")),
        ]
    };
}

const CASPER: BuiltInFiles = theme!("casper/package.json");

const SOURCE: BuiltInFiles = theme!("theme/package.json");

/// The themes by name, sorted.
pub const BUILT_IN: [(&str, BuiltInFiles); 2] = [("casper", CASPER), ("source", SOURCE)];

/// The default theme of a site: [`DEFAULT_THEME`](crate::domain::theme::DEFAULT_THEME).
pub const DEFAULT: (&str, BuiltInFiles) = (DEFAULT_THEME, SOURCE);

/// Returns the files of a built-in theme.
pub fn find(name: &str) -> Option<(&'static str, BuiltInFiles)> {
    BUILT_IN.into_iter().find(|(own, _)| *own == name)
}

/// Returns whether a name is that of a built-in theme. Case is ignored, as some file systems do.
pub fn is_reserved(name: &str) -> bool {
    BUILT_IN
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use serde_json::{Value, json};
    use walkdir::WalkDir;

    use super::*;

    #[test]
    fn program_contains_each_file_of_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/themes/built_in/theme");
        let files = WalkDir::new(&folder).into_iter().map(Result::unwrap);
        let files = files.filter(|entry| entry.file_type().is_file());
        let mut paths: Vec<String> = files
            .map(|entry| {
                let path = entry.path().strip_prefix(&folder).unwrap();
                path.to_str().unwrap().to_owned()
            })
            .collect();
        paths.sort_unstable();
        let contained: Vec<&str> = SOURCE.iter().map(|(path, _)| *path).collect();
        assert_eq!(contained, paths);
        for (path, text) in SOURCE {
            assert_eq!(*text, fs::read_to_string(folder.join(path)).unwrap());
        }
    }

    #[test]
    fn packages_agree_but_in_name_widths_and_posts_on_a_page() {
        let package = |files: BuiltInFiles| -> Value {
            let (_, text) = files
                .iter()
                .find(|(path, _)| *path == "package.json")
                .unwrap();
            let mut package: Value = serde_json::from_str(text).unwrap();
            package["name"] = json!(null);
            package["config"]["image_sizes"] = json!(null);
            package["config"]["posts_per_page"] = json!(null);
            package
        };
        assert_eq!(package(CASPER), package(SOURCE));
    }
}
