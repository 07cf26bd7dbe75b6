//! Reads the newest commit of a repository once.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use arc_swap::ArcSwap;

use crate::{
    content_files::ContentReport,
    progress::Progress,
    repository::{GitError, GitOptions, clone::Repository, following::BranchFollower},
    site::LeasedSite,
    uploads::Uploads,
};

/// Returns the path of the content files of a site that follows a repository and has the data folder `data`.
pub fn content_folder(data: &Path) -> PathBuf {
    Repository::tree_in(data)
}

/// Reconciles `site` with the newest commit of the repository, once, and returns the report. The clone is stored in the
/// folder `data`. Of a commit with errors, the valid files are used and the others reported.
///
/// # Errors
///
/// If the repository does not respond, git is missing, or an I/O or store error occurs.
pub fn seed(
    site: impl Into<LeasedSite>,
    options: &GitOptions,
    data: &Path,
    progress: &dyn Progress,
) -> Result<Arc<ContentReport>, GitError> {
    let report: Arc<ArcSwap<ContentReport>> = Arc::default();
    // Never set: a single read is not interrupted.
    let stopping = Arc::new(AtomicBool::new(false));
    let mut following = BranchFollower::new(
        site.into(),
        options.clone(),
        data,
        &Uploads::in_data(data),
        stopping,
        Arc::clone(&report),
    )?;
    following.begin(progress)?;
    Ok(report.load_full())
}
