//! The paths of uploads that documents show, and the URLs by which documents refer to them.

use std::collections::BTreeSet;

use crate::{
    content_files::{layout::Layout, path_properties},
    generators::UploadLinks,
};

impl Layout {
    /// Returns the path in the content folder for an upload that the document at `file` shows; `upload` is its path in the
    /// data folder. The path is next to the `index` document of a page bundle, if the generator serves files there. `None`
    /// if the folder that the generator serves is outside the content folder.
    pub fn upload_path(
        &self,
        file: &str,
        upload: &str,
        paths: &BTreeSet<String>,
    ) -> Option<String> {
        if let Some(folder) = self.own_folder(file) {
            let name = upload.rsplit('/').next()?;
            return Some(format!("{folder}/{name}"));
        }
        let folders = || self.upload_folders();
        let exists = |folder: &String| {
            // The paths are sorted: if the first one from the folder on is not in it, none is.
            let mut below = paths.range(folder.clone()..);
            below.next().is_some_and(|path| path.starts_with(folder))
        };
        let existing = folders().find(exists);
        let folder = existing.or_else(|| folders().next())?;
        Some(format!("{folder}{upload}"))
    }

    /// Returns the URL by which documents refer to the upload at `path`; `None` if it is not in a folder for uploads, or
    /// if documents refer to uploads by relative paths.
    pub fn upload_link(&self, path: &str) -> Option<String> {
        let (base, at) = match self.profile().upload_links {
            UploadLinks::Relative => return None,
            UploadLinks::Site(at) => (self.settings.base_path.trim_end_matches('/'), at),
            UploadLinks::BelowSite(at) => ("", at),
        };
        let below = self
            .upload_folders()
            .find_map(|folder| path.strip_prefix(&folder).map(str::to_owned))?;
        Some(format!("{base}{at}/{below}"))
    }

    /// Returns the prefixes of the paths of images that may belong to the document at `file` alone.
    pub fn image_folders(&self, file: &str) -> Vec<String> {
        let uploads = self.upload_folders().map(|folder| folder + "images/");
        let bundle = self.own_folder(file).map(|folder| format!("{folder}/"));
        uploads.chain(bundle).collect()
    }

    /// Returns the folder of the `index` document at `file`, if the generator serves the files in it.
    fn own_folder<'file>(&self, file: &'file str) -> Option<&'file str> {
        let has_bundles = self.is_own() || self.profile().has_bundles;
        let (folder, _) = file.rsplit_once('/')?;
        (has_bundles && path_properties::is_index(file)).then_some(folder)
    }

    /// Returns the folders for uploads in the content folder, with a trailing slash.
    fn upload_folders(&self) -> impl Iterator<Item = String> {
        let folders = self.profile().upload_folders.iter();
        let inside = folders.filter_map(|folder| self.in_content(folder));
        inside.map(|folder| match folder.trim_end_matches('/') {
            "" => String::new(),
            folder => format!("{folder}/"),
        })
    }
}
