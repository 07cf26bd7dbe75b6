//! Entries of a commit that are not plain files: submodules, and LFS pointers.

use std::{collections::BTreeMap, path::Path};

use crate::{
    content_files::{
        folder_files, folder_files::is_ignored_path, large_file_pointer,
        path_properties::is_content,
    },
    content_text::Diagnostic,
};

/// The mode of a submodule in `git ls-tree`.
const SUBMODULE: &str = "160000";

/// The prefix of the modes of plain files.
const FILE: &str = "100";

/// Entries of a commit that are reported to its authors.
#[derive(Debug, Default)]
pub struct CommitListing {
    submodules: Vec<String>,
    /// Files that may be LFS pointers, with the ids of their blobs.
    suspects: Vec<(String, String)>,
}

/// Whether each checked blob is an LFS pointer, by its id.
pub type KnownPointers = BTreeMap<String, bool>;

impl CommitListing {
    /// Parses the output of `git ls-tree -r -l -z`. A file that is not a content file and has the length of a pointer may be
    /// one.
    pub fn parse(output: &[u8]) -> Self {
        let mut listing = Self::default();
        for entry in output.split(|byte| *byte == 0) {
            let entry = String::from_utf8_lossy(entry);
            let Some((facts, path)) = entry.split_once('\t') else {
                continue;
            };
            let facts: Vec<&str> = facts.split_whitespace().collect();
            let (Some(mode), Some(id), Some(size)) = (facts.first(), facts.get(2), facts.get(3))
            else {
                continue;
            };
            if is_ignored_path(path) {
                continue;
            }
            // The size of a submodule is `-`.
            let size = size.parse().unwrap_or(0);
            let is_file = mode.starts_with(FILE);
            if *mode == SUBMODULE {
                // `fetch.recurseSubmodules` is off, so the folder is empty.
                listing.submodules.push(path.to_owned());
            } else if is_file && large_file_pointer::LENGTHS.contains(&size) && !is_content(path) {
                listing.suspects.push((path.to_owned(), (*id).to_owned()));
            }
        }
        listing
    }

    /// Returns the diagnostics of the listing, once its files are in the folder `root`. Blobs in `known` are not read again.
    pub fn diagnostics(&self, root: &Path, known: &mut KnownPointers) -> Vec<Diagnostic> {
        let mut pointers = KnownPointers::new();
        let mut diagnostics: Vec<Diagnostic> = self.submodules.iter().map(submodule).collect();
        for (path, id) in &self.suspects {
            let is_pointer = known.get(id).copied().unwrap_or_else(|| {
                folder_files::read(root, path).is_ok_and(|bytes| large_file_pointer::is_one(&bytes))
            });
            if is_pointer {
                diagnostics.push(large_file_pointer::diagnostic(path).into_warning());
            }
            pointers.insert(id.clone(), is_pointer);
        }
        // Blobs of earlier commits are dropped, so that the map does not grow.
        *known = pointers;
        diagnostics
    }
}

fn submodule(path: &String) -> Diagnostic {
    Diagnostic::about_file(
        path,
        "the folder is a submodule, another repository, and is skipped",
        "put the files into this repository, or serve the other one",
    )
    .into_warning()
}
