//! Reconciles a site with a branch: one pull at a time, and the handling of its result.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::ArcSwap;

use crate::{
    content_files::{
        Commit, ContentReport, GitReport, History, Reconciler, RefusedCommit,
        edits::WrittenEdits,
        follower::{OVERTAKEN_MAX, edits_come_too_fast, log_problems},
        reconcile::{Mark, RunOutcome, Unit},
    },
    content_text::Diagnostic,
    domain::file_edit::FileEdit,
    progress::{NoProgress, Progress},
    repository::{
        GitError, GitOptions,
        clone::{Repository, Tip},
        failures::{Retries, end_notification, end_refusal, notify_of_refusal},
        following::served_commit::{SERVED_KEY, ServedCommit, remembered},
        listing::KnownPointers,
        open_push::OpenPush,
        review::Reviews,
    },
    site::LeasedSite,
    uploads::Uploads,
    write_back::FolderWriter,
};

/// The schedule by which failed pulls and pushes are retried.
pub(super) const RETRIES: Retries = Retries {
    first: Duration::from_secs(2),
    longest: Duration::from_secs(600),
    notified_after: 3,
};

/// Number of failed fetches, from a reachable repository, after which the local copy is cloned again.
pub(super) const FETCHES_MAX: u32 = 3;

/// Reconciles a site with a branch of a repository.
pub struct BranchFollower {
    pub(super) site: LeasedSite,
    pub(super) options: GitOptions,
    pub(super) repository: Repository,
    reconciler: Reconciler,
    report: Arc<ArcSwap<ContentReport>>,
    pub(super) state: GitReport,
    /// Diagnostics of the served commit other than those of its content files.
    notes: Vec<Diagnostic>,
    known_pointers: KnownPointers,
    failed_fetches: u32,
    /// The history of the served commit, if enabled and known.
    history: Option<Arc<History>>,
    /// Whether the newest commit is applied even if it is served, because the local copy may be incomplete.
    must_apply: bool,
    /// Writes edits into the files, if they are pushed.
    writer: Option<Arc<FolderWriter>>,
    /// The waiting edits, as they were applied to the files that were checked out last.
    pub(super) edits: WrittenEdits,
    /// The push whose outcome is unknown, or whose commit is not served yet.
    pub(super) open_push: Option<OpenPush>,
    /// The branches with edits that the followed branch refuses.
    pub(super) reviews: Reviews,
}

impl BranchFollower {
    /// Opens the clone in the data folder `data`. Edits are written with the `uploads` that they show. The state is published
    /// in `report`.
    ///
    /// # Errors
    ///
    /// If git is missing, or an I/O or store error occurs.
    pub fn new(
        site: LeasedSite,
        options: GitOptions,
        data: &Path,
        uploads: &Uploads,
        stopping: Arc<AtomicBool>,
        report: Arc<ArcSwap<ContentReport>>,
    ) -> Result<Self, GitError> {
        let repository = Repository::open(site.clone(), &options, data, stopping)?;
        let reconciler = Reconciler::with_history(
            site.clone(),
            repository.tree().to_owned(),
            // Empty until the first checkout. It must not be `None`: stored metadata is valid only
            // for runs with the same setting.
            options.history.then(Arc::default),
        )?
        .with_content_files(options.content_files.clone())
        .for_editing(options.write_back());
        let writer = options.pushes.then(|| {
            let tree = repository.tree().to_owned();
            let writer = FolderWriter::new(tree, uploads.clone(), reconciler.view());
            Arc::new(writer.with_new_files(options.new_files.clone()))
        });
        Ok(Self {
            writer,
            edits: WrittenEdits::default(),
            open_push: OpenPush::read(&site.current(), &options.identity())?,
            reviews: Reviews::open(site.clone(), &options)?,
            reconciler,
            state: remembered(&site.current(), &options)?,
            site,
            repository,
            options,
            report,
            notes: Vec::new(),
            known_pointers: KnownPointers::new(),
            failed_fetches: 0,
            history: None,
            must_apply: false,
        })
    }

    /// Restores the commit that was served last. If there is none, applies the newest commit, for which the repository must
    /// respond.
    ///
    /// # Errors
    ///
    /// If no commit was served before and the repository does not respond, or the store cannot be written.
    pub fn begin(&mut self, progress: &dyn Progress) -> Result<(), GitError> {
        let Some(commit) = self.state.served.clone() else {
            self.repository.prepare()?;
            match self.serve_newest(progress) {
                // The repository responds, so the copy of an earlier run may be damaged.
                Err(GitError::Failed { .. }) if self.state.fetched_at.is_some() => {
                    self.repository.renew()?;
                    self.serve_newest(progress)?;
                }
                outcome => outcome?,
            }
            self.publish();
            return Ok(());
        };
        if self.repository.goes_back() {
            match self.begin_again(&commit, progress) {
                Err(error @ GitError::Failed { .. }) => {
                    tracing::warn!(
                        %error,
                        "the copy of the repository in the data folder is damaged and is fetched again; the served content stays live"
                    );
                    self.repository.renew()?;
                    self.must_apply = true;
                }
                outcome => outcome?,
            }
        } else {
            // The clone was made without a history, which is enabled now, so older commits must be
            // fetched.
            self.repository.prepare()?;
            self.must_apply = true;
        }
        // The store has the content of the served commit, so the site starts even if the repository
        // is unreachable.
        if self.must_apply
            && let Err(error) = self.serve_newest(progress)
        {
            self.record_failure(&error);
        }
        self.publish();
        Ok(())
    }

    /// Reconciles the site with the commit that was served last.
    fn begin_again(&mut self, commit: &Commit, progress: &dyn Progress) -> Result<(), GitError> {
        self.repository.prepare()?;
        for _ in 0..OVERTAKEN_MAX {
            self.notes = self.check_out(commit)?;
            self.history = self.history_of(commit)?;
            self.reconciler.replace_history(self.history.clone());
            let edits = self.edits.clone();
            let outcome = self
                .reconciler
                .run_with_edits(None, &edits, false, progress)?;
            if let RunOutcome::Applied(new_diagnostics) = outcome {
                log_problems(&new_diagnostics);
                // In this order, because the rebase removes conflicting parts from the store.
                let edits = self.push_conflicts(commit);
                self.site.write(|change| edits.rebase(change))?;
                return self.repository.keep(commit);
            }
        }
        Err(edits_come_too_fast().into())
    }

    /// Returns the writer of the files, if edits are pushed.
    pub fn writer(&self) -> Option<Arc<FolderWriter>> {
        self.writer.clone()
    }

    /// Pulls once, pushes settled edits, and records the result.
    pub fn pull(&mut self) {
        let pulled = self.serve_newest(&NoProgress);
        // The branch is up to date now: edits that it does not contain were not pushed.
        let ended = pulled.and_then(|()| self.end_push());
        let pushed = ended.and_then(|()| self.push_edits());
        match pushed.and_then(|()| self.end_reviews()) {
            Ok(()) => {
                if self.state.failure.take().is_some() {
                    tracing::info!(url = self.state.url, "the repository responds again");
                }
                // An earlier process may have sent the notification.
                end_notification(&self.site);
            }
            Err(error) => self.record_failure(&error),
        }
        self.publish();
    }

    /// Returns the delay until the next pull.
    pub fn pause(&self) -> Duration {
        match &self.state.failure {
            None => self.until_settled().min(self.options.interval),
            Some(failure) => RETRIES.delay(failure.attempts),
        }
    }

    /// Returns the time until the next waiting edit has settled.
    fn until_settled(&self) -> Duration {
        let waiting = self.site.current().file_edits().unwrap_or_default();
        self.options
            .commits
            .until_settled(&waiting, self.site.now())
    }

    /// Fetches the newest commit, and serves it if it is valid.
    pub(super) fn serve_newest(&mut self, progress: &dyn Progress) -> Result<(), GitError> {
        let tip = self.repository.tip()?;
        self.state.branch = Some(tip.branch.clone());
        // `begin` reads this as evidence that the repository responds.
        self.state.fetched_at = Some(self.site.now());
        self.state
            .conflict_branches
            .clone_from(&tip.conflict_branches);
        let is_tip = |commit: &Commit| commit.id == tip.commit && !self.must_apply;
        if self.state.served.as_ref().is_some_and(is_tip) {
            self.end_refusal();
            return Ok(());
        }
        let refused = self.state.refused.as_ref();
        // A refused commit is not fetched, checked out and reverted again at each poll.
        if refused.is_some_and(|refused| is_tip(&refused.commit)) {
            return Ok(());
        }
        let commit = self.fetch(&tip)?;
        self.apply_commit(commit, &tip.branch, progress)
    }

    fn fetch(&mut self, tip: &Tip) -> Result<Commit, GitError> {
        let mut fetched = self.repository.fetch(tip);
        // A clone of depth 1 cannot show whether the branch contains the pushed commit, so the
        // commits since the push are fetched, if the server supports it.
        if let (Ok(commit), Some(push)) = (&fetched, &self.open_push)
            && commit.id != push.commit
        {
            fetched = self.repository.fetch_since(tip, push.begun_at).or(fetched);
        }
        match &fetched {
            Ok(_) => self.failed_fetches = 0,
            // The repository has just responded: the copy may be damaged.
            Err(GitError::Failed { .. }) => self.failed_fetches += 1,
            Err(_) => {}
        }
        if self.failed_fetches < FETCHES_MAX {
            return fetched;
        }
        self.failed_fetches = 0;
        self.repository.renew()?;
        self.repository.fetch(tip)
    }

    /// Reconciles the site with `commit`: completely or, if an earlier commit is served, not at all.
    pub(super) fn apply_commit(
        &mut self,
        commit: Commit,
        branch: &str,
        progress: &dyn Progress,
    ) -> Result<(), GitError> {
        for _ in 0..OVERTAKEN_MAX {
            match self.try_to_apply(&commit, branch, progress)? {
                RunOutcome::Refused(problems) => {
                    self.go_back()?;
                    self.refuse(commit, problems);
                    return Ok(());
                }
                RunOutcome::Applied(_) => return self.repository.keep(&commit),
                // The files contain only a part of an edit now, so all edits are applied to them again.
                RunOutcome::Overtaken => {}
            }
        }
        self.go_back()?;
        Err(edits_come_too_fast().into())
    }

    /// Checks out `commit`, applies the waiting edits, and reconciles the site with the files.
    fn try_to_apply(
        &mut self,
        commit: &Commit,
        branch: &str,
        progress: &dyn Progress,
    ) -> Result<RunOutcome, GitError> {
        let unit = match &self.state.served {
            // No earlier commit is served: the valid files are better than none.
            None => Unit::File,
            Some(_) => Unit::Folder,
        };
        let notes = match self.check_out(commit) {
            Ok(notes) => notes,
            // Like a commit with errors: the site must not become empty because a folder was
            // renamed.
            Err(error @ GitError::NoFolder { .. }) if unit == Unit::Folder => {
                let path = self.state.path.clone().unwrap_or_default();
                let advice = "push a commit that has it, or set another source.git.path";
                let problem = Diagnostic::about_file(path, error.to_string(), advice);
                return Ok(RunOutcome::Refused(vec![problem]));
            }
            Err(error) => {
                // Some of its files may be checked out already. If that cannot be reverted, the next pull retries both.
                let _ = self.go_back();
                return Err(error);
            }
        };
        let history = self.history_of(commit);
        let history = history.inspect_err(|_| drop(self.go_back()))?;
        // Before the run: the history is part of the fingerprint of each file.
        self.reconciler.replace_history(history.clone());
        let served = ServedCommit {
            identity: self.options.identity(),
            branch: branch.to_owned(),
            commit: commit.clone(),
        };
        // Stored in the transaction of the content, so store and served commit match after a crash
        // at any moment.
        let mark = Mark {
            key: SERVED_KEY,
            value: serde_json::json!(served),
        };
        // Conflicts are pushed before the edits leave the store, so that they are pushed again after a crash.
        let edits = self.push_conflicts(commit);
        let outcome = match self.reconciler.run_with_mark(unit, &mark, &edits, progress) {
            Ok(outcome) => outcome,
            Err(error) => {
                self.go_back()?;
                return Err(error.into());
            }
        };
        if let RunOutcome::Applied(new_diagnostics) = &outcome {
            tracing::info!(
                commit = commit.short(),
                author = commit.author,
                "serving {:?}",
                commit.subject()
            );
            log_problems(&[&**new_diagnostics, &notes].concat());
            self.notes = notes;
            self.history = history;
            self.must_apply = false;
            self.end_refusal();
            self.state.served = Some(commit.clone());
        }
        Ok(outcome)
    }

    /// Returns the history of the files of the commit, if enabled.
    fn history_of(&self, commit: &Commit) -> Result<Option<Arc<History>>, GitError> {
        if !self.options.history {
            return Ok(None);
        }
        let known = self.state.served.as_ref().zip(self.history.as_deref());
        let history = self.repository.history(commit, known)?;
        Ok(Some(Arc::new(history)))
    }

    /// Checks out the commit, applies the waiting edits, and returns the diagnostics of the commit.
    fn check_out(&mut self, commit: &Commit) -> Result<Vec<Diagnostic>, GitError> {
        let listing = self.repository.listing(commit)?;
        self.repository.check_out(commit)?;
        self.apply_edits(commit)?;
        Ok(listing.diagnostics(self.repository.tree(), &mut self.known_pointers))
    }

    /// Checks out the served commit again, and applies the waiting edits.
    fn go_back(&mut self) -> Result<(), GitError> {
        // Otherwise the next run would use the history of the refused commit.
        self.reconciler.replace_history(self.history.clone());
        match self.state.served.clone() {
            Some(commit) => {
                self.repository.check_out(&commit)?;
                self.apply_edits(&commit)
            }
            None => Ok(()),
        }
    }

    /// Applies the waiting edits to the checked-out files of the commit.
    fn apply_edits(&mut self, commit: &Commit) -> Result<(), GitError> {
        if let Some(writer) = &self.writer {
            // Versions that the branch may contain already: only saves after them are applied to
            // its files.
            let open = self.open_push.iter().flat_map(|push| push.edits.clone());
            let known: Vec<FileEdit> = self.reviews.edits().into_iter().chain(open).collect();
            // Written again after every checkout, because it has reverted the files to those of the
            // commit.
            self.edits = writer.write_waiting(&self.site, self.pushed_in(commit), &known)?;
            for conflict in &mut self.edits.conflicts {
                conflict.other_author = Some(commit.author.clone());
            }
        }
        Ok(())
    }

    fn refuse(&mut self, commit: Commit, problems: Vec<Diagnostic>) {
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        tracing::error!(
            commit = commit.short(),
            author = commit.author,
            diagnostics = %messages.join("\n\n"),
            "the commit is refused; the previous one stays live"
        );
        let refused = RefusedCommit { commit, problems };
        notify_of_refusal(&self.site, &refused);
        self.state.refused = Some(refused);
    }

    /// Records that no commit is refused.
    fn end_refusal(&mut self) {
        self.state.refused = None;
        // An earlier process may have sent the notification.
        end_refusal(&self.site);
    }

    /// Records why a pull or a push failed. A repeated reason is logged only once.
    fn record_failure(&mut self, error: &GitError) {
        // Git was aborted because the server stops, which is not a failure of the repository.
        if matches!(error, GitError::Stopping) {
            return;
        }
        let message = error.to_string();
        let before = self.state.failure.take();
        if before
            .as_ref()
            .is_none_or(|before| before.message != message)
        {
            tracing::error!(
                url = self.state.url,
                "cannot follow the repository; retrying, with delays of up to {} minutes: {message}",
                RETRIES.longest.as_secs() / 60
            );
        }
        self.state.failure = Some(RETRIES.failed(before.as_ref(), message, &self.site));
    }

    /// Publishes the current state.
    fn publish(&mut self) {
        let mut report = self.reconciler.report();
        report.add(&self.notes);
        report.add(&self.edits.blocked.problems);
        if let Ok(waiting) = self.site.current().file_edits() {
            self.state.waiting_edits = waiting.len();
            self.state.reviews = self.reviews.report(&waiting);
        }
        report.git = Some(self.state.clone());
        self.report.store(Arc::new(report));
    }

    /// Returns whether a commit of the repository is served.
    pub fn has_served(&self) -> bool {
        self.state.served.is_some()
    }
}
