//! The existing files of a site: its content files, and the files that are served.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use super::Folders;
use crate::content_files::{
    folder_files, kind_of,
    public_files::{FOLDERS, is_plain, is_served_by_reference},
};

/// The folder of resized images.
const RESIZED: &str = "images/size/";

/// The files in the folders of a site, by relative path.
pub struct SiteFiles {
    content: BTreeMap<String, PathBuf>,
    /// The other files; for uploads in a bucket, the paths of local copies.
    assets: BTreeMap<String, PathBuf>,
}

impl SiteFiles {
    /// Lists the files in the folders, except those inside `target`.
    ///
    /// # Errors
    ///
    /// If the bucket of uploads is unavailable.
    pub fn of(folders: Folders<'_>, target: &Path) -> io::Result<Self> {
        let mut files = Self {
            content: BTreeMap::new(),
            assets: BTreeMap::new(),
        };
        for kind in FOLDERS {
            if let Some(bucket) = folders.uploads.bucket() {
                let listed = bucket.list(&format!("{kind}/"))?.into_iter();
                let names = listed.map(|object| object.name);
                let names = names.filter(|name| is_plain(name) && !name.starts_with(RESIZED));
                let located = names.map(|name| (name.clone(), folders.uploads.path(&name)));
                files.assets.extend(located);
                continue;
            }
            files.add(
                &folders.uploads.path(kind),
                &format!("{kind}/"),
                target,
                is_plain,
            );
        }
        if let Some(content) = folders.content {
            // If two files have the same path, the file in the content folder is served.
            files.add(content, "", target, is_served_by_reference);
        }
        Ok(files)
    }

    fn add(&mut self, root: &Path, prefix: &str, target: &Path, is_asset: fn(&str) -> bool) {
        // Files of an earlier export in the target are no files of the site. If the whole folder is
        // in the target, there is nothing to separate.
        let is_outside_target = |path: &Path| !is_below(path, target) || is_below(root, target);
        if !root.is_dir() {
            return;
        }
        for file in folder_files::walk(root).files {
            let from = root.join(&file.path);
            let path = format!("{prefix}{}", file.path);
            // Resized images are generated again on request.
            if !is_outside_target(&from) || path.starts_with(RESIZED) {
                continue;
            }
            if kind_of(&path).is_some() {
                self.content.insert(path, from);
            } else if is_asset(&path) {
                self.assets.insert(path, from);
            }
        }
    }

    /// Returns the content file at `path`.
    pub fn content_file(&self, path: &str) -> Option<&Path> {
        self.content.get(path).map(PathBuf::as_path)
    }

    /// Returns the files that are not content files, with their locations and relative paths.
    pub fn assets(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.assets
            .iter()
            .map(|(path, from)| (from.as_path(), path.as_str()))
    }
}

/// Returns whether a path is inside a folder, after resolving symbolic links.
fn is_below(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}
