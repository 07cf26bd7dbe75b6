//! The state of the content folder and of its repository, for staff and monitoring.

mod commit;
pub(crate) mod repository;

pub use commit::Commit;
pub use repository::{CommitReport, GitReport, PullFailure, RefusedCommit, ReviewReport};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::edit_target::WriteBack;
use crate::content_text::Diagnostic;

/// The state of a content folder after a run.
#[derive(Clone, Debug, Default)]
pub struct ContentReport {
    /// The number of content files.
    pub files: usize,
    /// Their diagnostics, by path.
    pub problems: Vec<Diagnostic>,
    /// The reason that the current files are not served, if the last run failed.
    pub failure: Option<ReadFailure>,
    /// The repository of the folder, if any.
    pub git: Option<GitReport>,
    /// The target of edits.
    pub write_back: WriteBack,
    /// The status of commits of edits in the work tree that contains the folder, if edits are committed there.
    pub commits: Option<CommitReport>,
}

/// A failure to read the content files into the store. The previous content is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFailure {
    /// The time since which each run has failed.
    pub since: Timestamp,
    /// The error of the last run.
    pub reason: String,
}

impl ContentReport {
    /// Returns whether any file is unusable.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }

    /// Adds diagnostics that are not of the last run.
    pub(crate) fn add(&mut self, problems: &[Diagnostic]) {
        self.problems.extend(problems.iter().cloned());
        self.problems
            .sort_by(|one, other| one.file.cmp(&other.file));
    }
}
