//! The interface through which the site writes content files.

use std::sync::Arc;

use super::{FileRecord, TransactionView};
use crate::{
    domain::{
        file_edit::Editor,
        post::{Body, Post},
    },
    error::Result,
};

/// The text of a file after an edit, and the record that results from reading the text.
pub struct EditedFile {
    /// The path in the content folder.
    pub path: Box<str>,
    /// The path before, if the file was moved.
    pub moved_from: Option<Box<str>>,
    /// The text before; `None` for a new file.
    pub before: Option<String>,
    /// The text after the edit.
    pub after: String,
    /// The record, whose `source` is the path.
    pub post: Post,
    /// Its body.
    pub body: Body,
    /// Uploads that are copied into the content folder with the file.
    pub uploads: Vec<Box<str>>,
}

/// The text of a file after an edit, and the record that results from reading the text.
pub struct EditedRecord {
    /// The path in the content folder.
    pub path: Box<str>,
    /// The text before; `None` for a new file.
    pub before: Option<String>,
    /// The text after the edit.
    pub after: String,
    /// The record; for settings, all settings of the file.
    pub record: FileRecord,
    /// Uploads that are copied into the content folder with the file.
    pub uploads: Vec<Box<str>>,
}

/// A file to be deleted.
pub struct DeletedFile {
    /// Its current text.
    pub text: String,
    /// The images that are deleted with it.
    pub images: Vec<Box<str>>,
}

/// Writes edits of records into the text of their content files.
pub trait FileWriter: Send + Sync {
    /// Returns the file of `post`, edited to contain the values and the body.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since; `Validation` if the file cannot store a value or
    /// cannot be edited.
    fn edited(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns a new file for a new post.
    ///
    /// # Errors
    ///
    /// `Validation` if a file cannot store a value.
    fn added(&self, transaction: &TransactionView, post: Post, body: Body) -> Result<EditedFile>;

    /// Returns the file of a record other than a post, edited to contain its values, or a new file for the record.
    /// Settings that a file cannot store are left out. `None` if the folder cannot have such a file.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since; `Validation` if the file cannot store a value or
    /// cannot be edited.
    fn edited_record(
        &self,
        transaction: &TransactionView,
        record: FileRecord,
    ) -> Result<Option<EditedRecord>>;

    /// Returns the file at `path`, to be deleted.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if the file has changed and was not read since.
    fn deleted(&self, transaction: &TransactionView, path: &str) -> Result<DeletedFile>;
}

/// The writer of content files, and the editor on whose behalf a transaction edits them.
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

    /// Returns the editor.
    pub(super) fn editor(&self) -> Option<&Editor> {
        self.editor.as_ref()
    }
}
