//! A push, or a commit in a person's work tree, whose outcome is unknown, because the process was killed or the response was
//! lost.
//!
//! If the branch contains its commit, its edits are done, even if they were reverted there since.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    domain::file_edit::FileEdit,
    error::Result,
    site::{LeasedSite, SiteSnapshot, Transaction},
    store::Table,
};

/// The store's key of the push.
const PUSH_KEY: &[u8] = b"git_push";

/// A push that has begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpenPush {
    /// Repository, branch and folder.
    identity: String,
    /// The commit.
    pub commit: String,
    /// The parent of its first commit, if there is one; not needed for a push.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The time at which it began.
    pub begun_at: Timestamp,
    /// The edits in it.
    pub edits: Vec<FileEdit>,
}

impl OpenPush {
    /// Returns the push that an earlier process began.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn read(snapshot: &SiteSnapshot, identity: &str) -> Result<Option<Self>> {
        let push: Option<Self> = snapshot.read(Table::Meta, PUSH_KEY)?;
        Ok(push.filter(|push| push.identity == identity))
    }

    /// Records that a commit of edits is being pushed.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub fn begin(
        site: &LeasedSite,
        identity: String,
        commit: &str,
        parent: Option<&str>,
        edits: &[FileEdit],
    ) -> Result<Self> {
        let push = Self {
            identity,
            commit: commit.to_owned(),
            parent: parent.map(str::to_owned),
            begun_at: site.now(),
            edits: edits.to_vec(),
        };
        site.write(|change| change.put(Table::Meta, PUSH_KEY, &push))?;
        Ok(push)
    }

    /// Records that the outcome of the push is known.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub fn end(site: &LeasedSite) -> Result<()> {
        site.write(|transaction| {
            Self::forget(transaction);
            Ok(())
        })
    }

    /// Like [`end`](Self::end), as part of a transaction.
    pub fn forget(transaction: &mut Transaction) {
        transaction.delete(Table::Meta, PUSH_KEY);
    }
}
