//! Finds the files that records refer to: which of them exist, and which were renamed.
//!
//! Stored text refers to a file of the site by `__GHOST_URL__/content/images/2024/01/ferry.jpg`. References occur in
//! HTML, in documents and in single URLs.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use memchr::memmem;
use percent_encoding::percent_decode_str;

use crate::{
    content_files::public_files::FOLDERS,
    render::urls::{PLACEHOLDER, original_of_variant},
    uploads::Uploads,
};

/// An index of the existing uploads and of the files that an import adds.
#[derive(Default)]
pub struct FileIndex {
    /// The existing uploads, if there are any.
    uploads: Option<Uploads>,
    /// Files that are imported, by their path in the source.
    incoming: HashSet<String>,
    /// The new paths of files that are stored under another path, by their path in the source.
    renamed: HashMap<String, String>,
    are_complete: bool,
}

impl FileIndex {
    /// Returns an index of the uploads.
    pub fn of(uploads: &Uploads) -> Self {
        Self {
            uploads: Some(uploads.clone()),
            ..Self::default()
        }
    }

    /// Returns an index of the uploads and those that will be [added](Self::add), for an import that brings
    /// all its files.
    pub fn complete(uploads: &Uploads) -> Self {
        Self {
            are_complete: true,
            ..Self::of(uploads)
        }
    }

    /// Returns whether the import brings all its files, so that a missing one is reported by name.
    pub fn are_complete(&self) -> bool {
        self.are_complete
    }

    /// Adds the imported file at `path`, to be stored at `new_path`.
    pub fn add(&mut self, path: &str, new_path: &str) {
        if path != new_path {
            self.renamed.insert(path.to_owned(), new_path.to_owned());
        }
        self.incoming.insert(path.to_owned());
    }

    /// Returns `text` with its references to renamed files updated.
    pub fn renamed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.renamed.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut result = String::new();
        let mut copied = 0;
        for reference in references(text) {
            let Some(new_path) = self.renamed.get(&reference.path) else {
                continue;
            };
            let (from, to) = (stem_end(&reference.path), stem_end(new_path));
            // Only a number is added between the stem and the extension, so the escaping of the rest does not matter.
            let added = new_path[..to]
                .strip_prefix(&reference.path[..from])
                .unwrap_or_default();
            let written = &text[reference.span.clone()];
            let end = reference.span.start + stem_end(written);
            result.push_str(&text[copied..end]);
            result.push_str(added);
            copied = end;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        result.push_str(&text[copied..]);
        Cow::Owned(result)
    }

    /// Returns the files that `text` refers to and that neither exist nor are imported, each once.
    pub fn missing(&self, text: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for reference in references(text) {
            let path = reference.path;
            if !self.incoming.contains(&path) && !self.is_here(&path) && !missing.contains(&path) {
                missing.push(path);
            }
        }
        missing
    }

    fn is_here(&self, path: &str) -> bool {
        let leaves = path.split('/').any(|part| part == "..");
        // While a bucket is unreachable, its files are not reported as missing.
        let is_upload = |uploads: &Uploads| uploads.has(path).unwrap_or(true);
        !leaves && self.uploads.as_ref().is_some_and(is_upload)
    }
}

/// A reference to a file in text.
struct Reference {
    /// The file's path among the uploads.
    path: String,
    /// The byte range of the path in the text, as written there.
    span: Range<usize>,
}

fn references(text: &str) -> impl Iterator<Item = Reference> {
    const CONTENT: &str = "/content/";
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let offset = memmem::find(&text.as_bytes()[position..], PLACEHOLDER.as_bytes())?;
            position += offset + PLACEHOLDER.len();
            let Some(rest) = text[position..].strip_prefix(CONTENT) else {
                continue;
            };
            let start = position + CONTENT.len();
            let end = start + url_end(rest);
            position = end;
            let decoded = percent_decode_str(&text[start..end]).decode_utf8_lossy();
            let path = match original_of_variant(&decoded) {
                // Galley generates resized copies from the original, so a reference to one needs only the original.
                Some(original) => format!("images/{original}"),
                None => decoded.into_owned(),
            };
            let kind = path.split_once('/').map(|(kind, _)| kind);
            if kind.is_some_and(|kind| FOLDERS.contains(&kind)) {
                return Some(Reference {
                    path,
                    span: start..end,
                });
            }
        }
    })
}

/// Returns the byte offset of the end of the URL at the start of `text`: at a quote, white space, or a character that
/// no path contains.
fn url_end(text: &str) -> usize {
    let mut is_in_brackets = false;
    let ends = |character: char| {
        is_in_brackets |= character == '(';
        match character {
            '"' | '\'' | '<' | '>' | '\\' | '?' | '#' => true,
            // CSS and Markdown write URLs in parentheses, and a path may itself contain a pair.
            ')' => !is_in_brackets,
            character => character.is_whitespace() || character.is_control(),
        }
    };
    let end = text.find(ends).unwrap_or(text.len());
    // In `srcset`, a comma follows a URL.
    text[..end].trim_end_matches(',').len()
}

/// Returns the byte offset of the end of a path's stem: the last dot of its last segment.
fn stem_end(path: &str) -> usize {
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[file..].rfind('.') {
        // A dot at the start is that of a hidden file, not of an extension.
        Some(dot) if dot > 0 => file + dot,
        _ => path.len(),
    }
}

/// Returns the `number`th candidate for a file whose path is in use: `images/a-2.jpg`.
pub fn numbered(path: &str, number: u64) -> String {
    let end = stem_end(path);
    format!("{}-{number}{}", &path[..end], &path[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        references(text).map(|reference| reference.path).collect()
    }

    #[test]
    fn references_are_found_in_html_css_and_srcset() {
        assert_eq!(
            paths("__GHOST_URL__/content/images/a.jpg"),
            ["images/a.jpg"]
        );
        assert_eq!(
            paths(
                "<img src=\"__GHOST_URL__/content/images/a%20b.jpg\" srcset=\"__GHOST_URL__/content/images/size/w600/2024/a.jpg 600w, \
                 __GHOST_URL__/content/images/c.jpg 1000w\" style=\"background: url(__GHOST_URL__/content/images/d.jpg)\">\
                 <a href='__GHOST_URL__/content/files/e(1).pdf?x#y'>"
            ),
            [
                "images/a b.jpg",
                "images/2024/a.jpg",
                "images/c.jpg",
                "images/d.jpg",
                "files/e(1).pdf"
            ]
        );
        assert!(paths("__GHOST_URL__/about/ __GHOST_URL__/content/themes/a.png https://a.example/content/images/a.jpg").is_empty());
    }

    #[test]
    fn references_to_renamed_files_are_rewritten() {
        let mut files = FileIndex::default();
        files.add("images/night ferry.tar.gz", "images/night ferry.tar-2.gz");
        files.add("images/b.jpg", "images/b.jpg");
        assert_eq!(
            files.renamed("<a href=\"__GHOST_URL__/content/images/night%20ferry.tar.gz\"><img src=\"__GHOST_URL__/content/images/b.jpg\">"),
            "<a href=\"__GHOST_URL__/content/images/night%20ferry.tar-2.gz\"><img src=\"__GHOST_URL__/content/images/b.jpg\">"
        );
        assert_eq!(files.missing("__GHOST_URL__/content/images/b.jpg __GHOST_URL__/content/media/c.mp3 __GHOST_URL__/content/media/c.mp3"), ["media/c.mp3"]);
    }

    #[test]
    fn number_goes_before_the_extension() {
        assert_eq!(numbered("images/2024/a.b.jpg", 2), "images/2024/a.b-2.jpg");
        assert_eq!(numbered("files/LICENSE", 3), "files/LICENSE-3");
        assert_eq!(numbered("files.d/.a", 3), "files.d/.a-3");
    }
}
