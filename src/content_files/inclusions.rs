//! Files that documents include: search paths, and their state, so that a document is read again if an included file
//! changes.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    content_files::{
        assets::ALIASES,
        file_state::{Fingerprint, Inclusion},
        folder_files,
        layout::Layout,
    },
    generators::{link_path::join, syntax::IncludedFile},
};

/// Folders that are searched for included files, next to the including file and in each parent folder.
const FOLDERS: [&str; 3] = ["", "includes", "_includes"];

/// The content folder, whose files documents may include.
#[derive(Clone, Debug, Default)]
pub struct IncludedFiles {
    /// `None` without a folder on disk: then nothing is included.
    root: Option<Arc<Path>>,
}

impl IncludedFiles {
    /// Returns the files of the folder `root`.
    pub fn of(root: &Path) -> Self {
        Self {
            root: Some(root.into()),
        }
    }

    /// Returns the content of the file at `path`; `None` if it does not exist, is hidden or too large, or is reached by a
    /// symbolic link.
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let root = self.root.as_deref()?;
        let is_hidden = folder_files::is_ignored_path(path);
        let file = (!is_hidden)
            .then(|| folder_files::file_at(root, path))
            .flatten()?;
        folder_files::read(root, &file.path).ok()
    }

    /// Returns the current state of `path`.
    pub fn state(&self, path: &str) -> Fingerprint {
        let content = self.read(path);
        content.map_or_else(Fingerprint::default, |content| {
            Fingerprint::of(&content, "")
        })
    }
}

/// Finds the files that one document includes, and records the searched paths.
pub struct InclusionFinder<'a> {
    files: &'a IncludedFiles,
    layout: &'a Layout,
    found: RefCell<BTreeMap<String, (Fingerprint, Option<String>)>>,
}

impl<'a> InclusionFinder<'a> {
    /// Returns a finder for a folder of this layout.
    pub fn new(files: &'a IncludedFiles, layout: &'a Layout) -> Self {
        Self {
            files,
            layout,
            found: RefCell::default(),
        }
    }

    /// Returns the file that the file at `from` includes as `written`.
    pub fn find(&self, from: &str, written: &str) -> Option<IncludedFile> {
        let mut candidates = candidates(self.layout, from, written).into_iter();
        candidates.find_map(|path| {
            let text = self.text(&path)?;
            Some(IncludedFile { path, text })
        })
    }

    fn text(&self, path: &str) -> Option<String> {
        // Read once, so that all inclusions of a file in a document have the same state.
        if let Some((_, text)) = self.found.borrow().get(path) {
            return text.clone();
        }
        let content = self.files.read(path);
        // A path without a file is recorded, too: the document is read again when one is created.
        let state = content
            .as_ref()
            .map_or_else(Fingerprint::default, |content| Fingerprint::of(content, ""));
        let text = content.and_then(|content| String::from_utf8(content).ok());
        let text = text.map(|text| text.replace("\r\n", "\n"));
        let mut found = self.found.borrow_mut();
        found.insert(path.to_owned(), (state, text.clone()));
        text
    }

    /// Returns the searched paths and their states.
    pub fn finish(self) -> Box<[Inclusion]> {
        let found = self.found.into_inner().into_iter();
        let inclusions = found.map(|(path, (content, _))| Inclusion {
            path: path.into(),
            content,
        });
        inclusions.collect()
    }
}

/// Returns the candidate paths of a file that the file at `from` includes as `written`, in order of preference.
fn candidates(layout: &Layout, from: &str, written: &str) -> Vec<String> {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut paths: Vec<String> = Vec::new();
    let below_alias = ALIASES.iter().find_map(|alias| written.strip_prefix(alias));
    if written.starts_with("./") || written.starts_with("../") {
        paths.extend(join(folder, written));
    } else if let Some(below) = below_alias.or_else(|| written.strip_prefix('/')) {
        paths.extend(layout.in_content(below));
        paths.extend(
            layout
                .served_folders(from)
                .filter_map(|folder| join(&folder, below)),
        );
    } else {
        // From the folder of the document upwards: the nearest file wins.
        for above in Path::new(folder).ancestors() {
            let above = above.to_str().unwrap_or_default();
            let folders = FOLDERS.map(|name| PathBuf::from(above).join(name));
            let folders = folders.iter().filter_map(|folder| folder.to_str());
            paths.extend(folders.filter_map(|folder| join(folder, written)));
        }
        paths.extend(layout.in_content(written));
        paths.extend(
            layout
                .served_folders(from)
                .filter_map(|folder| join(&folder, written)),
        );
    }
    let name = written.rsplit('/').next().unwrap_or_default();
    if !name.contains('.') {
        // Includes of Liquid and Nunjucks in Eleventy omit the extension.
        let named = paths.iter().flat_map(|path| {
            [".liquid", ".njk", ".html", ".md"].map(|extension| format!("{path}{extension}"))
        });
        let named: Vec<String> = named.collect();
        paths = [named, paths].concat();
    }
    let mut paths_seen = Vec::new();
    for path in paths {
        if !path.is_empty() && path != from && !paths_seen.contains(&path) {
            paths_seen.push(path);
        }
    }
    // A file that includes itself is found, and rejected as a cycle.
    if join(folder, written).as_deref() == Some(from) {
        paths_seen.insert(0, from.to_owned());
    }
    paths_seen
}
