//! The status of a followed repository.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{content_files::report::commit::Commit, content_text::Diagnostic};

/// The status of the site's repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitReport {
    /// Its URL, without a password.
    pub url: String,
    /// The followed branch; `None` until the default branch is known.
    pub branch: Option<String>,
    /// The folder in the repository, if not its root.
    pub path: Option<String>,
    /// The served commit.
    pub served: Option<Commit>,
    /// The newest commit with its errors, if it is not served.
    pub refused: Option<RefusedCommit>,
    /// The time of the last successful fetch.
    #[serde(rename = "looked_at")]
    pub fetched_at: Option<Timestamp>,
    /// The current failure to fetch or to push.
    pub failure: Option<PullFailure>,
    /// The number of edits that the branch does not contain yet.
    #[serde(default)]
    pub waiting_edits: usize,
    /// The branches of the repository with editors' versions of conflicting edits, in order.
    #[serde(default)]
    pub conflict_branches: Vec<String>,
    /// The branches for review, which contain the edits that the followed branch refuses.
    #[serde(default)]
    pub reviews: Vec<ReviewReport>,
}

/// The status of commits of edits in a work tree that a person also uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitReport {
    /// The folder of the work tree.
    pub work_tree: String,
    /// The branch that the last commit was made on.
    pub branch: Option<String>,
    /// The content folder in the work tree, if it is not its root.
    pub path: Option<String>,
    /// The last commit of an edit since the start.
    pub last: Option<Commit>,
    /// The current failure to commit edits.
    pub failure: Option<PullFailure>,
    /// Files with edits that are not committed because git ignores the files.
    pub ignored: Vec<String>,
}

/// A branch for review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewReport {
    /// Its name.
    pub branch: String,
    /// Its last commit.
    pub commit: String,
    /// The number of waiting edits in it.
    pub edits: usize,
    /// The time since which the followed branch has refused edits.
    pub refused_since: Timestamp,
    /// The reason for the refusal.
    pub reason: String,
}

/// A rejected commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCommit {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// Its errors.
    pub problems: Vec<Diagnostic>,
}

/// A failure to fetch, push or commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullFailure {
    /// The reason.
    pub message: String,
    /// The time of the last attempt.
    pub failed_at: Timestamp,
    /// The number of consecutive failed attempts.
    pub attempts: u32,
    /// The latest time of the next attempt.
    pub tried_again_at: Timestamp,
}

impl GitReport {
    /// Returns whether the newest known commit is served.
    pub fn is_well(&self) -> bool {
        self.refused.is_none() && self.failure.is_none()
    }
}
