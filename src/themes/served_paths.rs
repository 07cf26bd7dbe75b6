//! The paths of a theme's files that are served.

use std::path::Path;

use crate::{content_files::public_files::is_plain, themes::files::PACKAGE};

/// The extensions of top-level files that are about the theme and not for readers (Ghost 6.65).
const NOT_FOR_READERS: [&str; 5] = ["hbs", "md", "json", "lock", "log"];

/// Returns whether a path below `assets/` may be served (specification, part 7; Ghost 6.65,
/// recorded).
pub(super) fn is_asset(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = Path::new(name).extension().and_then(|text| text.to_str());
    let is_served = |extension: &str| {
        let not_served = ["hbs", "md"];
        !not_served
            .iter()
            .any(|own| own.eq_ignore_ascii_case(extension))
    };
    is_plain(path)
        && !path.contains(char::is_control)
        && !name.eq_ignore_ascii_case(PACKAGE)
        && extension.is_some_and(is_served)
}

/// Returns whether a path on a site, outside of a theme's assets, is that of a file for readers: it has an extension, other than
/// those of files about a theme.
pub fn is_for_readers(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next();
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_of_tool = matches!(&*name, "gulpfile.js" | "gruntfile.js");
    let is_manifest = matches!(&*name, "manifest.json" | "assetlinks.json");
    let is_denied = is_of_tool || NOT_FOR_READERS.contains(&extension);
    !stem.is_empty() && !extension.is_empty() && (is_manifest || !is_denied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_are_files_with_an_extension_except_templates_and_documents() {
        for path in ["css/screen.css", "built/a.b.js", "fonts/a b.woff2"] {
            assert!(is_asset(path), "{path}");
        }
        for path in [
            "LICENSE",
            "a.hbs",
            "a.HBS",
            "README.md",
            "package.json",
            "d/package.json",
            ".hidden.css",
            ".git/a.css",
            "../a.css",
            "a/../../b.css",
            "a\\b.css",
            "a//b.css",
            "",
            "css/",
            "a\n.css",
        ] {
            assert!(!is_asset(path), "{path}");
        }
    }
}
