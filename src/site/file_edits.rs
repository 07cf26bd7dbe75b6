//! Edits of content files: the gate through which posts of files change, and the edits that wait until the folder or the
//! repository has them.
//!
//! An edit is the text of the file before and after it. It is committed together with the record that reading the new text
//! gives, so the site never shows what the file will not say, and a crash repeats the writing of the file.

use std::sync::Arc;

use super::{CommitTopic, EditedRecord, FileRecord, SiteSnapshot, Transaction};
use crate::{
    domain::{
        file_edit::{CONFLICTS_MAX, Editor, FileConflict, FileEdit},
        origin::RecordOrigin,
        post::{Body, Post},
    },
    error::{Error, Kind, Result},
    store::Table,
};

/// Most edits that wait. More are refused, so that a repository that cannot be reached does not fill the disk.
const WAITING_MAX: usize = 10_000;

/// The store's key of the last conflicts.
const CONFLICTS_KEY: &[u8] = b"file_conflicts";

/// The store's key of the number of the last edit, also if none waits: times in whole seconds do not tell edits apart.
const LAST_NUMBER_KEY: &[u8] = b"file_edit_number";

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
    /// The pictures that go with it.
    pub pictures: Vec<Box<str>>,
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
    /// a file can say. `None` if the folder has no place for such a file.
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

/// An edit that is to be queued.
#[derive(Default)]
pub(super) struct NewFileEdit {
    pub path: Box<str>,
    pub moved_from: Option<Box<str>>,
    pub is_of_document: bool,
    pub title: Box<str>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub uploads: Vec<Box<str>>,
    pub pictures: Vec<Box<str>>,
}

/// Who edits content files in a transaction, and by what.
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
}

impl SiteSnapshot {
    /// Returns the edits that wait for their files or for the repository, in their order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edits(&self) -> Result<Vec<FileEdit>> {
        let mut edits: Vec<FileEdit> = self.all(Table::FileEdits)?;
        edits.retain(|edit| !edit.is_written);
        Ok(edits)
    }

    /// Returns the edits that their files have and that wait for their commits, in their order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn edits_to_commit(&self) -> Result<Vec<FileEdit>> {
        if self.catalog.file_edits.written_count() == 0 {
            return Ok(Vec::new());
        }
        let mut edits: Vec<FileEdit> = self.all(Table::FileEdits)?;
        edits.retain(|edit| edit.is_written);
        Ok(edits)
    }

    /// Returns the last conflicts of edits with other changes of their files, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn file_conflicts(&self) -> Result<Vec<FileConflict>> {
        Ok(self.read(Table::Meta, CONFLICTS_KEY)?.unwrap_or_default())
    }
}

impl Transaction {
    /// Records a conflict, or replaces what is recorded of the same one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn record_file_conflict(&mut self, conflict: FileConflict) -> Result<()> {
        let known: Option<Vec<FileConflict>> = self.read(Table::Meta, CONFLICTS_KEY)?;
        let is_other = |known: &FileConflict| {
            (&known.path, &known.editor, known.edited_at)
                != (&conflict.path, &conflict.editor, conflict.edited_at)
        };
        let others = known.unwrap_or_default().into_iter().filter(is_other);
        let others: Vec<FileConflict> = others.take(CONFLICTS_MAX - 1).collect();
        let all = [vec![conflict], others].concat();
        self.put(Table::Meta, CONFLICTS_KEY, &all)
    }

    /// Says who makes the changes of this transaction. Without an editor, records of content files change only with their
    /// files.
    pub fn edit_files_as(&mut self, editor: Editor) {
        self.files.editor = Some(editor);
    }

    /// Returns the edits that wait for their files or for the repository, in their order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edits(&self) -> Result<Vec<FileEdit>> {
        let mut edits: Vec<FileEdit> = self.all(Table::FileEdits, |edit| edit)?;
        edits.retain(|edit| !edit.is_written);
        Ok(edits)
    }

    /// Returns an edit that waits.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edit(&self, number: u64) -> Result<Option<FileEdit>> {
        self.read(Table::FileEdits, &key(number))
    }

    /// Returns the last edit that will leave a file at `path`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn last_file_edit(&self, path: &str) -> Result<Option<FileEdit>> {
        match self.catalog().file_edits.last_at(path) {
            Some(number) => self.file_edit(number),
            None => Ok(None),
        }
    }

    /// Returns an error unless a change of a record can be written into the content file that it came from; `noun`
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
    /// Those of [`FileWriter::edited`], and those of [`check_origin`](Self::check_origin).
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
            pictures: Vec::new(),
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
        let DeletedFile { text, pictures } = writer.deleted(self, path)?;
        self.queue_file_edit(NewFileEdit {
            path: path.into(),
            title,
            is_of_document,
            before: Some(text),
            pictures,
            ..NewFileEdit::default()
        })
    }

    /// Queues an edit, or continues the last one of the file if the same editor made it.
    pub(super) fn queue_file_edit(&mut self, new: NewFileEdit) -> Result<()> {
        if new.before == new.after && new.moved_from.is_none() {
            return Ok(());
        }
        let Some(editor) = self.files.editor.clone() else {
            unreachable!("invariant: only editors reach the writer");
        };
        let now = self.now();
        let found_at = new.moved_from.as_ref().unwrap_or(&new.path);
        let waiting = &self.catalog().file_edits;
        let last = self.last_file_edit(found_at)?;
        let edit = match last {
            Some(last) if last.editor == editor && !last.is_being_placed => FileEdit {
                moved_from: match last.before {
                    // No one has seen the new file at its first path.
                    None => None,
                    Some(_) => Some(Box::from(last.found_at())).filter(|path| *path != new.path),
                },
                path: new.path,
                title: new.title,
                after: new.after,
                uploads: joined(&last.uploads, new.uploads),
                pictures: new.pictures.into(),
                edited_at: now,
                saves: last.saves + 1,
                earlier: last.versions(),
                ..last
            },
            _ if waiting.count() >= WAITING_MAX => {
                let message =
                    format!("{WAITING_MAX} edits of content files wait for the repository.");
                return Err(Error::new(Kind::Validation, message)
                    .help("See `galley status`, and try again once it responds."));
            }
            _ => FileEdit {
                number: self.next_edit_number()?,
                is_of_document: new.is_of_document,
                is_being_placed: false,
                is_written: false,
                path: new.path,
                moved_from: new.moved_from,
                before: new.before,
                after: new.after,
                uploads: new.uploads.into(),
                pictures: new.pictures.into(),
                title: new.title,
                editor,
                begun_at: now,
                edited_at: now,
                saves: 1,
                earlier: Box::default(),
            },
        };
        self.wake(CommitTopic::FileEdits);
        self.put_file_edit(&edit)
    }

    /// Notes that the text of the new file of an edit is ready beside its place. If the edit was continued since, nothing is
    /// noted, and it is returned as it is now.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn note_placing(&mut self, edit: &FileEdit) -> Result<Option<FileEdit>> {
        match self.file_edit(edit.number)? {
            Some(now) if now.is_version_of(edit) && now.saves != edit.saves => Ok(Some(now)),
            Some(now) if now.is_version_of(edit) => {
                self.put_file_edit(&FileEdit {
                    is_being_placed: true,
                    ..now
                })?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Returns the number of a new edit. No other edit has had it.
    fn next_edit_number(&mut self) -> Result<u64> {
        let last: Option<u64> = self.read(Table::Meta, LAST_NUMBER_KEY)?;
        let waiting = self.catalog().file_edits.last_number();
        let number = last.unwrap_or_default().max(waiting) + 1;
        self.put(Table::Meta, LAST_NUMBER_KEY, &number)?;
        Ok(number)
    }

    fn put_file_edit(&mut self, edit: &FileEdit) -> Result<()> {
        self.catalog_mut().file_edits.put(edit);
        self.put(Table::FileEdits, &key(edit.number), edit)
    }

    fn delete_file_edit(&mut self, number: u64) -> Result<()> {
        self.catalog_mut().file_edits.remove(number);
        self.delete(Table::FileEdits, &key(number))
    }

    /// Replaces edits by the same ones of other texts: those that are in the branch now. An edit that was continued since
    /// is applied again later.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn rebase_file_edits(&mut self, rebased: &[FileEdit]) -> Result<()> {
        for edit in rebased {
            let now = self.file_edit(edit.number)?;
            let is_continued =
                now.is_none_or(|now| !now.is_version_of(edit) || now.saves != edit.saves);
            if is_continued {
                continue;
            }
            match edit.is_empty() {
                true => self.delete_file_edit(edit.number)?,
                false => self.put_file_edit(edit)?,
            }
        }
        Ok(())
    }

    /// Replaces edits that their files have now by the rest of them: what was saved since, which may be nothing. Of the edits
    /// `to_commit`, the same ones as they are to be committed, those wait for that from now on.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn leave_rests(&mut self, written: &[FileEdit], to_commit: &[FileEdit]) -> Result<()> {
        for edit in written {
            let Some(now) = self.file_edit(edit.number)? else {
                continue;
            };
            if !now.is_version_of(edit) {
                continue;
            }
            let is_left = now.found_at() == &*edit.path && now.before == edit.after;
            let commit = to_commit.iter().find(|commit| commit.is_version_of(edit));
            if let Some(commit) = commit.filter(|_| !is_left) {
                self.queue_commit(commit)?;
            }
            self.put_file_edit(&match now.saves == edit.saves {
                true => edit.after_part(edit),
                false => now.after_part(edit),
            })?;
        }
        Ok(())
    }

    /// Queues an edit that its file has for its commit, or continues the last one of the file if the same editor made it.
    fn queue_commit(&mut self, edit: &FileEdit) -> Result<()> {
        let last = match self.catalog().file_edits.last_written_at(edit.found_at()) {
            Some(number) => self.file_edit(number)?,
            None => None,
        };
        let continued = last.filter(|last| last.editor == edit.editor && last.after == edit.before);
        let queued = match continued {
            Some(last) => FileEdit {
                moved_from: match last.before {
                    None => None,
                    Some(_) => Some(Box::from(last.found_at())).filter(|path| *path != edit.path),
                },
                path: edit.path.clone(),
                title: edit.title.clone(),
                after: edit.after.clone(),
                uploads: joined(&last.uploads, edit.uploads.to_vec()),
                pictures: joined(&last.pictures, edit.pictures.to_vec()),
                edited_at: edit.edited_at,
                saves: last.saves + edit.saves,
                ..last
            },
            // The order of commits is that in which the files got the edits.
            None => FileEdit {
                number: self.next_edit_number()?,
                is_written: true,
                is_being_placed: false,
                earlier: Box::default(),
                ..edit.clone()
            },
        };
        self.put_file_edit(&queued)
    }

    /// Removes edits whose commits are made. One that was continued since stays.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_commits(&mut self, committed: &[FileEdit]) -> Result<()> {
        for edit in committed {
            let now = self.file_edit(edit.number)?;
            if now.is_some_and(|now| now.is_version_of(edit) && now.saves == edit.saves) {
                self.delete_file_edit(edit.number)?;
            }
        }
        Ok(())
    }

    /// Removes edits that the folder has now. Of an edit that was continued since, the rest is left; those `to_commit` wait
    /// for their commits.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_file_edits(&mut self, written: &[FileEdit], to_commit: &[FileEdit]) -> Result<()> {
        self.leave_rests(written, to_commit)?;
        for edit in written {
            match self.file_edit(edit.number)? {
                Some(now) if now.is_version_of(edit) && now.saves == edit.saves => {
                    self.delete_file_edit(edit.number)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns all paths of both lists.
fn joined(known: &[Box<str>], new: Vec<Box<str>>) -> Box<[Box<str>]> {
    let mut all = known.to_vec();
    let new = new.into_iter().filter(|path| !known.contains(path));
    all.extend(new);
    all.into()
}

fn key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// Returns the error for a change of a record that changes only with its content file; `noun` describes it, such as
/// `tag "essays"`.
pub fn record_of_file(noun: &str, path: &str) -> Error {
    Error::new(
        Kind::Validation,
        format!("The {noun} comes from a content file and can be changed only there."),
    )
    .context(format!("The file is {path}."))
    .help("Edit that file; changes are applied at once.")
}
