//! The files that go with a text: uploads that it shows, which are put into the folder, and pictures of a deleted post.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use percent_encoding::percent_decode_str;

use super::{FolderView, FolderWriter};
use crate::{
    atomic_file,
    catalog::Catalog,
    domain::{
        file_edit::FileEdit,
        file_reference::FileReference,
        post::{Body, Post},
    },
    error::{Error, Result},
    images::Variant,
    render::urls::visit_paths,
    sources::{
        place,
        public_files::{FOLDERS, is_plain, is_served_by_reference, public_path},
    },
};

/// The path of the site's files in URLs.
const CONTENT: &str = "/content/";

impl FolderWriter {
    /// Returns the uploads that these texts refer to and that the folder does not have, as paths in both folders. The folder
    /// of another generator has no place for them.
    pub(super) fn uploads_in<'t>(
        &self,
        view: &FolderView,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Vec<Box<str>> {
        if !view.conditions.layout.is_own() {
            return Vec::new();
        }
        let mut paths = BTreeSet::new();
        for text in texts {
            visit_paths(text.as_bytes(), CONTENT, |path| {
                let path = percent_decode_str(path).decode_utf8_lossy();
                paths.insert(match Variant::of(&path) {
                    Some(variant) => format!("images/{}", variant.original),
                    None => path.into_owned(),
                });
            });
        }
        let is_upload = |path: &String| {
            let folder = path.split('/').next().unwrap_or_default();
            FOLDERS.contains(&folder)
                && is_served_by_reference(path)
                && !view.directory.paths().contains(path)
                && self.data.join(path).is_file()
        };
        let uploads = paths.into_iter().filter(is_upload);
        uploads.map(String::into_boxed_str).collect()
    }

    /// Returns the uploads of a post that the folder does not have.
    pub(super) fn uploads_of(&self, view: &FolderView, post: &Post, body: &Body) -> Vec<Box<str>> {
        let fields = serde_json::to_string(post).unwrap_or_default();
        let texts = [body.lexical.as_deref(), body.html.as_deref()];
        let texts = texts.into_iter().flatten().chain([&*fields]);
        self.uploads_in(view, texts)
    }

    /// Returns the pictures that only the post of the file at `path` shows: of those in `images/` and in its own folder.
    pub(super) fn own_pictures(view: &FolderView, catalog: &Catalog, path: &str) -> Vec<Box<str>> {
        let posts = || catalog.posts.iter();
        let is_own = |post: &Post| post.source.as_deref() == Some(path);
        let Some(post) = posts().find(|post| is_own(post)) else {
            return Vec::new();
        };
        if post.files.is_empty() || !view.conditions.layout.is_own() {
            return Vec::new();
        }
        let beside = match (place::is_index(path), path.rsplit_once('/')) {
            (true, Some((folder, _))) => format!("{folder}/"),
            _ => "images/".to_owned(),
        };
        let shared = files_of_other_records(catalog);
        let is_used = |file: &FileReference| {
            shared.contains(file) || posts().any(|post| !is_own(post) && post.files.contains(file))
        };
        let paths = view.directory.paths().iter();
        let own = paths.filter(|path| {
            let file = FileReference::to(&public_path(path));
            (path.starts_with("images/") || path.starts_with(&beside))
                && is_served_by_reference(path)
                && post.files.contains(&file)
                && !is_used(&file)
        });
        own.map(|path| path.as_str().into()).collect()
    }

    /// Copies the uploads of an edit into the folder, unless they are there.
    pub(super) fn put_uploads(&self, edit: &FileEdit) -> Result<()> {
        for upload in edit.uploads.iter().filter(|path| is_plain(path)) {
            let place = self.root.join(&**upload);
            if place.symlink_metadata().is_ok() {
                continue;
            }
            match fs::read(self.data.join(&**upload)) {
                Ok(bytes) => atomic_file::replace_content(&place, &bytes)
                    .map_err(|error| failed(&place, error))?,
                // Without it, the text shows what it did before the edit was restored from a backup.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    tracing::warn!(file = &**upload, "an upload is gone and is not written");
                }
                Err(error) => return Err(failed(&place, error)),
            }
        }
        Ok(())
    }
}

/// Returns the files that tags, users, newsletters and settings refer to.
fn files_of_other_records(catalog: &Catalog) -> Box<[FileReference]> {
    let tags = catalog.tags.iter().map(|tag| serde_json::to_vec(&**tag));
    let users = catalog.users.iter().map(|user| serde_json::to_vec(&**user));
    let newsletters = catalog.newsletters.iter();
    let newsletters = newsletters.map(|newsletter| serde_json::to_vec(&**newsletter));
    let settings = [serde_json::to_vec(catalog.settings.set_values())];
    let texts = tags.chain(users).chain(newsletters).chain(settings);
    FileReference::in_texts(texts.map(std::result::Result::unwrap_or_default))
}

/// Returns the stored form of the URL of an upload.
pub fn stored_url(upload: &str) -> String {
    crate::sources::symbol_table::stored(&format!("{CONTENT}{upload}"), "")
}

pub(super) fn failed(path: &Path, error: io::Error) -> Error {
    Error::internal(io::Error::new(
        error.kind(),
        format!("{}: {error}", path.display()),
    ))
}
