//! Git: a repository that is cloned into the data folder and followed, and the site of the newest commit of a branch.
//!
//! The git program does the work. It knows the ssh agents, credential helpers, proxies and certificates of the machine;
//! people already trust it with their repositories; a crash ends a process and not the server; and it can push, which a
//! library in Rust (gix) cannot yet and which writing back will need. *Only this module starts it. A repository that is not
//! Galley's own is used through a git directory of Galley's, so that its configuration and its hooks run nothing.*
//!
//! A commit is applied or rejected as a whole: with an error in any file the previous commit stays, files and all, and the
//! report shows the errors. The store records the served commit in the same transaction as its content, so a process that is
//! killed at any moment restarts with exactly that, without network access.
//!
//! A repository is fetched without its history, unless history supplies dates and authors. Posts and pages without a date
//! then have that of their first commit, those without an update date that of their last, and those without an author the
//! author of the first, if the site knows that address or name. Commits create no authors.

mod address;
mod clone;
pub(crate) mod committer;
mod committing;
mod complaint;
mod edit_index;
mod environment;
mod error;
mod failures;
mod filters;
mod folder_history;
mod following;
mod history;
mod index_lock;
mod isolated;
mod listing;
mod location;
mod open_push;
pub(crate) mod options;
mod program;
mod pulls;
mod push;

mod repository_config;
mod review;
mod work_tree;
mod work_tree_git;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    thread::{self, JoinHandle},
    time::Duration,
};

use arc_swap::ArcSwap;

pub use address::{AddressError, GitAddress};
pub use committer::EditCommitter;
pub use error::GitError;
pub use folder_history::FolderHistory;
pub use following::remembered;
pub use options::{
    BranchName, BranchNameError, CommitMessage, CommitMessageError, CommitOptions, FolderError,
    FolderInRepository, GitOptions, ReviewBranchName, ReviewBranchNameError, ReviewOptions,
};
pub use pulls::Pulls;
pub use push::{BODY_BYTES_MAX as PUSH_BYTES_MAX, Consequence, Push, UnreadablePush};

use crate::{
    content_files::{ContentReport, EditWriter, ReadProgress, WriteBack},
    error::Error,
    site::{CommitTopic, LeasedSite},
    uploads::Uploads,
};
use clone::Repository;
use following::BranchFollower;

/// Returns the error of a request that needs a repository, at a site that follows none.
pub fn no_repository(report: &ContentReport) -> Error {
    if report.write_back == WriteBack::Commit {
        return Error::not_found("Git repository to sync from")
            .context(
                "This site is made from a content folder in a git work tree: the folder is watched, edits become commits there, and nothing is fetched.",
            )
            .help("To get the commits of others, pull them into the work tree with git.");
    }
    Error::not_found("Git repository")
        .context("This site is not made from a git repository.")
        .help(
            "Serve it from one with `galley serve --git URL`, or set source.git.url in galley.toml.",
        )
}

/// Returns the path of the content files of a site of a repository with the data folder `data`.
pub fn content_folder(data: &Path) -> PathBuf {
    Repository::tree_in(data)
}

/// Reconciles `site` with the newest commit of the repository, once, and returns the report. The clone is stored in the
/// folder `data`. Of a commit with errors, the valid files are used and the others reported.
///
/// # Errors
///
/// If the repository does not respond, git is missing, or the disk or the store fails.
pub fn seed(
    site: impl Into<LeasedSite>,
    options: &GitOptions,
    data: &Path,
    progress: &dyn ReadProgress,
) -> Result<Arc<ContentReport>, GitError> {
    let report: Arc<ArcSwap<ContentReport>> = Arc::default();
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

/// Follows a branch of a repository until it is dropped.
pub struct GitSource {
    pulls: Arc<Pulls>,
    thread: Option<JoinHandle<()>>,
}

impl GitSource {
    /// Restores the last served commit in `site` or, if there is none, applies the newest commit; and then follows the
    /// repository, with the requests that `pulls` takes. The clone is stored in the data folder `data`;
    /// edits are pushed with the `uploads` that they show.
    ///
    /// # Errors
    ///
    /// If no commit was ever served and the repository does not respond; if git is missing, the disk or the store fails, new
    /// files would not be read, or no thread can be started.
    pub fn start(
        site: LeasedSite,
        options: GitOptions,
        pulls: Arc<Pulls>,
        data: &Path,
        uploads: &Uploads,
        progress: &dyn ReadProgress,
    ) -> Result<Self, GitError> {
        let stopping = pulls.open();
        let mut source = Self {
            pulls: Arc::clone(&pulls),
            thread: None,
        };
        let report = Arc::clone(pulls.report());
        let (edited_site, settle) = (site.clone(), options.commits.settle);
        let mut following = BranchFollower::new(site, options, data, uploads, stopping, report)?;
        let was_served = following.has_served();
        following.begin(progress)?;
        if let Some(writer) = following.writer() {
            match writer.check_new_files() {
                Err(error) if !was_served => return Err(error.into()),
                // A push has changed the folder since: it must not keep the site from starting.
                Err(error) => tracing::warn!(%error, "new posts or pages have no place"),
                Ok(()) => {}
            }
            edited_site.write_files_with(writer);
            let pulls = Arc::clone(&pulls);
            edited_site.on(CommitTopic::FileEdits, move || pulls.edited(settle));
        }
        let asked = Arc::clone(&pulls);
        edited_site.on(CommitTopic::Leases, move || asked.asked());
        let desk = pulls;
        let thread = thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || {
                let _stopped_at_last = StoppedAtLast(&desk);
                // The restored commit may be old by now.
                let mut pause = if was_served {
                    Duration::ZERO
                } else {
                    following.pause()
                };
                while desk.begin(pause) {
                    following.pull();
                    desk.end();
                    pause = following.pause();
                }
            })
            .map_err(|error| GitError::Site(Error::internal(error)))?;
        source.thread = Some(thread);
        Ok(source)
    }
}

/// Ends all waits for pulls when the thread ends, even by a panic.
struct StoppedAtLast<'a>(&'a Pulls);

impl Drop for StoppedAtLast<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Drop for GitSource {
    /// Aborts git, and waits for it.
    fn drop(&mut self) {
        self.pulls.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
        self.pulls.close();
    }
}
