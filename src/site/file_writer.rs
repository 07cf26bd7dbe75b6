//! The writer of content files, as the site knows it.

use std::sync::Arc;

use super::{FileRecord, TransactionView};
use crate::{
    domain::{
        file_edit::Editor,
        post::{Body, Post},
    },
    error::Result,
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

/// The text of a file after an edit, and the record that reading it gives.
pub struct EditedRecord {
    /// The path in the content folder.
    pub path: Box<str>,
    /// The text before; `None` for a new file.
    pub before: Option<String>,
    /// The text.
    pub after: String,
    /// The record; of settings all of the file.
    pub record: FileRecord,
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
    fn edited(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns a new file for a new post.
    ///
    /// # Errors
    ///
    /// `Validation` if a file cannot say a value.
    fn added(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns the file of a record other than a post with its values, or a new file for it; of settings, with those that
    /// a file can have. `None` if the folder cannot have such a file.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since; `Validation` if the file cannot say a value, or
    /// cannot be edited.
    fn edited_record(
        &self,
        transaction: &TransactionView,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>>;

    /// Returns a file that is to be deleted.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since.
    fn deleted(&self, transaction: &TransactionView, path: &str) -> Result<DeletedFile>;
}

/// The editor of content files in a transaction, and the writer.
#[derive(Default)]
pub(super) struct FileEditing {
    pub(super) writer: Option<Arc<dyn FileWriter>>,
    pub(super) editor: Option<Editor>,
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
