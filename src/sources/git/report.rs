//! What is known of a repository that is followed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{GitOptions, commit::Commit, options::FolderInRepository};
use crate::sources::Diagnostic;

/// How the site stands to the repository that it is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitReport {
    /// Where the repository is, without a password.
    pub url: String,
    /// The branch that is followed; `None` as long as the repository has not said which is its default.
    pub branch: Option<String>,
    /// The folder in it, if not all of it is meant.
    pub path: Option<String>,
    /// The commit that is served.
    pub served: Option<Commit>,
    /// The newest commit, if it is not served, and why it is not.
    pub refused: Option<RefusedCommit>,
    /// When the repository last said what its newest commit is.
    pub looked_at: Option<Timestamp>,
    /// Why it does not tell now, if it does not.
    pub failure: Option<Failure>,
}

/// A commit that is not served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCommit {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// What is wrong with it.
    pub problems: Vec<Diagnostic>,
}

/// A repository could not be asked, or its response could not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Why.
    pub message: String,
    /// When it was last tried.
    pub failed_at: Timestamp,
    /// How often it has been tried in vain.
    pub attempts: u32,
    /// When it is tried again at the latest.
    pub tried_again_at: Timestamp,
}

impl GitReport {
    /// What is known before anything is.
    pub(super) fn new(options: &GitOptions) -> Self {
        Self {
            url: options.address.shown().to_owned(),
            branch: options.branch.as_ref().map(|name| name.as_str().to_owned()),
            path: options
                .path
                .as_ref()
                .map(FolderInRepository::as_str)
                .map(str::to_owned),
            served: None,
            refused: None,
            looked_at: None,
            failure: None,
        }
    }

    /// Whether the newest commit is served, as far as that is known.
    pub fn is_well(&self) -> bool {
        self.refused.is_none() && self.failure.is_none()
    }
}
