//! Determines which files of a content folder are served, by kind and by references.
//!
//! Images, video, audio, fonts and PDF in `images/` are served. In other folders they, and other downloads anywhere, are
//! served if a published record refers to them. All other kinds are never served, so that no draft, configuration, backup or
//! key leaks.

use std::path::Path;

use crate::generators::has_served_folder;

/// Folders at the top of the content folder, and of the data folder, that URLs name.
pub const FOLDERS: &[&str] = &["images", "media", "files"];

const IMAGES: &[&str] = &[
    "apng", "avif", "bmp", "gif", "heic", "heif", "ico", "jfif", "jpeg", "jpg", "jxl", "png",
    "svg", "svgz", "tif", "tiff", "webp",
];

const VIDEO_AND_AUDIO: &[&str] = &[
    "3gp", "aac", "aif", "aiff", "avi", "flac", "m4a", "m4b", "m4v", "mid", "midi", "mkv", "mov",
    "mp3", "mp4", "mpeg", "mpg", "oga", "ogg", "ogv", "opus", "wav", "weba", "webm",
];

const FONTS: &[&str] = &["eot", "otf", "ttc", "ttf", "woff", "woff2"];

/// Extensions of downloads.
const DOWNLOADS: &[&str] = &[
    "ai", "eps", "glb", "obj", "psd", "stl", "doc", "docx", "epub", "mobi", "odp", "ods", "odt",
    "ppt", "pptx", "ps", "rtf", "xls", "xlsx", "csv", "tsv", "txt", "ics", "vcf", "gpx", "kml",
    "kmz", "vtt", "srt", "bib", "torrent", "zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z",
    "rar", "apk", "appimage", "deb", "dmg", "exe", "iso", "msi", "pkg", "rpm",
];

/// Returns whether the file at `path`, relative to the content folder, is served if a published record refers to it.
pub fn is_served_by_reference(path: &str) -> bool {
    is_plain(path) && AssetKind::of(path).is_some()
}

/// Returns whether the file at `path`, relative to the content folder, is served without any reference.
pub fn is_always_served(path: &str) -> bool {
    let is_shown = AssetKind::of(path).is_some_and(|kind| kind != AssetKind::Download);
    is_plain(path) && path.starts_with("images/") && is_shown
}

/// Returns the path of a file in URLs, below `/content/`: `images/a.png` for `images/a.png`, and `images/posts/x/a.png` for
/// `posts/x/a.png` next to a document.
pub fn public_path(path: &str) -> String {
    match path.split_once('/') {
        Some((folder, _)) if FOLDERS.contains(&folder) => path.to_owned(),
        _ => format!("images/{path}"),
    }
}

/// Returns whether a path has no `..` and no hidden parts, except folders that a generator serves.
pub fn is_plain(path: &str) -> bool {
    let mut segments = path.split('/').peekable();
    let mut is_plain = !path.contains(['\\', '\0']);
    while let Some(segment) = segments.next() {
        let next = segments.peek().copied();
        let is_served = next.is_some() && has_served_folder(segment, next);
        // Files that end in `~` are backups of editors.
        is_plain &= !segment.is_empty() && !segment.ends_with('~');
        is_plain &= is_served || !segment.starts_with('.');
    }
    is_plain
}

/// The kind of a file that may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetKind {
    /// An image.
    Image,
    /// Video or audio.
    Media,
    /// A font or a PDF.
    Document,
    /// Any other download.
    Download,
}

impl AssetKind {
    /// Returns the kind of the file at `path` by its extension; `None` if it is never served.
    pub fn of(path: &str) -> Option<Self> {
        // In lower case, because cameras and old systems write `.JPG`.
        let extension = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
        let is_among = |known: &[&str]| known.contains(&extension.as_str());
        if is_among(IMAGES) {
            Some(Self::Image)
        } else if is_among(VIDEO_AND_AUDIO) {
            Some(Self::Media)
        } else if is_among(FONTS) || extension == "pdf" {
            Some(Self::Document)
        } else {
            is_among(DOWNLOADS).then_some(Self::Download)
        }
    }

    /// Returns the folder of [`FOLDERS`] for such files.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Media => "media",
            Self::Document | Self::Download => "files",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_traversal_and_hidden_files_are_refused() {
        for path in [
            "../a.png",
            "a/../../b.png",
            ".git/config",
            "a//b.png",
            "a\\..\\b.png",
            "a/./b.png",
            "",
        ] {
            assert!(!is_plain(path), "{path}");
        }
        assert!(is_plain("2025/01/night ferry.png"));
        assert!(is_plain("docs/.vuepress/public/a.png"));
        assert!(!is_plain("docs/.vuepress/config.js") && !is_plain("a/.vuepress"));
    }

    #[test]
    fn documents_configuration_and_keys_are_never_served() {
        for path in [
            "posts/a.md",
            "site.toml",
            "authors/ada.yaml",
            "posts/a/index.html",
            "_drafts/a.MD",
            "_drafts/a.mdx",
            "posts/LICENSE",
            "images/a.md",
            "images/site.toml",
            "images/package.json",
            "files/server.key",
            "files/server.pem",
            "files/galley.redb",
            "media/.env",
        ] {
            assert!(!is_served_by_reference(path), "{path}");
            assert!(!is_always_served(path), "{path}");
        }
    }

    #[test]
    fn safe_files_below_images_are_always_served_and_others_if_referenced() {
        for path in [
            "images/a.PNG",
            "images/2025/a.mp4",
            "images/a.woff2",
            "images/a.pdf",
        ] {
            assert!(is_always_served(path), "{path}");
        }
        for path in [
            "images/site.zip",
            "images/members.csv",
            "posts/a/ferry.jpg",
            "posts/a/paper.pdf",
            "media/song.mp3",
            "files/tides.zip",
        ] {
            assert!(!is_always_served(path), "{path}");
            assert!(is_served_by_reference(path), "{path}");
        }
    }
}
