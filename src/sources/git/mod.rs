//! Git: a repository that is cloned into the data folder and followed, and the site made of the newest commit of a branch.
//!
//! The git program does the work. It knows the ssh agents, credential helpers, proxies and certificates of the machine; it
//! is what people already trust with their repositories; what goes wrong in it ends a process and not the server; and it can
//! push, which a library in Rust (gix) cannot yet and which writing back will need. *Only this module starts it.*
//!
//! A commit is taken or refused as one: with an error in any file the one before stays, files and all, and the report says
//! what is wrong. Which commit is served is remembered by the store in the same commit as what was made of it, so a process
//! that is killed at any moment begins again with exactly that, without asking anybody.
//!
//! A repository is fetched without its history, unless that is to say when and by whom a post was written. Posts and pages
//! without any date are then of their first commit, those that do not say when they were changed were changed by their last,
//! and those that name no author are by the author of the first, if the site knows that address or name. No author comes into
//! being by a commit.

mod address;
mod commit;
mod error;
mod following;
mod history;
mod listing;
mod options;
mod program;
mod pulls;
mod push;
pub(super) mod report;
mod repository;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    thread::{self, JoinHandle},
    time::Duration,
};

use arc_swap::ArcSwap;

pub use address::{AddressError, GitAddress};
pub use commit::Commit;
pub use error::GitError;
pub use following::remembered;
pub use options::{BranchName, BranchNameError, FolderError, FolderInRepository, GitOptions};
pub use pulls::Pulls;
pub use push::{BODY_BYTES_MAX as PUSH_BYTES_MAX, Consequence, Push, UnreadablePush};
pub use report::{Failure, GitReport, RefusedCommit};

use super::{ContentReport, History, Progress};
use crate::{error::Error, site::Site};
use following::Following;
use program::{Program, TIME_TO_WORK};
use repository::Repository;

/// Where the content files lie of a site that is made of a repository, whose data folder is `data`.
pub fn content_folder(data: &Path) -> PathBuf {
    Repository::tree_in(data)
}

/// Makes `site` what the newest commit of the repository says, once, and tells what came of it. The copy of the repository
/// is kept in the folder `data`. Of a commit with errors, what can be used is; the report tells the rest.
///
/// # Errors
///
/// When the repository does not answer, there is no git, or the disk or the store refuses.
pub fn seed(
    site: Arc<Site>,
    options: &GitOptions,
    data: &Path,
    progress: &dyn Progress,
) -> Result<Arc<ContentReport>, GitError> {
    let report: Arc<ArcSwap<ContentReport>> = Arc::default();
    let stopping = Arc::new(AtomicBool::new(false));
    let mut following = Following::new(site, options.clone(), data, stopping, Arc::clone(&report))?;
    following.begin(progress)?;
    Ok(report.load_full())
}

/// Follows a branch of a repository until it is dropped.
pub struct GitSource {
    pulls: Arc<Pulls>,
    thread: Option<JoinHandle<()>>,
}

impl GitSource {
    /// Makes `site` what was last served of the repository or, when nothing was, what its newest commit says; and then
    /// follows it. Its copy is kept in the data folder `data`.
    ///
    /// # Errors
    ///
    /// When nothing was ever served of the repository and it does not answer; when there is no git, the disk or the store
    /// refuses, or the system has no thread to give.
    pub fn start(
        site: Arc<Site>,
        options: GitOptions,
        data: &Path,
        progress: &dyn Progress,
    ) -> Result<Self, GitError> {
        let stopping = Arc::new(AtomicBool::new(false));
        let pulls = Arc::new(Pulls::new(options.secret.clone(), Arc::clone(&stopping)));
        let report = Arc::clone(pulls.report());
        let mut following = Following::new(site, options, data, stopping, report)?;
        let was_served = following.has_served();
        following.begin(progress)?;
        let desk = Arc::clone(&pulls);
        let thread = thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || {
                let _stopped_at_last = StoppedAtLast(&desk);
                // What was served before may be old by now.
                let mut pause = match was_served {
                    true => Duration::ZERO,
                    false => following.pause(),
                };
                while desk.begin(pause) {
                    following.pull();
                    desk.end();
                    pause = following.pause();
                }
            })
            .map_err(|error| GitError::Site(Error::internal(error)))?;
        Ok(Self {
            pulls,
            thread: Some(thread),
        })
    }

    /// Where pulls are asked for, and what is known.
    pub fn pulls(&self) -> &Arc<Pulls> {
        &self.pulls
    }
}

/// Lets no client wait for pulls that no thread makes any more, also when the thread that makes them panics.
struct StoppedAtLast<'a>(&'a Pulls);

impl Drop for StoppedAtLast<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Drop for GitSource {
    /// Ends what git does, and waits for it.
    fn drop(&mut self) {
        self.pulls.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// Returns the history of the files of `folder`, which lies in a repository that is not Galley's own.
///
/// # Errors
///
/// When there is no git, or the folder lies in no repository that has a commit.
pub fn history_of(folder: &Path) -> Result<History, GitError> {
    let program = Program::in_others_folder();
    program.check()?;
    let folder = folder.to_string_lossy();
    let mut arguments = vec!["-C", &folder, "log", "--topo-order", "--reverse"];
    arguments.extend([
        "--no-show-signature",
        "-M",
        "-z",
        "--name-status",
        "--relative",
    ]);
    arguments.extend([history::FORMAT, "HEAD", "--", "."]);
    let mut found = History::default();
    history::add(
        &mut found,
        &program.run("reading the history", &arguments, TIME_TO_WORK)?,
    );
    Ok(found)
}
