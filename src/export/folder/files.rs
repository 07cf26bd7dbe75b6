//! The files that a site has now: its content files, and what lies beside them to be served.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::Folders;
use crate::sources::{
    kind_of,
    public_files::{FOLDERS, is_plain, is_served_by_reference},
    tree,
};

/// Where pictures in other sizes are kept.
const COPIES: &str = "images/size/";

/// The files of a site's folders, by their paths there.
pub struct Files {
    content: BTreeMap<String, PathBuf>,
    assets: BTreeMap<String, PathBuf>,
}

impl Files {
    /// Lists the folders, but nothing of what lies in `target`.
    pub fn of(folders: Folders<'_>, target: &Path) -> Self {
        let mut files = Self {
            content: BTreeMap::new(),
            assets: BTreeMap::new(),
        };
        for kind in FOLDERS {
            files.add(
                &folders.data.join(kind),
                &format!("{kind}/"),
                target,
                is_plain,
            );
        }
        if let Some(content) = folders.content {
            // Of two files of one path that of the content folder is served.
            files.add(content, "", target, is_served_by_reference);
        }
        files
    }

    fn add(&mut self, root: &Path, prefix: &str, target: &Path, is_asset: fn(&str) -> bool) {
        let is_elsewhere = |path: &Path| !is_below(path, target) || is_below(root, target);
        if !root.is_dir() {
            return;
        }
        for file in tree::walk(root).files {
            let from = root.join(&file.path);
            let path = format!("{prefix}{}", file.path);
            // Copies in other sizes are made again where somebody asks for them.
            if !is_elsewhere(&from) || path.starts_with(COPIES) {
                continue;
            }
            if kind_of(&path).is_some() {
                self.content.insert(path, from);
            } else if is_asset(&path) {
                self.assets.insert(path, from);
            }
        }
    }

    /// The content file at `path`.
    pub fn content_file(&self, path: &str) -> Option<&Path> {
        self.content.get(path).map(PathBuf::as_path)
    }

    /// What lies beside the text: where it is, and its path.
    pub fn assets(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.assets
            .iter()
            .map(|(path, from)| (from.as_path(), path.as_str()))
    }
}

/// Whether a path is in a folder, however the two are written.
fn is_below(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}
