//! The files of a document: uploads that it shows, which are copied into the folder, and images of a deleted post.

use std::{
    cmp::Reverse,
    collections::BTreeSet,
    io::{self, ErrorKind},
    path::Path,
};

use memchr::memmem;
use percent_encoding::percent_decode_str;

use crate::{
    catalog::Catalog,
    content_files::{
        folder_files,
        folder_view::FolderView,
        public_files::{AssetKind, FOLDERS, is_plain, is_served_by_reference, public_path},
    },
    domain::{
        file_edit::FileEdit,
        file_reference::FileReference,
        post::{Body, Post},
    },
    error::{Error, Result},
    images::Variant,
    render::urls::{PLACEHOLDER, visit_paths},
    uploads,
    write_back::{FolderWriter, stored_url::stored_url},
};

/// The path of the site's files in URLs.
const CONTENT: &str = "/content/";

/// The folder, in URLs, of files that are not in a folder for uploads.
const BESIDE: &str = "images/";

/// The uploads that texts show and that are copied into the folder with them.
#[derive(Default)]
pub(super) struct PlacedUploads {
    /// The uploads that the folder does not contain yet, as paths in the content folder. Each is also an upload at its
    /// public path.
    pub new: Vec<Box<str>>,
    /// URL paths in the texts, and those in the folder if they differ. Longer paths come first.
    moved: Vec<(String, String)>,
}

impl PlacedUploads {
    /// Replaces URLs of uploads in a post and its body with the URLs in the folder.
    ///
    /// # Errors
    ///
    /// If the post is invalid with the new URLs.
    pub fn refer(&self, mut post: Post, mut body: Body) -> Result<(Post, Body)> {
        for (written, url) in &self.moved {
            let changed = |text: &String| text.replace(written, url);
            body.lexical = body.lexical.as_ref().map(changed);
            body.html = body.html.as_ref().map(changed);
            let fields = serde_json::to_string(&post).map_err(Error::internal)?;
            // Most posts refer to uploads in their bodies only, so the record is rarely parsed
            // again.
            if fields.contains(written) {
                post = serde_json::from_str(&changed(&fields)).map_err(Error::internal)?;
            }
        }
        Ok((post, body))
    }
}

impl FolderWriter {
    /// Returns the uploads that texts of the file at `file` show and that are not in the folder, with their paths there.
    ///
    /// # Errors
    ///
    /// If the uploads cannot be read or written.
    pub(super) fn placed_uploads<'t>(
        &self,
        view: &FolderView,
        file: &str,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Result<PlacedUploads> {
        let mut written = BTreeSet::new();
        for text in texts {
            visit_paths(text.as_bytes(), CONTENT, |path| {
                written.insert(path.to_owned());
            });
        }
        let paths = view.directory.paths();
        let mut placed = PlacedUploads::default();
        for written in written.into_iter().rev() {
            let path = percent_decode_str(&written).decode_utf8_lossy();
            let upload = match Variant::of(&path) {
                // A resized variant is made from its original on request, so only the original is
                // copied.
                Some(variant) => format!("images/{}", variant.original),
                None => path.into_owned(),
            };
            let below = upload.strip_prefix(BESIDE).unwrap_or(&upload);
            // The public path of a file outside of the folders for uploads begins with `images/`,
            // which its path in the folder does not.
            if paths.contains(&upload) || paths.contains(below) || !self.is_upload(&upload)? {
                continue;
            }
            let layout = &view.conditions.layout;
            let Some(path) = layout.upload_path(file, &upload, paths) else {
                continue;
            };
            self.check_reach([&*path])?;
            let path = if public_path(&path) == upload {
                path
            } else {
                self.put_copy(&upload, &path)?
            };
            let public = public_path(&path);
            if public != upload {
                let url = stored_url(&path).replacen(PLACEHOLDER, "", 1);
                placed.moved.push((format!("{CONTENT}{written}"), url));
            }
            if !paths.contains(&path) && !placed.new.iter().any(|new| **new == *path) {
                placed.new.push(path.into());
            }
        }
        placed
            .moved
            // One path may be the beginning of another, which would be replaced in part.
            .sort_by_key(|(written, _)| Reverse(written.len()));
        placed.new.sort();
        Ok(placed)
    }

    fn is_upload(&self, path: &str) -> Result<bool> {
        let folder = path.split('/').next().unwrap_or_default();
        let may_be = FOLDERS.contains(&folder) && is_served_by_reference(path);
        let at = || self.uploads.path(path);
        Ok(may_be
            && self
                .uploads
                .has(path)
                .map_err(|error| failed(&at(), error))?)
    }

    /// Copies an upload to the public path of `path` in the content folder, or of a similar path if another file already has
    /// that one, and returns the path. The copy is served there before the folder contains it.
    fn put_copy(&self, upload: &str, path: &str) -> Result<String> {
        let source = self.uploads.path(upload);
        let bytes = self
            .uploads
            .read(upload)
            .map_err(|error| failed(&source, error))?;
        let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
        for number in 1.. {
            let path = match number {
                1 => path.to_owned(),
                _ => format!("{stem}-{number}.{extension}"),
            };
            let known = self.bytes_at(&path).unwrap_or_default();
            if known.is_some_and(|known| known != bytes) {
                continue;
            }
            let name = public_path(&path);
            let copy = self.uploads.path(&name);
            let incoming = self.uploads.incoming_with(&bytes);
            // `put_new` replaces no file. A copy with the same bytes is from an earlier save of
            // this edit and is used again.
            let copied = incoming
                .and_then(|file| self.uploads.put_new(&file, &name))
                .map_err(|error| failed(&copy, error))?;
            let is_same = || self.uploads.read(&name).is_ok_and(|known| known == bytes);
            if copied || is_same() {
                return Ok(path);
            }
        }
        Ok(path.to_owned())
    }

    /// Returns the uploads that a post of the file at `file` shows, with their paths in the folder.
    ///
    /// # Errors
    ///
    /// If the uploads cannot be read or written.
    pub(super) fn uploads_of(
        &self,
        view: &FolderView,
        file: &str,
        post: &Post,
        body: &Body,
    ) -> Result<PlacedUploads> {
        let fields = serde_json::to_string(post).map_err(Error::internal)?;
        let texts = [body.lexical.as_deref(), body.html.as_deref()];
        let texts = texts.into_iter().flatten().chain([&*fields]);
        self.placed_uploads(view, file, texts)
    }

    /// Returns the images in the folders for uploads and in the post's own folder that only the post of the file at `path`
    /// shows. In the folder of another generator, only uploads that no other file mentions are returned.
    pub(super) fn own_images(
        &self,
        view: &FolderView,
        catalog: &Catalog,
        path: &str,
    ) -> Vec<Box<str>> {
        let posts = || catalog.posts.iter();
        let is_own = |post: &Post| post.origin.path() == Some(path);
        let Some(post) = posts().find(|post| is_own(post)) else {
            return Vec::new();
        };
        // Most posts end here, before all other posts and records are searched.
        if post.files.is_empty() {
            return Vec::new();
        }
        let layout = &view.conditions.layout;
        let folders = layout.image_folders(path);
        let shared = files_of_other_records(catalog);
        let is_used = |file: &FileReference| {
            shared.contains(file) || posts().any(|post| !is_own(post) && post.files.contains(file))
        };
        let paths = view.directory.paths().iter();
        let own = paths.filter(|path| {
            let public = public_path(path);
            let file = FileReference::to(&public);
            folders.iter().any(|folder| path.starts_with(folder))
                && is_served_by_reference(path)
                && post.files.contains(&file)
                && (layout.is_own() || self.is_upload(&public).unwrap_or_default())
                && !is_used(&file)
        });
        let mut own: Vec<Box<str>> = own.map(|path| path.as_str().into()).collect();
        if !layout.is_own() {
            self.retain_unnamed(&mut own, catalog, path);
        }
        own
    }

    /// Removes the images that files other than those of posts mention, such as templates and documents that are left out.
    /// Removes all images if the folder cannot be listed.
    fn retain_unnamed(&self, images: &mut Vec<Box<str>>, catalog: &Catalog, path: &str) {
        if images.is_empty() {
            return;
        }
        let posts = catalog.posts.iter();
        let of_posts: BTreeSet<&str> = posts.filter_map(|post| post.origin.path()).collect();
        let tree = folder_files::walk(&self.root);
        // A file that was not listed may mention any of the images.
        if tree.is_partial {
            images.clear();
        }
        let others = tree.files.iter().map(|file| file.path.as_str());
        let others = others.filter(|other| {
            let may_name = matches!(AssetKind::of(other), None | Some(AssetKind::Download));
            *other != path && !of_posts.contains(other) && may_name
        });
        for text in others.filter_map(|other| folder_files::read(&self.root, other).ok()) {
            images.retain(|image| {
                // Only the name is searched, because templates may put the path together from
                // parts.
                let name = image.rsplit('/').next().unwrap_or_default();
                memmem::find(&text, name.as_bytes()).is_none()
            });
        }
    }

    /// Copies the uploads of an edit into the folder, unless it already contains them.
    pub(super) fn put_uploads(&self, edit: &FileEdit) -> Result<()> {
        for upload in edit.uploads.iter().filter(|path| is_plain(path)) {
            let path = self.root.join(&**upload);
            let is_there = self.folder()?.has(upload);
            if is_there.map_err(|error| failed(&path, error))? {
                continue;
            }
            match self.uploads.read(&public_path(upload)) {
                Ok(bytes) => self.put(upload, Some(&bytes))?,
                // After a restore from a backup, the upload may be missing. The file is written without it.
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    tracing::warn!(
                        file = &**upload,
                        "upload not found; the file is written without it"
                    );
                }
                Err(error) => return Err(failed(&path, error)),
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

pub(super) fn failed(path: &Path, error: io::Error) -> Error {
    if uploads::is_unavailable(&error) {
        return Error::internal(error);
    }
    Error::internal(io::Error::new(
        error.kind(),
        format!("{}: {error}", path.display()),
    ))
}
