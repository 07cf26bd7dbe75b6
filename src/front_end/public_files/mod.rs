//! The scripts and styles that pages load from `/public/`.
//!
//! All of them are ours, small and without libraries; only their names, and the classes and attributes that they work on, are those
//! of Ghost, so that themes and the bodies of posts find them.

mod cards;

use std::{borrow::Cow, sync::LazyLock};

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

/// A file of `/public/`.
#[derive(Debug)]
pub struct PublicFile {
    /// The media type.
    pub content_type: &'static str,
    /// The content.
    pub content: Cow<'static, [u8]>,
    /// The sum that URLs end with, so that browsers may cache the file for long.
    pub sum: String,
}

/// The media type of scripts.
const SCRIPT: &str = "application/javascript; charset=utf-8";

/// The media type of styles.
const STYLES: &str = "text/css; charset=utf-8";

/// The icon of sites that set none, 48 pixels wide and high, which is served at `/favicon.ico`.
pub const DEFAULT_ICON: &[u8] = include_bytes!("favicon.ico");

/// A file that is the same with every theme: its name, media type, content without comments, and sum.
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

/// Returns the file at `/public/PATH` with the theme of this package; `None` if there is none.
pub fn find(path: &str, package: &Json) -> Option<PublicFile> {
    let (content, content_type) = match path {
        "cards.min.css" => (cards::styles(package)?, STYLES),
        "cards.min.js" => (cards::scripts(package)?, SCRIPT),
        // Ghost also serves the files that were not minified under their plain names.
        _ => {
            let found = FIXED_FILES
                .iter()
                .find(|file| file.name == path || file.name.replace(".min.", ".") == path)?;
            let (content, sum) = (Cow::Borrowed(found.content.as_bytes()), found.sum.clone());
            return Some(PublicFile {
                content_type: found.content_type,
                content,
                sum,
            });
        }
    };
    let sum = sum(&content);
    Some(PublicFile {
        content_type,
        content: Cow::Owned(content.into_bytes()),
        sum,
    })
}

/// Returns 16 characters that differ if the content differs.
fn sum(content: &str) -> String {
    let digest = Sha256::digest(content.as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns a script or styles without indentation, empty lines and comments, which have lines of their own.
fn compact(source: &str) -> String {
    let mut compact = String::with_capacity(source.len());
    let mut is_comment = false;
    for line in source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        is_comment = is_comment || line.starts_with("/*");
        if !is_comment && !line.starts_with("//") {
            compact.push_str(line);
            compact.push('\n');
        }
        is_comment = is_comment && !line.ends_with("*/");
    }
    compact
}
