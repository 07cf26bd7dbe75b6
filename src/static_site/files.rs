//! Images and other published files of a build.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{BuildError, folder::Folder, manifest::ManifestEntry};
use crate::{
    api::{
        files::FileRoots,
        params::decode,
        static_renderer::{StaticRenderer, original_of},
    },
    content_files::{
        folder_files,
        public_files::{is_plain, is_served_by_reference, public_path},
    },
};

/// Characters in a path to percent-encode.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The files to publish: their paths below `content/` on disk, with the paths at which they are
/// requested.
pub struct PublishedFiles(BTreeMap<String, String>);

impl PublishedFiles {
    /// Collects the files that documents refer to, and the served files of the content folder.
    ///
    /// # Errors
    ///
    /// If uploads are in a bucket that is unavailable.
    pub fn of(
        site: &StaticRenderer<'_>,
        roots: &FileRoots,
        referenced: BTreeSet<String>,
    ) -> Result<Self, BuildError> {
        let mut files = BTreeMap::new();
        for url in referenced {
            // The URL comes from HTML that authors wrote, and may be malformed.
            let Ok(path) = decode(&url) else { continue };
            // A resized image is created when it is written, so check its original instead.
            let served = original_of(&url).unwrap_or_else(|| url.clone());
            // `is_plain` refuses `..`, with which a path could be outside of the output folder.
            if is_plain(&path) && site.file(&served)?.is_some() {
                files.insert(path, url);
            }
        }
        let content = roots.content.iter().filter(|content| content.is_dir());
        for file in content.flat_map(|content| folder_files::walk(content).files) {
            let path = public_path(&file.path);
            let url = utf8_percent_encode(&path, ENCODED).to_string();
            // The other files of the content folder are published only if published content refers
            // to them.
            if is_served_by_reference(&file.path) && site.file(&url)?.is_some() {
                // A file that a document refers to is requested at the URL in the document.
                files.entry(path).or_insert(url);
            }
        }
        Ok(Self(files))
    }

    /// Returns the paths of the files, relative to the site.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.0.keys().map(|path| format!("content/{path}"))
    }

    /// Writes the files, and calls `advance` after each one. `below` prepends the path of the site.
    ///
    /// # Errors
    ///
    /// `Write`, and the errors of `advance`.
    pub fn write(
        &self,
        site: &StaticRenderer<'_>,
        folder: &mut Folder,
        below: impl Fn(&str) -> String,
        advance: &mut dyn FnMut() -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        let target = |path: &str| below(&format!("content/{path}"));
        let mut hashes: BTreeMap<&str, String> = BTreeMap::new();
        let originals = self
            .0
            .iter()
            .filter(|(path, _)| original_of(path).is_none());
        for (path, url) in originals {
            match site.file(url)? {
                Some(file) => {
                    let hash = folder.put_file(&target(path), file, None)?;
                    hashes.insert(path, hash);
                }
                // The file was removed in the meantime.
                None => folder.release(&target(path)),
            }
            advance()?;
        }
        // Resized images are last: the hash of the original decides whether the image must be
        // resized again.
        for (path, url) in &self.0 {
            let (Some(name), Some(original)) = (original_of(path), original_of(url)) else {
                continue;
            };
            let hash = match hashes.get(name.as_str()) {
                Some(hash) => Some(hash.clone()),
                // Pages may name only resized copies, so the original is not a file of the build.
                None => hash_of(site, &original)?,
            };
            let is_unchanged = hash
                .as_deref()
                .is_some_and(|hash| folder.keep_resized(&target(path), hash));
            if !is_unchanged {
                match site.file(url)? {
                    Some(file) => {
                        folder.put_file(&target(path), file, hash)?;
                    }
                    None => folder.release(&target(path)),
                }
            }
            advance()?;
        }
        Ok(())
    }
}

/// Returns the hash of a served file.
fn hash_of(site: &StaticRenderer<'_>, url: &str) -> Result<Option<String>, BuildError> {
    let file = site.file(url)?;
    let entry = file.and_then(|mut file| ManifestEntry::of_file(&mut file).ok());
    Ok(entry.map(|entry| entry.hash))
}
