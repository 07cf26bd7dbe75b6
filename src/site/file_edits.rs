//! The queue of edits of content files that are not yet written to the folder or committed to the repository.
//!
//! An edit contains the text of the file before and after. It is committed together with the record that results from
//! reading the new text. So the site never shows a value that the file will not have, and after a crash the file is written
//! again.

use super::{CommitTopic, SiteSnapshot, Transaction, TransactionView};
use crate::{
    domain::file_edit::{CONFLICTS_MAX, FileConflict, FileEdit},
    error::{Error, Kind, Result},
    store::Table,
};

/// Maximum number of queued edits. Further edits are refused, so that the disk does not fill up while a repository is
/// unreachable.
const WAITING_MAX: usize = 10_000;

/// Key of the last conflicts in the store.
const CONFLICTS_KEY: &[u8] = b"file_conflicts";

/// Key of the number of the last edit in the store, which is stored even if the queue is empty: times in whole seconds do
/// not distinguish edits.
const LAST_NUMBER_KEY: &[u8] = b"file_edit_number";

/// An edit to be queued.
#[derive(Default)]
pub(super) struct NewFileEdit {
    pub path: Box<str>,
    pub moved_from: Option<Box<str>>,
    pub is_of_document: bool,
    pub title: Box<str>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub uploads: Vec<Box<str>>,
    pub images: Vec<Box<str>>,
}

impl SiteSnapshot {
    /// Returns the edits that are not yet written to their files or the repository, in order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edits(&self) -> Result<Vec<FileEdit>> {
        let mut edits: Vec<FileEdit> = self.all(Table::FileEdits)?;
        edits.retain(|edit| !edit.is_written);
        Ok(edits)
    }

    /// Returns the edits that are written to their files and not yet committed to the repository, in order.
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

    /// Returns the last conflicts between edits and other changes of their files, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn file_conflicts(&self) -> Result<Vec<FileConflict>> {
        Ok(self.read(Table::Meta, CONFLICTS_KEY)?.unwrap_or_default())
    }
}

impl TransactionView<'_> {
    /// Returns a queued edit.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edit(&self, number: u64) -> Result<Option<FileEdit>> {
        self.read(Table::FileEdits, &key(number))
    }

    /// Returns the last edit whose file will be at `path`.
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
}

impl Transaction {
    /// Records a conflict, or replaces an existing record of the same conflict.
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

    /// Returns the edits that are not yet written to their files or the repository, in order.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn file_edits(&self) -> Result<Vec<FileEdit>> {
        let mut edits: Vec<FileEdit> = self.all(Table::FileEdits, |edit| edit)?;
        edits.retain(|edit| !edit.is_written);
        Ok(edits)
    }

    /// Returns a queued edit.
    fn file_edit(&self, number: u64) -> Result<Option<FileEdit>> {
        self.view().file_edit(number)
    }

    /// Queues an edit, or continues the last one of the file if the same editor made it.
    pub(super) fn queue_file_edit(&mut self, new: NewFileEdit) -> Result<()> {
        // A save without a difference must not create an empty commit in the repository.
        if new.before == new.after && new.moved_from.is_none() {
            return Ok(());
        }
        let Some(editor) = self.files.editor().cloned() else {
            unreachable!("invariant: only editors reach the writer");
        };
        let now = self.now();
        // The last edit of a moved file is queued under the path before the move.
        let found_at = new.moved_from.as_ref().unwrap_or(&new.path);
        let waiting = &self.catalog().file_edits;
        let last = self.view().last_file_edit(found_at)?;
        let edit = match last {
            // The text of an edit whose new file is being renamed into position is already on disk, so that edit is not
            // changed.
            Some(last) if last.editor == editor && !last.is_in_progress => FileEdit {
                moved_from: match last.before {
                    // The new file has not been visible at its first path.
                    None => None,
                    Some(_) => Some(Box::from(last.found_at())).filter(|path| *path != new.path),
                },
                path: new.path,
                title: new.title,
                after: new.after,
                uploads: joined(&last.uploads, new.uploads),
                images: new.images.into(),
                edited_at: now,
                // Counted, so that a thread that is writing the previous state notices that there
                // is a newer one.
                saves: last.saves + 1,
                earlier: last.versions(),
                ..last
            },
            // After the first branch: an edit that continues a queued one needs no further row.
            _ if waiting.count() >= WAITING_MAX => {
                let message =
                    format!("{WAITING_MAX} edits of content files wait for the repository.");
                return Err(Error::new(Kind::Validation, message)
                    .help("See `galley status`, and try again once it responds."));
            }
            _ => FileEdit {
                number: self.next_edit_number()?,
                is_of_document: new.is_of_document,
                is_in_progress: false,
                is_written: false,
                path: new.path,
                moved_from: new.moved_from,
                before: new.before,
                after: new.after,
                uploads: new.uploads.into(),
                images: new.images.into(),
                title: new.title,
                editor,
                begun_at: now,
                edited_at: now,
                saves: 1,
                earlier: Box::default(),
            },
        };
        self.notify_listener(CommitTopic::FileEdits);
        self.put_file_edit(&edit)
    }

    /// Records that the text of an edit's new file is ready in a temporary file next to its path. If the edit was continued
    /// since, records nothing and returns the edit's current state.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn record_temporary_file(&mut self, edit: &FileEdit) -> Result<Option<FileEdit>> {
        match self.file_edit(edit.number)? {
            Some(now) if now.is_version_of(edit) && now.saves != edit.saves => Ok(Some(now)),
            Some(now) if now.is_version_of(edit) => {
                self.put_file_edit(&FileEdit {
                    is_in_progress: true,
                    ..now
                })?;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Returns the number of a new edit. Numbers are never reused.
    fn next_edit_number(&mut self) -> Result<u64> {
        let last: Option<u64> = self.read(Table::Meta, LAST_NUMBER_KEY)?;
        let waiting = self.catalog().file_edits.last_number();
        // The maximum, because the queue of an older store can contain edits from before the number was stored.
        let number = last.unwrap_or_default().max(waiting) + 1;
        self.put(Table::Meta, LAST_NUMBER_KEY, &number)?;
        Ok(number)
    }

    fn put_file_edit(&mut self, edit: &FileEdit) -> Result<()> {
        self.catalog_mut().file_edits.put(edit);
        self.put(Table::FileEdits, &key(edit.number), edit)
    }

    fn delete_file_edit(&mut self, number: u64) {
        self.catalog_mut().file_edits.remove(number);
        self.delete(Table::FileEdits, &key(number));
    }

    /// Replaces edits by the same edits rebased onto the current texts of the branch. An edit that was continued since is
    /// rebased later.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn rebase_file_edits(&mut self, rebased: &[FileEdit]) -> Result<()> {
        for edit in rebased {
            let now = self.file_edit(edit.number)?;
            let is_continued =
                now.is_none_or(|now| !now.is_version_of(edit) || now.saves != edit.saves);
            // Its text is based on the former branch; the next round rebases it.
            if is_continued {
                continue;
            }
            if edit.is_empty() {
                self.delete_file_edit(edit.number)
            } else {
                self.put_file_edit(edit)?
            }
        }
        Ok(())
    }

    /// Reduces edits that are written to their files to the remainder: the saves since, if any. Those that are also in
    /// `to_commit`, which contains them in the form for the commit, are queued for their commits.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn reduce_file_edits(
        &mut self,
        written: &[FileEdit],
        to_commit: &[FileEdit],
    ) -> Result<()> {
        for edit in written {
            let Some(now) = self.file_edit(edit.number)? else {
                continue;
            };
            if !now.is_version_of(edit) {
                continue;
            }
            // True if the written part was removed from the edit by an earlier call, whose commit
            // was queued then.
            let is_left = now.found_at() == &*edit.path && now.before == edit.after;
            let commit = to_commit.iter().find(|commit| commit.is_version_of(edit));
            if let Some(commit) = commit.filter(|_| !is_left) {
                self.queue_commit(commit)?;
            }
            self.put_file_edit(&if now.saves == edit.saves {
                edit.after_part(edit)
            } else {
                now.after_part(edit)
            })?;
        }
        Ok(())
    }

    /// Queues an edit that is written to its file for its commit, or continues the last queued edit of the file if the same
    /// editor made it.
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
                images: joined(&last.images, edit.images.to_vec()),
                edited_at: edit.edited_at,
                saves: last.saves + edit.saves,
                ..last
            },
            // Edits are committed in the order in which they were written to the files.
            None => FileEdit {
                number: self.next_edit_number()?,
                is_written: true,
                is_in_progress: false,
                earlier: Box::default(),
                ..edit.clone()
            },
        };
        self.put_file_edit(&queued)
    }

    /// Removes edits that are committed. An edit that was continued since remains.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_commits(&mut self, committed: &[FileEdit]) -> Result<()> {
        for edit in committed {
            let now = self.file_edit(edit.number)?;
            if now.is_some_and(|now| now.is_version_of(edit) && now.saves == edit.saves) {
                self.delete_file_edit(edit.number);
            }
        }
        Ok(())
    }

    /// Removes edits that are written to the folder. If an edit was continued since, the remainder stays queued. Edits in
    /// `to_commit` are queued for their commits.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn end_file_edits(&mut self, written: &[FileEdit], to_commit: &[FileEdit]) -> Result<()> {
        self.reduce_file_edits(written, to_commit)?;
        for edit in written {
            match self.file_edit(edit.number)? {
                Some(now) if now.is_version_of(edit) && now.saves == edit.saves => {
                    self.delete_file_edit(edit.number);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the paths of both lists without duplicates.
fn joined(known: &[Box<str>], new: Vec<Box<str>>) -> Box<[Box<str>]> {
    let mut all = known.to_vec();
    let new = new.into_iter().filter(|path| !known.contains(path));
    all.extend(new);
    all.into()
}

fn key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}
