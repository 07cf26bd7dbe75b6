//! What a commit holds that is no plain file: other repositories in it, and files that were left elsewhere.

use std::{collections::BTreeMap, path::Path};

use crate::sources::{
    Diagnostic, large_file_pointer,
    place::is_content,
    tree::{self, is_ignored},
};

/// What `git ls-tree` calls a commit of another repository.
const SUBMODULE: &str = "160000";

/// What the modes of plain files begin with.
const FILE: &str = "100";

/// What of a commit is reported to its authors.
#[derive(Debug, Default)]
pub struct Listing {
    submodules: Vec<String>,
    /// Files that may be pointers, with the identifiers of what is in them.
    suspects: Vec<(String, String)>,
}

/// Which files were found to be pointers to what lies elsewhere, by what is in them.
pub type KnownPointers = BTreeMap<String, bool>;

impl Listing {
    /// Reads what `git ls-tree -r -l -z` prints. What is no content file and has the length of a pointer may be one.
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
            if path.split('/').any(is_ignored) {
                continue;
            }
            let size = size.parse().unwrap_or(0);
            let is_file = mode.starts_with(FILE);
            if *mode == SUBMODULE {
                listing.submodules.push(path.to_owned());
            } else if is_file && large_file_pointer::LENGTHS.contains(&size) && !is_content(path) {
                listing.suspects.push((path.to_owned(), (*id).to_owned()));
            }
        }
        listing
    }

    /// Returns what is reported about it, once its files are in the folder `root`. What is `known` is not read again.
    pub fn diagnostics(&self, root: &Path, known: &mut KnownPointers) -> Vec<Diagnostic> {
        let mut found = KnownPointers::new();
        let mut diagnostics: Vec<Diagnostic> = self.submodules.iter().map(submodule).collect();
        for (path, id) in &self.suspects {
            let is_pointer = known.get(id).copied().unwrap_or_else(|| {
                tree::read(root, path).is_ok_and(|bytes| large_file_pointer::is_one(&bytes))
            });
            if is_pointer {
                diagnostics.push(large_file_pointer::diagnostic(path).into_warning());
            }
            found.insert(id.clone(), is_pointer);
        }
        *known = found;
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
