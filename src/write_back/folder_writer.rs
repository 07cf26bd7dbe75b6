//! The writer of content files.

use std::{path::PathBuf, sync::Arc};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use serde::Deserialize;

use crate::{
    catalog::Catalog,
    content_files::{
        FileOutput,
        conditions::Conditions,
        edits::{EditWriter, WrittenEdits},
        file_state::Fingerprint,
        folder_files,
        folder_view::FolderView,
    },
    domain::post::{ALIASES_MAX, Body, Post},
    error::Result,
    site::{
        DeletedFile, EditedFile, EditedRecord, FileRecord, FileWriter, LeasedSite, TransactionView,
    },
    store::Table,
    uploads::Uploads,
    write_back::{
        editing::FileEditing, file_reader::FileReader, naming, naming::NewFiles,
        refusals::has_changed, view::EditedViews,
    },
};

/// Writes edits into the files of a content folder.
pub struct FolderWriter {
    pub(super) root: PathBuf,
    pub(super) uploads: Uploads,
    pub(super) view: Arc<ArcSwap<FolderView>>,
    pub(super) edited_views: EditedViews,
    pub(super) new_files: NewFiles,
    /// Whether others also write to the folder.
    pub(super) is_shared: bool,
    /// Whether edits are committed once they are in the folder.
    pub(super) are_committed: bool,
}

impl FolderWriter {
    /// Creates the writer of the files in `root` for a site with these uploads. Files are read under the conditions of the
    /// last run, which are in `view`.
    pub fn new(root: PathBuf, uploads: Uploads, view: Arc<ArcSwap<FolderView>>) -> Self {
        Self {
            root,
            uploads,
            view,
            edited_views: EditedViews::default(),
            new_files: NewFiles::default(),
            is_shared: false,
            are_committed: false,
        }
    }

    /// Expects that other writers also write to the folder.
    pub fn with_other_writers(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// If `are_committed`, queues edits for a commit once they are in the folder.
    pub fn with_commits(self, are_committed: bool) -> Self {
        Self {
            are_committed,
            ..self
        }
    }

    /// Sets the paths of new files.
    pub fn with_new_files(self, new_files: NewFiles) -> Self {
        Self { new_files, ..self }
    }

    /// Returns the folder as it will be after the pending edits, including those of this transaction.
    pub(super) fn view_in(&self, transaction: &TransactionView) -> Result<Arc<FolderView>> {
        self.view_with(transaction, &[])
    }

    /// Returns the folder of [`view_in`](Self::view_in) with additional uploads.
    pub(super) fn view_with(
        &self,
        transaction: &TransactionView,
        uploads: &[Box<str>],
    ) -> Result<Arc<FolderView>> {
        self.edited_views
            .view(self.view.load_full(), transaction, uploads)
    }

    /// Returns the reader of a file.
    pub(super) fn reader(&self, view: &FolderView, now: Timestamp, path: &str) -> FileReader {
        FileReader {
            path: path.into(),
            conditions: Conditions {
                now,
                ..view.conditions.clone()
            },
            directory: Arc::clone(&view.directory),
            known: None,
            uploads: Vec::new(),
        }
    }

    /// Returns the text of a file after its last pending edit, or else as in the folder, and the known identity of its
    /// record.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file in the folder is not the version that the site has read.
    pub(super) fn current_text(
        &self,
        transaction: &TransactionView,
        reader: &mut FileReader,
    ) -> Result<(String, Option<FileOutput>)> {
        let state: Option<KnownFile> =
            transaction.read(Table::SourceFiles, reader.path.as_bytes())?;
        let known = state.as_ref().and_then(|state| state.output.clone());
        let last = transaction.last_file_edit(&reader.path)?;
        // A pending edit is written first, so the next one is based on its text and not on the
        // file.
        if let Some(text) = last.and_then(|edit| edit.after) {
            return Ok((text, known));
        }
        let bytes = folder_files::read(&self.root, &reader.path)
            // A file that has disappeared or become unreadable has changed, too. The next run reads
            // the folder.
            .map_err(|problem| has_changed(&reader.path).context(problem.to_string()))?;
        // An edit of a version that the site has not read would overwrite changes that the editor
        // has not seen.
        let is_known = state.is_some_and(|state| {
            state.fingerprint == reader.conditions.fingerprint(&reader.path, &bytes)
        });
        let text = String::from_utf8(bytes).ok().filter(|_| is_known);
        text.map(|text| (text, known))
            .ok_or_else(|| has_changed(&reader.path))
    }
}

/// The part of a file's stored state that edits need.
#[derive(Deserialize)]
struct KnownFile {
    #[serde(default)]
    fingerprint: Fingerprint,
    #[serde(default, rename = "made")]
    output: Option<FileOutput>,
}

impl EditWriter for FolderWriter {
    fn check_new_files(&self) -> Result<()> {
        match self.view.load() {
            view if view.is_read() => self.new_files.check(&view.conditions.layout),
            // Before the first run the layout is unknown, and no path can be judged. `added` checks
            // again.
            _ => Ok(()),
        }
    }

    fn write_edits(&self, site: &LeasedSite) -> Result<WrittenEdits> {
        self.write_waiting(site, &[], &[])
    }
}

impl FileWriter for FolderWriter {
    fn edited(
        &self,
        transaction: &TransactionView,
        mut post: Post,
        body: Body,
    ) -> Result<EditedFile> {
        let path = Box::from(post.origin.path().unwrap_or_default());
        self.check_reach([&*path])?;
        let catalog = transaction.catalog();
        add_former_path(catalog, &mut post);
        let uploads = self.uploads_of(&*self.view_in(transaction)?, &path, &post, &body)?;
        let (post, body) = uploads.refer(post, body)?;
        let uploads = uploads.new;
        // The uploads are not in the folder yet. Without them in the view, their URLs would not
        // resolve.
        let view = self.view_with(transaction, &uploads)?;
        let mut reader = self.reader(&view, transaction.now(), &path);
        reader.uploads.clone_from(&uploads);
        let (before, known) = self.current_text(transaction, &mut reader)?;
        reader.known = known;
        let new_path = naming::path_after(&reader, &before, &post)?;
        self.check_reach([&*new_path])?;
        let edit = FileEditing {
            // The new text is read at its new path, because the slug and relative URLs depend on
            // it.
            reader: &reader.at(&new_path),
            catalog,
            is_new: false,
        };
        let (after, post, body) = edit.apply(&before, post, body)?;
        Ok(EditedFile {
            moved_from: (new_path != path).then_some(path),
            path: new_path,
            before: Some(before),
            after,
            post,
            body,
            uploads,
        })
    }

    fn added(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile> {
        let catalog = transaction.catalog();
        let view = self.view_in(transaction)?;
        let (set, kind) = (&self.new_files, post.kind);
        set.check(&view.conditions.layout)?;
        let pattern = naming::NewFilePattern::of(set, catalog, &view, &self.root, kind);
        let is_taken = |path: &str| {
            // The view lacks files of posts that are still to be written, but the catalog has their
            // posts.
            view.directory.paths().contains(path)
                || catalog
                    .posts
                    .iter()
                    .any(|post| post.origin.path() == Some(path))
        };
        let path = pattern.path_of(&post, is_taken);
        self.check_reach([&*path])?;
        let uploads = self.uploads_of(&view, &path, &post, &body)?;
        let (post, body) = uploads.refer(post, body)?;
        let uploads = uploads.new;
        // As in `edited`, URLs of the uploads must resolve before the file is written.
        let view = self.view_with(transaction, &uploads)?;
        let mut reader = self.reader(&view, transaction.now(), &path);
        reader.uploads.clone_from(&uploads);
        let edit = FileEditing {
            reader: &reader,
            catalog,
            is_new: true,
        };
        let (after, post, body) = edit.apply(pattern.empty_file(), post, body)?;
        Ok(EditedFile {
            path,
            moved_from: None,
            before: None,
            after,
            post,
            body,
            uploads,
        })
    }

    fn edited_record(
        &self,
        transaction: &TransactionView,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>> {
        self.edit_record(transaction, record)
    }

    fn deleted(&self, transaction: &TransactionView, path: &str) -> Result<DeletedFile> {
        self.check_reach([path])?;
        let view = self.view_in(transaction)?;
        let mut reader = self.reader(&view, transaction.now(), path);
        Ok(DeletedFile {
            text: self.current_text(transaction, &mut reader)?.0,
            images: self.own_images(&view, transaction.catalog(), path),
        })
    }
}

/// Adds a redirect from the public path of a post to its new slug.
fn add_former_path(catalog: &Catalog, post: &mut Post) {
    let known = catalog.posts.get(post.id);
    // No reader has seen the URL of a post that is not listed.
    let Some(known) = known.filter(|known| known.is_listed() && known.slug != post.slug) else {
        return;
    };
    let path: Box<str> = format!("/{}", known.slug).into();
    if !post.aliases.contains(&path) && post.aliases.len() < ALIASES_MAX {
        post.aliases = [&[path], &*post.aliases].concat().into();
    }
}
