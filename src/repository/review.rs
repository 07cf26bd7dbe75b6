//! Pushes edits that the followed branch refuses to separate branches, for review.
//!
//! Such a branch belongs to Galley: it is created under an unused name, and later edits are commits on top of it. If another
//! person has committed to it, the edits are pushed to another branch. Edits end when the followed branch contains their
//! changes, in whatever commits.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    content_files::{Commit, ReviewReport},
    domain::{file_edit::FileEdit, notification::Notification},
    error::Result as SiteResult,
    repository::{
        GitError, GitOptions, clone::Repository, committing::PushOutcome, options::ReviewOptions,
    },
    site::LeasedSite,
    store::Table,
};

/// The store's key of the branches for review.
const REVIEWS_KEY: &[u8] = b"git_reviews";

/// Name of the notification about edits that wait for review.
const EDITS_IN_REVIEW: &str = "git-edits-in-review";

/// Maximum delay before edits are pushed to the followed branch again while edits are in a branch for review.
const RETRY_MAX: Duration = Duration::from_secs(600);

/// Maximum number of names that are tried for a branch.
const NAMES_MAX: usize = 20;

/// The branches for review of a repository.
pub struct Reviews {
    site: LeasedSite,
    options: Option<ReviewOptions>,
    stored: StoredReviews,
    /// The last time at which the followed branch refused edits.
    refused_at: Option<Timestamp>,
}

/// The stored state of the branches for review.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct StoredReviews {
    /// Repository, branch and folder.
    identity: String,
    #[serde(default)]
    refusal: Option<Refusal>,
    #[serde(default)]
    branches: Vec<ReviewBranch>,
}

/// A refusal of edits by the followed branch.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Refusal {
    since: Timestamp,
    reason: String,
}

/// A branch for review.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ReviewBranch {
    /// The name from the template, to which the name of the branch may add a number.
    name: String,
    branch: String,
    /// Its last commit.
    tip: String,
    /// The commit of the followed branch that it is based on.
    base: String,
    /// The edits in it, in all versions that were pushed.
    edits: Vec<FileEdit>,
}

impl Reviews {
    /// Loads the branches of the repository of `options`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn open(site: LeasedSite, options: &GitOptions) -> SiteResult<Self> {
        let stored: Option<StoredReviews> = site.current().read(Table::Meta, REVIEWS_KEY)?;
        let identity = options.identity();
        let stored = stored.filter(|stored| stored.identity == identity);
        Ok(Self {
            site,
            options: options.review.clone(),
            stored: stored.unwrap_or_else(|| StoredReviews {
                identity,
                ..StoredReviews::default()
            }),
            refused_at: None,
        })
    }

    /// Returns the edits in the branches, in all versions that were pushed.
    pub fn edits(&self) -> Vec<FileEdit> {
        let branches = self.stored.branches.iter();
        branches.flat_map(|branch| &branch.edits).cloned().collect()
    }

    /// Returns whether edits are to be pushed to the followed branch, although it may have refused earlier edits.
    pub fn tries_followed_branch(&self) -> bool {
        let (Some(options), Some(refused_at)) = (&self.options, self.refused_at) else {
            return true;
        };
        let tried_again_at = refused_at.saturating_add(options.after.min(RETRY_MAX));
        self.stored.branches.is_empty() || tried_again_at.is_ok_and(|at| at <= self.site.now())
    }

    /// Records that the followed branch refuses edits, and returns whether it has done so for the configured time.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub fn are_due(&mut self, refusal: &GitError) -> SiteResult<bool> {
        let Some(after) = self.options.as_ref().map(|options| options.after) else {
            return Ok(false);
        };
        let now = self.site.now();
        self.refused_at = Some(now);
        let reason = refusal.to_string();
        let known = self.stored.refusal.as_ref();
        // The time is stored, so that a restart does not begin it again.
        let since = known.map_or(now, |known| known.since);
        // A repeated refusal is not stored again: every write is a commit.
        if known.is_none_or(|known| known.reason != reason) {
            self.stored.refusal = Some(Refusal { since, reason });
            self.store()?;
        }
        Ok(since.saturating_add(after).is_ok_and(|due| due <= now))
    }

    /// Records that the followed branch has accepted edits.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub fn end_refusal(&mut self) -> SiteResult<()> {
        self.refused_at = None;
        match self.stored.refusal.take() {
            Some(_) => self.store(),
            None => Ok(()),
        }
    }

    /// Pushes the parts of the edits `settled` that the branches for review do not contain yet. The branches continue to
    /// contain the edits `unsettled` as they were pushed before. All edits are based on the commit `served`.
    ///
    /// # Errors
    ///
    /// If git or the store fails, or the repository refuses these branches, too.
    pub fn push(
        &mut self,
        repository: &Repository,
        served: &Commit,
        settled: &[FileEdit],
        unsettled: &[FileEdit],
    ) -> Result<(), GitError> {
        let mut names: Vec<String> = Vec::new();
        let of_edits: Vec<String> = settled.iter().map(|edit| self.name_of(edit)).collect();
        for name in &of_edits {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        for name in names {
            let of_branch = settled.iter().zip(&of_edits);
            let of_branch = of_branch.filter(|(_, of_edit)| **of_edit == name);
            let mut of_branch: Vec<FileEdit> = of_branch.map(|(edit, _)| edit.clone()).collect();
            // A merge and a new branch begin with the files of `served`, which lack these edits.
            let known = self.stored.branches.iter().find(|known| known.name == name);
            of_branch.extend(known.into_iter().flat_map(|known| known.pushed(unsettled)));
            self.push_branch(repository, served, &name, &of_branch)?;
        }
        Ok(())
    }

    /// Returns the name of the branch for an edit: the existing name if a version of the edit was pushed already, else a name
    /// from the template.
    fn name_of(&self, edit: &FileEdit) -> String {
        let mut branches = self.stored.branches.iter();
        let known = branches.find(|branch| branch.last_version(edit).is_some());
        let template = self.options.as_ref().map(|options| &options.branch);
        match (known, template) {
            (Some(branch), _) => branch.name.clone(),
            (None, Some(template)) => template.of(edit.found_at()),
            (None, None) => String::new(),
        }
    }

    fn push_branch(
        &mut self,
        repository: &Repository,
        served: &Commit,
        name: &str,
        edits: &[FileEdit],
    ) -> Result<(), GitError> {
        let mut branches = self.stored.branches.iter();
        let index = branches.position(|branch| branch.name == name);
        let known = index.map(|index| &self.stored.branches[index]);
        let rest: Vec<FileEdit> = edits
            .iter()
            .filter_map(
                |edit| match known.and_then(|known| known.last_version(edit)) {
                    Some(part) if part.saves == edit.saves => None,
                    Some(part) => Some(edit.after_part(part)),
                    None => Some(edit.clone()),
                },
            )
            .filter(|edit| !edit.is_empty())
            .collect();
        let Some(last) = rest.last() else {
            return Ok(());
        };
        let continued = match known {
            Some(known) => known.push(repository, served, edits, &rest)?,
            None => None,
        };
        let (branch, tip) = match continued {
            Some(continued) => continued,
            None => {
                // The whole edits, not `rest`: the new branch contains nothing of an earlier one.
                let commit = repository.commit_edits(served, edits)?;
                (push_to_free_name(repository, &commit, name)?, commit)
            }
        };
        // Later edits are committed on top of the tip, which garbage collection would delete
        // without a ref.
        repository.protect(&branch, &tip)?;
        tracing::warn!(
            branch,
            commit = tip.short(),
            editor = &*last.editor.name,
            edits = rest.len(),
            "the followed branch refuses edits; they are in a branch for review"
        );
        let pushed = known.map(|known| known.edits.clone());
        let review = ReviewBranch {
            name: name.to_owned(),
            branch,
            tip: tip.id,
            base: served.id.clone(),
            edits: [pushed.unwrap_or_default(), edits.to_vec()].concat(),
        };
        match index {
            Some(index) => self.stored.branches[index] = review,
            None => self.stored.branches.push(review),
        }
        self.store()?;
        Ok(self.notify()?)
    }

    /// Forgets the branches whose edits have ended: those without an edit in `waiting`.
    ///
    /// # Errors
    ///
    /// If git or the store fails.
    pub fn retain(
        &mut self,
        repository: &Repository,
        waiting: &[FileEdit],
    ) -> Result<(), GitError> {
        let are_over = |branch: &ReviewBranch| {
            let mut edits = waiting.iter();
            !edits.any(|edit| branch.last_version(edit).is_some())
        };
        let over: Vec<String> = self
            .stored
            .branches
            .extract_if(.., |branch| are_over(branch))
            .map(|branch| branch.branch)
            .collect();
        if over.is_empty() {
            return Ok(());
        }
        for branch in &over {
            tracing::info!(
                branch,
                "all edits of a branch for review are merged or withdrawn"
            );
            repository.unprotect(branch)?;
        }
        self.store()?;
        Ok(self.notify()?)
    }

    /// Returns the branches, each with its number of waiting edits.
    pub fn report(&self, waiting: &[FileEdit]) -> Vec<ReviewReport> {
        let Some(refusal) = &self.stored.refusal else {
            return Vec::new();
        };
        let branches = self.stored.branches.iter();
        let report = branches.map(|branch| ReviewReport {
            branch: branch.branch.clone(),
            commit: branch.tip.clone(),
            edits: waiting
                .iter()
                .filter(|edit| branch.last_version(edit).is_some())
                .count(),
            refused_since: refusal.since,
            reason: refusal.reason.clone(),
        });
        report.collect()
    }

    /// Notifies the staff of the branches, or ends the notification.
    fn notify(&self) -> SiteResult<()> {
        self.site.write(|change| {
            let reviews = self.report(&change.file_edits()?);
            let Some(first) = reviews.first() else {
                change.end_notification(EDITS_IN_REVIEW);
                return Ok(());
            };
            let branches: Vec<&str> = reviews.iter().map(|review| &*review.branch).collect();
            let text = format!(
                "Edits wait for review in {}: the repository refuses them on the branch of the site. {}",
                branches.join(", "),
                first.reason
            );
            let alert = Notification::alert(EDITS_IN_REVIEW, &text, change.now());
            change.notify(alert).map(drop)
        })
    }

    fn store(&self) -> SiteResult<()> {
        let write = |change: &mut crate::site::Transaction| {
            change.put(Table::Meta, REVIEWS_KEY, &self.stored)
        };
        self.site.write(write)
    }
}

impl ReviewBranch {
    /// Returns the last version of an edit in the branch.
    fn last_version(&self, edit: &FileEdit) -> Option<&FileEdit> {
        self.edits.iter().rfind(|part| part.is_version_of(edit))
    }

    /// Returns those of the waiting `edits` that the branch contains, as they were pushed. If the followed branch has changed
    /// the file of such an edit since, returns its current state, because the pushed text would undo that change.
    fn pushed(&self, edits: &[FileEdit]) -> Vec<FileEdit> {
        let states = edits.iter().filter_map(|edit| {
            let part = self.last_version(edit)?;
            let is_current = part.before == edit.before && part.found_at() == edit.found_at();
            Some(if is_current { part } else { edit }.clone())
        });
        states.collect()
    }

    /// Pushes the `rest` of `edits` on top of the branch, and returns its name and the commit; `None` if that is not possible
    /// without force.
    fn push(
        &self,
        repository: &Repository,
        served: &Commit,
        edits: &[FileEdit],
        rest: &[FileEdit],
    ) -> Result<Option<(String, Commit)>, GitError> {
        // The clone lacks the commit if the repository was cloned again.
        let Ok(tip) = repository.commit(&self.tip) else {
            return Ok(None);
        };
        // If the followed branch has moved, its commit becomes a parent, so that the review shows
        // only the edits.
        let commit = if self.base == served.id {
            repository.commit_edits(&tip, rest)?
        } else {
            repository.commit_merge(&tip, served, edits)?
        };
        let outcome = repository.push(&commit, &self.branch)?;
        let is_pushed = outcome == PushOutcome::Pushed;
        Ok(is_pushed.then(|| (self.branch.clone(), commit)))
    }
}

/// Pushes a commit to a new branch of this name, or of this name and a number.
fn push_to_free_name(
    repository: &Repository,
    commit: &Commit,
    name: &str,
) -> Result<String, GitError> {
    for number in 1..=NAMES_MAX {
        let branch = match number {
            1 => name.to_owned(),
            _ => format!("{name}-{number}"),
        };
        if repository.push_new(commit, &branch)? == PushOutcome::Pushed {
            return Ok(branch);
        }
    }
    Err(GitError::Failed {
        operation: "pushing to a branch for review",
        message: format!("the repository already has {name}, and {name}-2 to {name}-{NAMES_MAX}"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edit(saves: u64, before: &str, after: &str) -> FileEdit {
        let edit = json!({
            "number": 1, "path": "posts/a.md", "before": before, "after": after, "title": "A",
            "editor": { "name": "Ada" }, "saves": saves,
            "begun_at": "2026-01-01T00:00:00Z", "edited_at": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(edit).unwrap()
    }

    #[test]
    fn continued_edit_is_repeated_as_it_was_pushed_unless_its_file_has_changed() {
        let pushed = edit(1, "One.", "Two.");
        let branch = ReviewBranch {
            name: "review".to_owned(),
            branch: "review".to_owned(),
            tip: String::new(),
            base: String::new(),
            edits: vec![pushed.clone()],
        };
        let other = FileEdit {
            number: 2,
            ..pushed.clone()
        };
        let continued = edit(2, "One.", "Three.");
        let rebased = edit(2, "One, by others.", "Three, by others.");

        assert_eq!(branch.pushed(&[continued, other]), [pushed]);
        assert_eq!(branch.pushed(std::slice::from_ref(&rebased)), [rebased]);
    }
}
