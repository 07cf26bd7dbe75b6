//! Pushes edits: to the branch, to branches for review, and those in conflict to separate branches.

use crate::{
    content_files::{Commit, edits::WrittenEdits},
    domain::file_edit::FileEdit,
    progress::NoProgress,
    repository::{
        GitError, committing::PushOutcome, following::BranchFollower, open_push::OpenPush,
    },
};

/// Maximum number of consecutive pushes that other pushes may overtake.
const PUSHES_MAX: usize = 5;

impl BranchFollower {
    /// Pushes the editor's version of edits that conflict with `commit`, and returns the edits that were applied.
    pub(super) fn push_conflicts(&mut self, commit: &Commit) -> WrittenEdits {
        let mut edits = std::mem::take(&mut self.edits);
        for conflict in &mut edits.conflicts {
            match self.repository.push_conflict(commit, &conflict.edit) {
                Ok(branch) => {
                    tracing::warn!(
                        file = &*conflict.edit.path,
                        branch,
                        "the editor's version of a conflicting edit is in a separate branch"
                    );
                    let known = &mut self.state.conflict_branches;
                    // The list is in the order of `ls-remote`.
                    if let Err(index) = known.binary_search(&branch) {
                        known.insert(index, branch.clone());
                    }
                    conflict.branch = Some(branch);
                }
                // This does not stop the pull: the reconciler also stores the editor's version as a
                // revision.
                Err(error) => tracing::warn!(
                    file = &*conflict.edit.path,
                    %error,
                    "the editor's version of a conflicting edit is a revision of the post only"
                ),
            }
        }
        edits
    }

    /// Commits and pushes the edits that have settled. If another client has pushed meanwhile, the edits are applied to its
    /// commit first.
    pub(super) fn push_edits(&mut self) -> Result<(), GitError> {
        for _ in 0..PUSHES_MAX {
            let (Some(served), Some(branch)) =
                (self.state.served.clone(), self.state.branch.clone())
            else {
                return Ok(());
            };
            let waiting = self.site.current().file_edits()?;
            let now = self.site.now();
            let commits = &self.options.commits;
            let has_settled = |edit: &&FileEdit| commits.settled_at(edit) <= now;
            // Edits are pushed in their order, so those after an unsettled edit wait with it.
            let settled = waiting.iter().take_while(has_settled).count();
            let (settled, unsettled) = waiting.split_at(settled);
            // The branch is ahead of the served commit while a commit is refused, so no push on top
            // of the served commit can succeed.
            if settled.is_empty() || self.state.refused.is_some() {
                return Ok(());
            }
            if !self.reviews.tries_followed_branch() {
                return self
                    .reviews
                    .push(&self.repository, &served, settled, unsettled);
            }
            let commit = self.repository.commit_edits(&served, settled)?;
            let identity = self.options.identity();
            // Recorded before the push: after a crash or a lost response, the next pull checks
            // whether the branch contains the commit.
            let push = OpenPush::begin(&self.site, identity, &commit.id, None, settled)?;
            self.open_push = Some(push);
            match self.repository.push(&commit, &branch) {
                Err(refusal @ GitError::Failed { .. }) if self.reviews.are_due(&refusal)? => {
                    return self
                        .reviews
                        .push(&self.repository, &served, settled, unsettled);
                }
                // The push stays open, because the server may have accepted it, for example before
                // a timeout.
                Err(error) => return Err(error),
                Ok(PushOutcome::Pushed) => {
                    self.reviews.end_refusal()?;
                    tracing::info!(
                        commit = commit.short(),
                        edits = settled.len(),
                        "pushed edits"
                    );
                    self.apply_commit(commit, &branch, &NoProgress)?;
                    return self.end_push();
                }
                Ok(PushOutcome::Behind) => {
                    // Applies the waiting edits to the commit of the other client; the next
                    // iteration commits them on top of it.
                    self.serve_newest(&NoProgress)?;
                    self.end_push()?;
                }
            }
        }
        Ok(())
    }

    /// Forgets the open push after the branch was checked, unless the commit that contains it is refused.
    pub(super) fn end_push(&mut self) -> Result<(), GitError> {
        if self.state.refused.is_none() && self.open_push.take().is_some() {
            OpenPush::end(&self.site)?;
        }
        Ok(())
    }

    /// Returns the edits of the open push if `commit` contains them; otherwise none.
    pub(super) fn pushed_in(&self, commit: &Commit) -> &[FileEdit] {
        match &self.open_push {
            Some(push) if self.repository.is_after(&push.commit, commit) => &push.edits,
            _ => &[],
        }
    }

    /// Forgets the branches for review whose edits the followed branch contains.
    pub(super) fn end_reviews(&mut self) -> Result<(), GitError> {
        let waiting = self.site.current().file_edits()?;
        self.reviews.retain(&self.repository, &waiting)
    }
}
