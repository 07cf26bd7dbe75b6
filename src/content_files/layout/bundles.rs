//! Folders whose `index` file is the document, or the page of the folder.

use crate::content_files::{layout::Layout, path_properties};

impl Layout {
    /// Finds the folders whose `index` file is the document.
    pub(super) fn find_bundles<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        if !self.profile().has_bundles {
            return;
        }
        for path in
            paths.filter(|path| path_properties::is_markdown(path) || path.ends_with(".html"))
        {
            let Some((folder, file)) = path.rsplit_once('/') else {
                continue;
            };
            let in_project = self.in_project(path);
            // The `index` file at the top of a folder of documents is the front page, not a bundle
            // with all documents in it.
            let is_root = in_project
                .as_deref()
                .and_then(|path| path.rsplit_once('/'))
                .is_none_or(|(folder, _)| self.roots.iter().any(|root| root == folder));
            if file.starts_with("index.") && !is_root {
                self.bundles.insert(folder.to_owned());
            }
        }
    }

    /// Finds the folders with an `index` file, if the generator publishes it instead of a `README`.
    pub(super) fn find_index_folders<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        if !self.generator.prefers_index() {
            return;
        }
        for path in paths.filter(|path| path_properties::is_markdown(path)) {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            if file.starts_with("index.") {
                self.index_folders.insert(folder.to_owned());
            }
        }
    }

    /// Returns whether a file is a `README` that is not published, because its folder has an `index` file.
    pub(super) fn is_readme_beside_index(&self, path: &str) -> bool {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or_default();
        stem.eq_ignore_ascii_case("readme") && self.index_folders.contains(folder)
    }

    /// Returns whether a file is in the folder of another document.
    pub(super) fn is_of_bundle(&self, path: &str) -> bool {
        let Some((folder, file)) = path.rsplit_once('/') else {
            return false;
        };
        let own = file.starts_with("index.");
        let folders = std::iter::successors(Some(folder), |folder| {
            folder.rsplit_once('/').map(|(above, _)| above)
        });
        // An `index` file is the document of its folder, but may be in an outer bundle.
        folders
            .skip(usize::from(own))
            .any(|folder| self.bundles.contains(folder))
    }
}
