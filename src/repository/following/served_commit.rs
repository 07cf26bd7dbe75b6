//! The commit that the site serves, as it is stored.

use serde::{Deserialize, Serialize};

use crate::{
    content_files::{Commit, GitReport},
    error::Result as SiteResult,
    repository::GitOptions,
    site::SiteSnapshot,
    store::Table,
};

/// The store's key of the served commit.
pub(super) const SERVED_KEY: &[u8] = b"git_source";

/// The stored state of the repository, written in the same transaction as its content.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ServedCommit {
    /// Repository, branch and folder.
    pub(super) identity: String,
    pub(super) branch: String,
    pub(super) commit: Commit,
}

impl ServedCommit {
    fn read(snapshot: &SiteSnapshot, options: &GitOptions) -> SiteResult<Option<Self>> {
        let commit: Option<Self> = snapshot.read(Table::Meta, SERVED_KEY)?;
        Ok(commit.filter(|served| served.identity == options.identity()))
    }
}

/// Returns the stored state of the repository of a site that is not being served.
///
/// # Errors
///
/// If the store cannot be read.
pub fn remembered(snapshot: &SiteSnapshot, options: &GitOptions) -> SiteResult<GitReport> {
    let mut report = options.report();
    report.waiting_edits = snapshot.catalog.file_edits.count();
    if let Some(served) = ServedCommit::read(snapshot, options)? {
        report.branch = Some(served.branch);
        report.served = Some(served.commit);
    }
    Ok(report)
}
