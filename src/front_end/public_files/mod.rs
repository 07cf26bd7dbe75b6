//! The scripts and styles that pages load from `/public/`.
//!
//! All files are Galley's own, small and without libraries. Only their names, and the classes and attributes that they use, are
//! those of Ghost, so that themes and the bodies of posts find them.

mod cards;
mod content;

use std::{borrow::Cow, sync::LazyLock};

use serde_json::Value as Json;

use self::content::{compact, sum};

/// A file of `/public/`.
#[derive(Debug)]
pub struct PublicFile {
    /// The media type.
    pub content_type: &'static str,
    /// The content.
    pub content: Cow<'static, str>,
    /// The checksum at the end of URLs, which lets browsers cache the file for long.
    pub sum: String,
}

/// The media type of scripts.
const SCRIPT: &str = "application/javascript";

/// The media type of styles.
const STYLES: &str = "text/css";

/// The default icon, 48 pixels wide and high, served at `/favicon.ico` for sites that do not set one.
pub const DEFAULT_ICON: &[u8] = include_bytes!("favicon.ico");

/// A file that is the same for all themes: its name, media type, content without comments, and checksum.
struct FixedFile {
    name: &'static str,
    content_type: &'static str,
    content: String,
    sum: String,
}

static FIXED_FILES: LazyLock<Vec<FixedFile>> = LazyLock::new(|| {
    let files = [
        (
            "comment-counts.min.js",
            SCRIPT,
            include_str!("comment-counts.js"),
        ),
        (
            "member-attribution.min.js",
            SCRIPT,
            include_str!("member-attribution.js"),
        ),
        ("ghost.min.css", STYLES, include_str!("ghost.css")),
        ("readers.min.js", SCRIPT, include_str!("readers.js")),
    ];
    let file = |(name, content_type, source)| {
        let content = compact(source);
        FixedFile {
            name,
            content_type,
            sum: sum(&content),
            content,
        }
    };
    files.into_iter().map(file).collect()
});

/// Returns the file at `/public/PATH` for the theme with this package; `None` if there is no such file.
pub fn find(path: &str, package: &Json) -> Option<PublicFile> {
    let of_cards = |content: String, sum, content_type| PublicFile {
        content_type,
        content: Cow::Owned(content),
        sum,
    };
    match path {
        "cards.min.css" => {
            let sum = cards::styles_sum(package)?;
            Some(of_cards(cards::styles(package), sum, STYLES))
        }
        "cards.min.js" => {
            let sum = cards::scripts_sum(package)?;
            Some(of_cards(cards::scripts(package), sum, SCRIPT))
        }
        _ => fixed(path),
    }
}

/// Returns a file that is the same for all themes. `.min` may be omitted from its name.
fn fixed(path: &str) -> Option<PublicFile> {
    let is_short = |name: &str| {
        let parts = name.split_once(".min.");
        parts.is_some_and(|parts| path.split_once('.') == Some(parts))
    };
    let is_named = |file: &&FixedFile| file.name == path || is_short(file.name);
    let found = FIXED_FILES.iter().find(is_named)?;
    Some(PublicFile {
        content_type: found.content_type,
        content: Cow::Borrowed(&found.content),
        sum: found.sum.clone(),
    })
}

/// Returns the checksum of the file at `/public/PATH` without building its content.
pub fn sum_of(path: &str, package: &Json) -> Option<String> {
    match path {
        "cards.min.css" => cards::styles_sum(package),
        "cards.min.js" => cards::scripts_sum(package),
        _ => fixed(path).map(|file| file.sum),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn themes_leave_out_cards() {
        let file = |assets: Json, path| find(path, &json!({ "config": { "card_assets": assets } }));
        let all = find("cards.min.css", &json!({})).unwrap();
        assert!(
            all.content.contains(".kg-gallery-card") && all.content.contains(".kg-signup-card")
        );
        assert_eq!(file(json!(true), "cards.min.css").unwrap().sum, all.sum);
        assert!(file(json!(false), "cards.min.css").is_none());
        assert!(file(json!({ "include": ["bookmark"] }), "cards.min.js").is_none());
        let some = file(json!({ "exclude": ["gallery"] }), "cards.min.css").unwrap();
        assert!(!some.content.contains(".kg-gallery-row") && some.sum != all.sum);
    }

    #[test]
    fn files_have_no_comments() {
        let fixed = FIXED_FILES.iter().map(|file| file.name);
        for path in ["cards.min.css", "cards.min.js", "ghost.css"]
            .into_iter()
            .chain(fixed)
        {
            let file = find(path, &json!({})).unwrap();
            assert!(
                !file.content.contains("/*") && !file.content.contains("\n//"),
                "{path}"
            );
            assert!(!file.content.contains("KIND"), "{path}");
        }
    }
}
