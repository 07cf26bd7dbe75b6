//! The functions through which records of content files change: by editing their files.

use std::sync::Arc;

use super::{DeletedFile, FileWriter, Transaction, file_edits::NewFileEdit};
use crate::{
    domain::{
        file_edit::Editor,
        origin::RecordOrigin,
        post::{Body, Post},
    },
    error::{Error, Kind, Result},
};

impl Transaction {
    /// Sets the editor of the changes in this transaction. Without an editor, records of content files change only when
    /// their files change.
    pub fn edit_files_as(&mut self, editor: Editor) {
        self.files.editor = Some(editor);
    }

    /// Returns an error unless a change of a record can be written into the record's content file. `noun` describes the
    /// record, such as `tag "essays"`.
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

    /// Returns whether new posts, and changes of posts from content files, are written into files.
    pub fn writes_files(&self) -> bool {
        self.file_writer().is_some()
    }

    pub(super) fn file_writer(&self) -> Option<Arc<dyn FileWriter>> {
        // Without an editor, the change comes from reading the files, which must not be written
        // back.
        self.files.editor.as_ref()?;
        self.files.writer.clone()
    }

    /// Queues the edit of a post's content file and returns the post that the edited file describes; a new post gets a
    /// file. A post without a file, or of a site that writes no files, is returned unchanged.
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
        // A post that exists without a file, such as one from before the folder, gets none when it
        // is edited.
        let is_new = self.catalog().posts.get(post.id).is_none();
        let edited = match post.origin {
            RecordOrigin::File { .. } => writer.edited(&self.view(), post, body)?,
            RecordOrigin::Store if is_new => writer.added(&self.view(), post, body)?,
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

    /// Queues the deletion of a content file; `noun` describes the file's record, such as `tag "essays"`.
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
        let DeletedFile { text, images } = writer.deleted(&self.view(), path)?;
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

/// Returns the error for a change of a record that can be changed only in its content file. `noun` describes the record,
/// such as `tag "essays"`.
pub fn record_of_file(noun: &str, path: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("The {noun} comes from a content file and can be changed only there."),
    )
    .context(format!("The file is {path}."))
    .help("Edit that file; changes are applied immediately.")
}
