//! Commits edits that are written to their files, in the work tree that contains the content folder, after they have settled.
//!
//! An edit waits in the store until the checked-out branch contains its commit. The commit is recorded in the store before
//! the branch is updated, so that a crash neither loses a commit nor repeats one.

use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

use crate::{
    content_files::{CommitReport, EditCommits},
    domain::file_edit::FileEdit,
    error::Result as SiteResult,
    repository::{
        CommitOptions, GitError,
        failures::{Retries, end_notification},
        open_push::OpenPush,
        work_tree::{CheckedOut, WorkTree},
    },
    site::{LeasedSite, Transaction},
    store::Table,
    write_back::FolderWriter,
};

/// The store's key of the files with edits that git ignores.
const IGNORED_KEY: &[u8] = b"git_ignored_edits";

/// Maximum number of ignored files that are reported.
const IGNORED_MAX: usize = 100;

/// The schedule by which failed commits are retried.
const RETRIES: Retries = Retries {
    first: Duration::from_secs(1),
    longest: Duration::from_secs(60),
    notified_after: 10,
};

/// Maximum number of edits that are committed at a time, because no edit is written into its file meanwhile.
const EDITS_MAX: usize = 50;

/// Maximum number of consecutive commits that other commits may overtake.
const COMMITS_MAX: usize = 5;

/// Commits edits in a work tree.
pub struct EditCommitter {
    site: LeasedSite,
    options: CommitOptions,
    tree: WorkTree,
    /// The writer of the files in the work tree.
    writer: Arc<FolderWriter>,
    /// The commit whose outcome is unknown.
    open: Option<OpenPush>,
    report: CommitReport,
}

impl EditCommitter {
    /// Opens the work tree that contains the content folder `folder`, for a site with the data folder `data`, whose edits
    /// `writer` writes.
    ///
    /// # Errors
    ///
    /// If there is no work tree, git is missing, or an I/O or store error occurs.
    pub fn open(
        site: LeasedSite,
        folder: &Path,
        data: &Path,
        options: CommitOptions,
        writer: Arc<FolderWriter>,
    ) -> Result<Self, GitError> {
        let tree = WorkTree::open(folder, data, &options)?;
        let ignored: Option<Vec<String>> = site.current().read(Table::Meta, IGNORED_KEY)?;
        let report = CommitReport {
            work_tree: tree.top().to_string_lossy().into_owned(),
            branch: tree.checked_out().ok().map(|found| found.branch),
            path: tree.path(),
            ignored: ignored.unwrap_or_default(),
            ..CommitReport::default()
        };
        Ok(Self {
            open: OpenPush::read(&site.current(), &identity_of(&tree))?,
            site,
            options,
            tree,
            writer,
            report,
        })
    }

    /// Commits the edits that have settled, unless a failed attempt is not due for its retry, and returns the time until the
    /// next call is due.
    fn commit_or_wait(&mut self) -> Duration {
        let waiting = self.site.current().catalog.file_edits.written_count();
        // Without edits, no git process is started: the follower calls this after every event.
        if waiting == 0 && self.open.is_none() && self.report.failure.is_none() {
            return Duration::MAX;
        }
        let failure = self.report.failure.as_ref();
        let pause = failure.map(|failure| failure.until_next(self.site.now()));
        if let Some(pause) = pause.filter(|pause| !pause.is_zero()) {
            return pause;
        }
        match self.commit_settled() {
            Ok(is_done) => {
                if self.report.failure.take().is_some() {
                    tracing::info!("edits are committed again");
                }
                // An earlier process may have sent the notification.
                end_notification(&self.site);
                // The other settled edits are committed at the next call, after the follower has
                // written new edits into their files.
                if !is_done {
                    return Duration::ZERO;
                }
                let waiting = self.site.current().edits_to_commit().unwrap_or_default();
                self.options.until_settled(&waiting, self.site.now())
            }
            Err(error) => {
                let message = error.to_string();
                let before = self.report.failure.take();
                if before
                    .as_ref()
                    .is_none_or(|before| before.message != message)
                {
                    tracing::warn!("cannot commit edits; retrying: {message}");
                }
                let failure = RETRIES.failed(before.as_ref(), message, &self.site);
                let pause = failure.until_next(self.site.now());
                self.report.failure = Some(failure);
                pause
            }
        }
    }

    /// Commits up to [`EDITS_MAX`] edits that have settled, and returns whether these were all.
    fn commit_settled(&mut self) -> Result<bool, GitError> {
        self.site.check_lead()?;
        self.tree.reopen()?;
        // First, because edits whose commit is already in the branch would otherwise be committed
        // again.
        self.end_open()?;
        self.forget_ignored()?;
        // If the person commits or stages something between the reading and the update of the
        // branch, all of it is read again.
        for _ in 0..COMMITS_MAX {
            let mut settled = self.settled()?;
            if settled.is_empty() {
                return Ok(true);
            }
            let is_done = settled.len() <= EDITS_MAX;
            settled.truncate(EDITS_MAX);
            let known = self.tree.checked_out()?;
            self.report.branch = Some(known.branch.clone());
            if self.commit_all(&known, &settled)? {
                return Ok(is_done);
            }
        }
        Err(overtaken())
    }

    /// Returns the edits that have settled. Edits of the same file are committed in order, so they wait for earlier ones.
    fn settled(&self) -> Result<Vec<FileEdit>, GitError> {
        let now = self.site.now();
        let mut held = BTreeSet::new();
        let mut settled = Vec::new();
        for edit in self.site.current().edits_to_commit()? {
            let is_held = edit.paths().any(|path| held.contains(path));
            if is_held || self.options.settled_at(&edit) > now {
                held.extend(edit.paths().map(str::to_owned));
            } else {
                settled.push(edit);
            }
        }
        Ok(settled)
    }

    /// Commits these edits. Returns `false` if the person has committed or staged something meanwhile.
    fn commit_all(&mut self, known: &CheckedOut, edits: &[FileEdit]) -> Result<bool, GitError> {
        let head = known.head.as_deref();
        let made = self.tree.commit(head, edits, &self.writer)?;
        // Without a new commit, the person has committed the edits, or git ignores their files.
        let tip = made.tip.as_deref().filter(|tip| Some(*tip) != head);
        if let Some(tip) = tip {
            let identity = identity_of(&self.tree);
            // Recorded before the branch is updated: after a crash, `end_open` checks whether the
            // branch contains the commit.
            self.open = Some(OpenPush::begin(&self.site, identity, tip, head, edits)?);
            // The branch is not in the store, so no transaction checks the lease for it.
            self.site.check_lead()?;
            if !self.tree.publish(known, &made, &self.writer)? {
                return Ok(false);
            }
            self.report.last = self.tree.described(tip)?;
            tracing::info!(
                commit = tip,
                branch = known.branch,
                edits = edits.len(),
                "committed edits"
            );
        }
        self.end(edits, &made.ignored)?;
        Ok(true)
    }

    /// Ends a commit whose outcome was unknown.
    fn end_open(&mut self) -> Result<(), GitError> {
        for _ in 0..COMMITS_MAX {
            let Some(open) = &self.open else {
                return Ok(());
            };
            let known = self.tree.checked_out()?;
            // The branch was not updated, or the person has reset it: the edits still wait.
            if !self.tree.has(&known, &open.commit) {
                return Ok(self.end(&[], &[])?);
            }
            let commits = [open.parent.as_deref(), Some(&*open.commit)];
            // The crash may have come between the updates of the branch and of the index.
            if self.tree.catch_up(&known, commits, &self.writer)? {
                let edits = open.edits.clone();
                return Ok(self.end(&edits, &[])?);
            }
        }
        Err(overtaken())
    }

    /// Removes edits that are committed, or that are not committed because git ignores their files.
    fn end(&mut self, edits: &[FileEdit], ignored: &[String]) -> SiteResult<()> {
        for path in ignored {
            tracing::warn!(
                file = path,
                "git ignores a file, whose edits are not committed"
            );
        }
        let new = ignored
            .iter()
            .filter(|path| !self.report.ignored.contains(path));
        let mut all: Vec<String> = self.report.ignored.iter().chain(new).cloned().collect();
        all.drain(..all.len().saturating_sub(IGNORED_MAX));
        // In one transaction: otherwise a crash could leave an open commit whose edits are gone, or
        // repeat the edits.
        self.site.write(|change| {
            change.end_commits(edits)?;
            OpenPush::forget(change);
            store_ignored(change, &all)
        })?;
        self.open = None;
        self.report.ignored = all;
        Ok(())
    }

    /// Stops reporting files that git no longer ignores.
    fn forget_ignored(&mut self) -> Result<(), GitError> {
        let still = self.tree.still_ignored(&self.report.ignored)?;
        if still != self.report.ignored {
            self.site.write(|change| store_ignored(change, &still))?;
            self.report.ignored = still;
        }
        Ok(())
    }
}

impl EditCommits for EditCommitter {
    fn report(&self) -> CommitReport {
        self.report.clone()
    }

    fn commit(&mut self) -> Duration {
        self.commit_or_wait()
    }
}

fn store_ignored(transaction: &mut Transaction, paths: &[String]) -> SiteResult<()> {
    match paths {
        [] => transaction.delete(Table::Meta, IGNORED_KEY),
        paths => transaction.put(Table::Meta, IGNORED_KEY, &paths)?,
    }
    Ok(())
}

/// Returns a text that identifies the work tree, since the stored state of another work tree does not apply.
fn identity_of(tree: &WorkTree) -> String {
    format!("work tree {}", tree.top().display())
}

fn overtaken() -> GitError {
    GitError::Busy("others commit in the work tree too often".to_owned())
}
