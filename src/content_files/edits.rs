//! Edits of content files, made by editors through the API: their results after writing, and their state after reconciliation.

use std::{collections::BTreeSet, time::Duration};

use super::report::CommitReport;
use crate::{
    content_text::{Conflict, Diagnostic},
    domain::{
        file_edit::{FileConflict, FileEdit},
        notification::Notification,
        post_revision::{PostRevision, RevisionReason},
    },
    error::{Error, Result},
    id::Id,
    site::{FileWriter, LeasedSite, Transaction},
};

/// Writes waiting edits into the files of a followed folder.
pub trait EditWriter: FileWriter {
    /// Checks that new files would be read with the folder's layout of the last run. Succeeds before the first run.
    ///
    /// # Errors
    ///
    /// `Validation` if new files would not be read.
    fn check_new_files(&self) -> Result<()>;

    /// Writes waiting edits into their files.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or a file cannot be read or written. The next call retries.
    fn write_edits(&self, site: &LeasedSite) -> Result<WrittenEdits>;
}

/// Commits edits that were written into their files.
pub trait EditCommits: Send {
    /// Returns the current status.
    fn report(&self) -> CommitReport;

    /// Commits the edits that have settled, and returns the time until the next call is due.
    fn commit(&mut self) -> Duration;
}

/// The outcome of writing waiting edits.
#[derive(Clone, Debug, Default)]
pub struct WrittenEdits {
    /// The edits that were written into the folder, without conflicting parts, each with the text that it was applied to and
    /// the resulting text.
    pub written: Vec<FileEdit>,
    /// The same edits as they are to be committed, each with the text that its editor opened; empty if edits are not
    /// committed.
    pub to_commit: Vec<FileEdit>,
    /// The new files that were deleted in the folder since they were created.
    pub deleted: Vec<Box<str>>,
    /// The edits with parts that another change of the same file also changed. The file contains the other change.
    pub conflicts: Vec<EditConflict>,
    /// The edits that are not written, because their files are below links that are not followed.
    pub blocked: BlockedEdits,
}

/// Edits that wait until links in the folder are replaced.
#[derive(Clone, Debug, Default)]
pub struct BlockedEdits {
    /// The reasons that edits wait.
    pub problems: Vec<Diagnostic>,
    /// The files of these edits. Their records keep the editors' versions.
    pub paths: BTreeSet<String>,
}

impl BlockedEdits {
    pub(crate) fn add(&mut self, edit: &FileEdit, problem: Option<Diagnostic>) {
        self.paths.extend(edit.paths().map(str::to_owned));
        self.problems.extend(problem);
    }

    /// Returns whether `edit` changes a file of an edit that waits.
    pub(crate) fn contain_file_of(&self, edit: &FileEdit) -> bool {
        edit.paths().any(|path| self.paths.contains(path))
    }
}

/// A conflict of an edit with another change of its file.
#[derive(Clone, Debug)]
pub struct EditConflict {
    /// The edit.
    pub edit: FileEdit,
    /// The parts that both changed.
    pub parts: Vec<Conflict>,
    /// The author of the commit with the other change; `None` in a folder.
    pub other_author: Option<String>,
    /// The branch with the editor's version, if there is one.
    pub branch: Option<String>,
}

impl WrittenEdits {
    /// Returns the paths of the files that the edits change.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.written.iter().flat_map(FileEdit::paths).collect()
    }

    /// Rebases the stored edits onto the files that they were applied to; they still wait for the repository.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn rebase(&self, transaction: &mut Transaction) -> Result<()> {
        self.record_conflicts(transaction)?;
        transaction.rebase_file_edits(&self.written)
    }

    /// Returns whether an edit of one of the files at `paths` was saved since these edits were written into the files.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn are_overtaken(
        &self,
        transaction: &Transaction,
        paths: &BTreeSet<String>,
    ) -> Result<bool> {
        // With more saves than were written, the edit has changes that the files do not contain.
        let is_written = |edit: &FileEdit| {
            let mut written = self.written.iter();
            written.any(|one| one.is_version_of(edit) && one.saves == edit.saves)
        };
        let mut waiting = transaction.file_edits()?.into_iter();
        Ok(waiting.any(|edit| !is_written(&edit) && edit.paths().any(|path| paths.contains(path))))
    }

    /// Records the conflicts: stores the editors' versions as revisions of the posts, and notifies the staff.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn record_conflicts(&self, transaction: &mut Transaction) -> Result<()> {
        self.conflicts
            .iter()
            .try_for_each(|conflict| conflict.record(transaction))
    }
}

impl EditConflict {
    /// Logs the conflict, notifies the staff, and stores the editor's version of the post as a revision.
    fn record(&self, transaction: &mut Transaction) -> Result<()> {
        let Self {
            edit,
            parts,
            other_author,
            branch,
        } = self;
        tracing::warn!(
            file = &*edit.path,
            editor = &*edit.editor.name,
            other = other_author.as_deref().unwrap_or_default(),
            parts = parts.len(),
            "an edit conflicts with another change of the file, which has precedence; the editor's version is a revision of the post"
        );
        let now = transaction.now();
        // The name is the key of the notification, so a repeated run does not add another.
        let name = format!("edit-conflict-{}", edit.number);
        transaction.notify(Notification::alert(&name, &self.message(), now))?;
        transaction.record_file_conflict(FileConflict {
            path: edit.path.clone(),
            title: edit.title.clone(),
            editor: edit.editor.name.clone(),
            other_author: other_author.as_deref().map(Into::into),
            branch: branch.as_deref().map(Into::into),
            edited_at: edit.edited_at,
            found_at: now,
        })?;
        let catalog = transaction.catalog();
        let post = catalog
            .posts
            .iter()
            .find(|post| post.origin.path() == Some(&*edit.path));
        let Some(post) = post.cloned() else {
            return Ok(());
        };
        let email = edit.editor.email.as_ref();
        let author = catalog
            .users
            .iter()
            .find(|user| email.is_some() && user.email.as_ref() == email);
        let author = author.map(|user| user.id);
        // This is still the editor's version: the run that replaces the record comes later.
        let (_, Some(lexical)) = transaction.body(post.id)? else {
            return Ok(());
        };
        let id = Id::generate(now).map_err(Error::internal)?;
        let revision = PostRevision::of(&post, id, RevisionReason::ExplicitSave, author, now);
        transaction.store_revision(revision, &lexical)
    }

    /// Returns the notification about the conflict for staff.
    fn message(&self) -> String {
        let edit = &self.edit;
        let other = self.other_author.as_ref();
        let other = other.map_or_else(String::new, |author| format!(" by {author}"));
        let branch = self.branch.as_ref();
        let branch = branch.map_or_else(String::new, |name| format!(" and in the branch {name}"));
        format!(
            "The edit of \"{}\" by {} conflicts with a change of {}{other}, which has precedence. The edit is in the post history{branch}.",
            edit.title, edit.editor.name, edit.path
        )
    }
}
