//! The edits of content files that wait until the folder or the repository has them.
//!
//! An edit is the text of the file before and after it. It is committed together with the record that reading the new text
//! gives, so the site never shows a value that the file will not have, and a crash repeats the writing of the file.

use super::{CommitTopic, SiteSnapshot, Transaction, TransactionView};
use crate::{
    domain::file_edit::{CONFLICTS_MAX, FileConflict, FileEdit},
    error::{Error, Kind, Result},
    store::Table,
};

/// Most edits that wait. More are refused, so that a repository that cannot be reached does not fill the disk.
const WAITING_MAX: usize = 10_000;

/// The store's key of the last conflicts.
const CONFLICTS_KEY: &[u8] = b"file_conflicts";

/// The store's key of the number of the last edit, also if none waits: times in whole seconds do not distinguish edits.
const LAST_NUMBER_KEY: &[u8] = b"file_edit_number";

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
    pub images: Vec<Box<str>>,
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

impl TransactionView<'_> {
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
}

impl Transaction {
    /// Records a conflict, or replaces the record of the same one.
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
    fn file_edit(&self, number: u64) -> Result<Option<FileEdit>> {
        self.view().file_edit(number)
    }

    /// Queues an edit, or continues the last one of the file if the same editor made it.
    pub(super) fn queue_file_edit(&mut self, new: NewFileEdit) -> Result<()> {
        if new.before == new.after && new.moved_from.is_none() {
            return Ok(());
        }
        let Some(editor) = self.files.editor().cloned() else {
            unreachable!("invariant: only editors reach the writer");
        };
        let now = self.now();
        let found_at = new.moved_from.as_ref().unwrap_or(&new.path);
        let waiting = &self.catalog().file_edits;
        let last = self.view().last_file_edit(found_at)?;
        let edit = match last {
            // An edit whose new file is being put in position has its text on disk already, so it
            // is not changed.
            Some(last) if last.editor == editor && !last.is_in_progress => FileEdit {
                moved_from: match last.before {
                    // No one has seen the new file at its first path.
                    None => None,
                    Some(_) => Some(Box::from(last.found_at())).filter(|path| *path != new.path),
                },
                path: new.path,
                title: new.title,
                after: new.after,
                uploads: joined(&last.uploads, new.uploads),
                images: new.images.into(),
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
        self.wake(CommitTopic::FileEdits);
        self.put_file_edit(&edit)
    }

    /// Notes that the text of the new file of an edit is ready in a temporary file next to its path. If the edit was continued since, nothing is
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
                    is_in_progress: true,
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
        // The maximum, for stores whose waiting edits are older than the stored number.
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

    /// Replaces edits that their files have now by the rest of them: the saves since, if any. Of the edits
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
            self.put_file_edit(&if now.saves == edit.saves {
                edit.after_part(edit)
            } else {
                now.after_part(edit)
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
                images: joined(&last.images, edit.images.to_vec()),
                edited_at: edit.edited_at,
                saves: last.saves + edit.saves,
                ..last
            },
            // The order of commits is that in which the files got the edits.
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

    /// Removes edits whose commits are made. One that was continued since stays.
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
                    self.delete_file_edit(edit.number);
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
