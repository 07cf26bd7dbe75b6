//! The gate through which records of content files change: by the text of their files.

use std::sync::Arc;

use super::{EditedRecord, FileRecord, Transaction, file_edits::NewFileEdit};
use crate::{
    domain::{
        file_edit::Editor,
        origin::RecordOrigin,
        post::{Body, Post},
    },
    error::{Error, Kind, Result},
};

/// The text of a file after an edit, and the record that reading it gives.
pub struct EditedFile {
    /// The path in the content folder.
    pub path: Box<str>,
    /// The path before, if it is another one.
    pub moved_from: Option<Box<str>>,
    /// The text before; `None` for a new file.
    pub before: Option<String>,
    /// The text.
    pub after: String,
    /// The record, whose `source` is the path.
    pub post: Post,
    /// Its body.
    pub body: Body,
    /// Uploads that go into the content folder with it.
    pub uploads: Vec<Box<str>>,
}

/// A file that is to be deleted.
pub struct DeletedFile {
    /// Its current text.
    pub text: String,
    /// The images that are deleted with it.
    pub images: Vec<Box<str>>,
}

/// Writes edits of records into the text of their content files.
pub trait FileWriter: Send + Sync {
    /// Returns the file of `post` with its values and its body.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since; `Validation` if the file cannot say a value, or
    /// cannot be edited.
    fn edited(&self, transaction: &Transaction, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns a new file for a new post.
    ///
    /// # Errors
    ///
    /// `Validation` if a file cannot say a value.
    fn added(&self, transaction: &Transaction, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns the file of a record other than a post with its values, or a new file for it; of settings, with those that
    /// a file can have. `None` if the folder cannot have such a file.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since; `Validation` if the file cannot say a value, or
    /// cannot be edited.
    fn edited_record(
        &self,
        transaction: &Transaction,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>>;

    /// Returns a file that is to be deleted.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since.
    fn deleted(&self, transaction: &Transaction, path: &str) -> Result<DeletedFile>;
}

/// The editor of content files in a transaction, and the writer.
#[derive(Default)]
pub(super) struct FileEditing {
    writer: Option<Arc<dyn FileWriter>>,
    editor: Option<Editor>,
}

impl FileEditing {
    pub(super) fn by(writer: Option<Arc<dyn FileWriter>>) -> Self {
        Self {
            writer,
            editor: None,
        }
    }

    /// Returns who edits them.
    pub(super) fn editor(&self) -> Option<&Editor> {
        self.editor.as_ref()
    }
}

impl Transaction {
    /// Says who makes the changes of this transaction. Without an editor, records of content files change only with their
    /// files.
    pub fn edit_files_as(&mut self, editor: Editor) {
        self.files.editor = Some(editor);
    }

    /// Returns an error unless a change of a record can be written into the content file that it is from; `noun`
    /// describes the record, such as `tag "essays"`.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the file.
    pub fn check_origin(&self, noun: &str, origin: &RecordOrigin) -> Result<()> {
        match origin {
            RecordOrigin::File { path } if !self.writes_files() => Err(record_of_file(noun, path)),
            _ => Ok(()),
        }
    }

    /// Returns whether new posts, and changes of those of content files, are written into files.
    pub fn writes_files(&self) -> bool {
        self.file_writer().is_some()
    }

    pub(super) fn file_writer(&self) -> Option<Arc<dyn FileWriter>> {
        self.files.editor.as_ref()?;
        self.files.writer.clone()
    }

    /// Returns a post as its content file will say it, and queues the edit of the file; a new post gets a file. A post
    /// without a file, or of a site that writes no files, is returned unchanged.
    ///
    /// # Errors
    ///
    /// The errors of [`FileWriter::edited`], and those of [`check_origin`](Self::check_origin).
    pub(super) fn through_file(&mut self, post: Post, body: Body) -> Result<(Post, Body)> {
        let noun = || format!("{} \"{}\"", post.kind.name(), post.slug);
        self.check_origin(&noun(), &post.origin)?;
        let Some(writer) = self.file_writer() else {
            return Ok((post, body));
        };
        let is_new = self.catalog().posts.get(post.id).is_none();
        let edited = match post.origin {
            RecordOrigin::File { .. } => writer.edited(self, post, body)?,
            RecordOrigin::Store if is_new => writer.added(self, post, body)?,
            RecordOrigin::Store => return Ok((post, body)),
        };
        let edit = NewFileEdit {
            path: edited.path,
            moved_from: edited.moved_from,
            title: edited.post.title.clone(),
            before: edited.before,
            after: Some(edited.after),
            is_of_document: true,
            uploads: edited.uploads,
            images: Vec::new(),
        };
        self.queue_file_edit(edit)?;
        Ok((edited.post, edited.body))
    }

    /// Queues the deletion of the content file of a deleted post.
    pub(super) fn delete_file_of(&mut self, post: &Post) -> Result<()> {
        let Some(path) = post.origin.path() else {
            return Ok(());
        };
        let noun = format!("{} \"{}\"", post.kind.name(), post.slug);
        self.delete_file(&noun, path, post.title.clone(), true)
    }

    /// Queues the deletion of a content file; `noun` describes its record, such as `tag "essays"`.
    pub(super) fn delete_file(
        &mut self,
        noun: &str,
        path: &str,
        title: Box<str>,
        is_of_document: bool,
    ) -> Result<()> {
        let Some(writer) = self.file_writer() else {
            return Err(record_of_file(noun, path));
        };
        let DeletedFile { text, images } = writer.deleted(self, path)?;
        self.queue_file_edit(NewFileEdit {
            path: path.into(),
            title,
            is_of_document,
            before: Some(text),
            images,
            ..NewFileEdit::default()
        })
    }
}

/// Returns the error for a change of a record that changes only with its content file; `noun` describes it, such as
/// `tag "essays"`.
pub fn record_of_file(noun: &str, path: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("The {noun} comes from a content file and can be changed only there."),
    )
    .context(format!("The file is {path}."))
    .help("Edit that file; changes are applied immediately.")
}
