//! The report of a finished build.

use serde::{Deserialize, Serialize};

use crate::static_site::{failed_page::FailedPage, links::DeadLink};

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildReport {
    /// New and changed files.
    pub written: usize,
    /// The total size of the written files, in bytes.
    pub bytes_written: u64,
    /// Unchanged files.
    pub unchanged: usize,
    /// Removed files of an earlier build.
    pub removed: usize,
    /// Remarks for the publisher of the folder.
    pub remarks: Vec<String>,
    /// The pages that cannot be rendered. Their files from an earlier build remain.
    pub failed_pages: Vec<FailedPage>,
    /// The links of pages whose targets do not exist.
    pub dead_links: Vec<DeadLink>,
}

impl BuildReport {
    /// Returns whether pages cannot be rendered, or the targets of links do not exist. A strict build then writes nothing.
    pub fn has_problems(&self) -> bool {
        !self.failed_pages.is_empty() || !self.dead_links.is_empty()
    }
}
