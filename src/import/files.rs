//! Files that records refer to: which of them are there, and which had to take another name.
//!
//! Stored text names a file of the site by `__GHOST_URL__/content/images/2024/01/ferry.jpg`. That is looked for wherever it
//! stands, in markup, documents and single addresses alike.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
    path::{Path, PathBuf},
};

use memchr::memmem;
use percent_encoding::percent_decode_str;

use crate::{
    render::urls::{PLACEHOLDER, original_of_variant},
    sources::public_files::FOLDERS,
};

/// What is known of the files that an import brings or finds.
#[derive(Default)]
pub struct Files {
    /// The data folder.
    data: PathBuf,
    /// Files that come in, by the path below the data folder that they have where they come from.
    coming: HashSet<String>,
    /// Of those, the ones that get another path.
    renamed: HashMap<String, String>,
    are_complete: bool,
}

impl Files {
    /// The files of the data folder.
    pub fn of(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            ..Self::default()
        }
    }

    /// The files of the data folder and those that will be [added](Self::add), which should be all there are.
    pub fn complete(data: &Path) -> Self {
        Self {
            are_complete: true,
            ..Self::of(data)
        }
    }

    /// Whether what is not known should be there.
    pub fn are_complete(&self) -> bool {
        self.are_complete
    }

    /// Notes that the file of this path comes in, and where it will lie.
    pub fn add(&mut self, path: &str, place: &str) {
        if path != place {
            self.renamed.insert(path.to_owned(), place.to_owned());
        }
        self.coming.insert(path.to_owned());
    }

    /// The text with files under the names that they have here.
    pub fn renamed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.renamed.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut result = String::new();
        let mut copied = 0;
        for reference in references(text) {
            let Some(place) = self.renamed.get(&reference.path) else {
                continue;
            };
            let (from, to) = (stem_end(&reference.path), stem_end(place));
            // Only what was put between the stem and the extension is new, so how the rest is escaped does not matter.
            let added = place[..to]
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

    /// The files that the text refers to and that are neither here nor coming in, each once.
    pub fn missing(&self, text: &str) -> Vec<String> {
        let mut missing = Vec::new();
        for reference in references(text) {
            let path = reference.path;
            if !self.coming.contains(&path) && !self.is_here(&path) && !missing.contains(&path) {
                missing.push(path);
            }
        }
        missing
    }

    fn is_here(&self, path: &str) -> bool {
        let leaves = path.split('/').any(|part| part == "..");
        !leaves && self.data.join(path).is_file()
    }
}

/// Where a text names a file.
struct Reference {
    /// The file's path below the data folder.
    path: String,
    /// Where it stands in the text, as it is written there.
    span: Range<usize>,
}

fn references(text: &str) -> impl Iterator<Item = Reference> {
    const CONTENT: &str = "/content/";
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let found = memmem::find(&text.as_bytes()[position..], PLACEHOLDER.as_bytes())?;
            let behind = position + found + PLACEHOLDER.len();
            position = behind;
            let Some(rest) = text[behind..].strip_prefix(CONTENT) else {
                continue;
            };
            let start = behind + CONTENT.len();
            let end = start + address_end(rest);
            position = end;
            let decoded = percent_decode_str(&text[start..end]).decode_utf8_lossy();
            let path = match original_of_variant(&decoded) {
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

/// Where an address ends that `text` begins with: at a quote or blank, or at what no path has.
fn address_end(text: &str) -> usize {
    let mut is_in_brackets = false;
    let ends = |character: char| {
        is_in_brackets |= character == '(';
        match character {
            '"' | '\'' | '<' | '>' | '\\' | '?' | '#' => true,
            ')' => !is_in_brackets,
            character => character.is_whitespace() || character.is_control(),
        }
    };
    let end = text.find(ends).unwrap_or(text.len());
    text[..end].trim_end_matches(',').len()
}

/// Where the stem of a path ends: at the last dot of its last part.
fn stem_end(path: &str) -> usize {
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[file..].rfind('.') {
        Some(dot) if dot > 0 => file + dot,
        _ => path.len(),
    }
}

/// The path to try in the `number`th place for a file whose own is taken: `images/a-2.jpg`.
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
    fn files_are_found_wherever_they_are_named() {
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
    fn files_that_had_to_take_another_name_are_found_under_it() {
        let mut files = Files::default();
        files.add("images/night ferry.tar.gz", "images/night ferry.tar-2.gz");
        files.add("images/b.jpg", "images/b.jpg");
        assert_eq!(
            files.renamed("<a href=\"__GHOST_URL__/content/images/night%20ferry.tar.gz\"><img src=\"__GHOST_URL__/content/images/b.jpg\">"),
            "<a href=\"__GHOST_URL__/content/images/night%20ferry.tar-2.gz\"><img src=\"__GHOST_URL__/content/images/b.jpg\">"
        );
        assert_eq!(files.missing("__GHOST_URL__/content/images/b.jpg __GHOST_URL__/content/media/c.mp3 __GHOST_URL__/content/media/c.mp3"), ["media/c.mp3"]);
    }

    #[test]
    fn numbers_stand_before_the_extension() {
        assert_eq!(numbered("images/2024/a.b.jpg", 2), "images/2024/a.b-2.jpg");
        assert_eq!(numbered("files/LICENSE", 3), "files/LICENSE-3");
        assert_eq!(numbered("files.d/.a", 3), "files.d/.a-3");
    }
}
