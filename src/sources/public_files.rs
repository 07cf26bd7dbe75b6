//! Which files of a content folder are for everybody: pictures, media and what else lies beside the text to be served.
//!
//! Told from the path alone. Text, configuration and hidden files are not, so that no draft, backup or key that lies there
//! is given away.

use std::path::Path;

/// Folders at the top of the content folder, and of the data folder, all of whose files are served.
pub const FOLDERS: &[&str] = &["images", "media", "files"];

/// Extensions of documents that people link to.
const DOCUMENTS: &[&str] = &[
    "pdf", "epub", "zip", "csv", "txt", "ics", "gpx", "vtt", "srt", "doc", "docx", "odt", "xls",
    "xlsx", "ods", "ppt", "pptx", "odp",
];

/// Whether the file at `path`, which is relative to the content folder, is served.
pub fn is_served(path: &str) -> bool {
    let is_of_folder = path
        .split_once('/')
        .is_some_and(|(folder, _)| FOLDERS.contains(&folder));
    is_plain(path) && (is_of_folder || AssetKind::of(path).is_some())
}

/// Whether a path stays where it is and names nothing hidden.
pub fn is_plain(path: &str) -> bool {
    !path.contains(['\\', '\0'])
        && path.split('/').all(|segment| {
            !segment.is_empty() && !segment.starts_with('.') && !segment.ends_with('~')
        })
}

/// What a file beside the text is that is served wherever it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetKind {
    /// A picture.
    Image,
    /// A sound or a film.
    Media,
    /// A document that people link to, or a font.
    Document,
}

impl AssetKind {
    /// What the file at `path` is by its name; `None` for everything else.
    pub fn of(path: &str) -> Option<Self> {
        let extension = Path::new(path).extension()?.to_str()?;
        let is_document = DOCUMENTS
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known));
        if is_document {
            return Some(Self::Document);
        }
        match mime_guess::from_path(path).first()?.type_().as_str() {
            "image" => Some(Self::Image),
            "audio" | "video" => Some(Self::Media),
            "font" => Some(Self::Document),
            _ => None,
        }
    }

    /// Which of [`FOLDERS`] is for such files.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Image => "images",
            Self::Media => "media",
            Self::Document => "files",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_or_name_hidden_things_are_refused() {
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
    }

    #[test]
    fn text_and_configuration_beside_the_images_are_not_files_to_serve() {
        for path in [
            "posts/a.md",
            "site.toml",
            "authors/ada.yaml",
            "posts/a/index.html",
            "_drafts/a.MD",
            "_drafts/a.mdx",
            "posts/LICENSE",
        ] {
            assert!(!is_served(path), "{path}");
        }
        for path in ["posts/a/ferry.jpg", "posts/a/paper.pdf", "posts/a/song.mp3"] {
            assert!(is_served(path), "{path}");
        }
    }
}
