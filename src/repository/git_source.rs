//! Follows a branch of a repository in a thread.

use std::{
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{
    content_files::EditWriter,
    error::Error,
    progress::Progress,
    repository::{GitError, GitOptions, Pulls, following::BranchFollower},
    site::{CommitTopic, LeasedSite},
    uploads::Uploads,
};

/// Follows a branch of a repository until it is dropped.
pub struct GitSource {
    pulls: Arc<Pulls>,
    thread: Option<JoinHandle<()>>,
}

impl GitSource {
    /// Restores the last served commit in `site` or, if there is none, applies the newest commit. Then follows the
    /// repository, and handles the requests that `pulls` receives. The clone is stored in the data folder `data`; edits are
    /// pushed with the `uploads` that they show.
    ///
    /// # Errors
    ///
    /// If no commit was ever served and the repository does not respond; if git is missing, an I/O or store error occurs,
    /// new files would not be read, or no thread can be started.
    pub fn start(
        site: LeasedSite,
        options: GitOptions,
        pulls: Arc<Pulls>,
        data: &Path,
        uploads: &Uploads,
        progress: &dyn Progress,
    ) -> Result<Self, GitError> {
        let stopping = pulls.open();
        // Created before the steps that can fail, because its drop closes `pulls` again.
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
                // A push has changed the folder since, which must not prevent the start of the site.
                Err(error) => tracing::warn!(%error, "the paths of new posts or pages are invalid"),
                Ok(()) => {}
            }
            // Only after `begin`: the writer needs the layout that the first run has found.
            edited_site.write_files_with(writer);
            let pulls = Arc::clone(&pulls);
            edited_site.on_commit(CommitTopic::FileEdits, move || pulls.edited(settle));
        }
        let requested = Arc::clone(&pulls);
        // Another process that shares the store and receives a webhook passes it on in the table of
        // leases (`Pulls::push`).
        edited_site.on_commit(CommitTopic::Leases, move || requested.request_here());
        let requests = pulls;
        let thread = thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || {
                let _stopped_at_last = StoppedAtLast(&requests);
                // The restored commit may be outdated.
                let mut pause = if was_served {
                    Duration::ZERO
                } else {
                    following.pause()
                };
                // One thread pulls, so that only one git process at a time changes the clone.
                while requests.begin(pause) {
                    following.pull();
                    requests.end();
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
        // Before the join, because a fetch may take up to an hour.
        self.pulls.stop();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
        self.pulls.close();
    }
}
