//! Keeping a site in agreement with a branch: one look at a time, and what to do about what it shows.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::ArcSwap;
use serde::{Deserialize, Serialize};

use super::{
    Commit, Failure, GitError, GitOptions, GitReport, RefusedCommit,
    listing::KnownPointers,
    repository::{Repository, Tip},
};
use crate::{
    error::Result as SiteResult,
    site::Site,
    sources::{
        ContentReport, Diagnostic, History, Progress, Reconciler, Silent,
        follower::tell,
        reconcile::{Mark, Outcome, Unit},
    },
    store::Table,
};

/// Where the store remembers which commit is served.
const SERVED_KEY: &[u8] = b"git_source";

/// How soon a look that failed is tried again: at first, and at the latest. In between, twice as late each time.
const RETRIES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(600));

/// How often a fetch fails, from a repository that answers, until our copy of it is suspected and made again.
const FETCHES_MAX: u32 = 3;

/// What the store remembers of the repository, in the same commit as what was made of it.
#[derive(Clone, Serialize, Deserialize)]
struct ServedCommit {
    /// Which repository, branch and folder.
    identity: String,
    branch: String,
    commit: Commit,
}

impl ServedCommit {
    fn read(site: &Site, options: &GitOptions) -> SiteResult<Option<Self>> {
        let found: Option<Self> = site.current().read(Table::Meta, SERVED_KEY)?;
        Ok(found.filter(|served| served.identity == options.identity()))
    }
}

/// What is known of the repository of a site that is not being served.
///
/// # Errors
///
/// When the store cannot be read.
pub fn remembered(site: &Site, options: &GitOptions) -> SiteResult<GitReport> {
    let mut report = GitReport::new(options);
    if let Some(served) = ServedCommit::read(site, options)? {
        report.branch = Some(served.branch);
        report.served = Some(served.commit);
    }
    Ok(report)
}

/// Keeps a site in agreement with a branch of a repository.
pub struct Following {
    site: Arc<Site>,
    options: GitOptions,
    repository: Repository,
    reconciler: Reconciler,
    report: Arc<ArcSwap<ContentReport>>,
    state: GitReport,
    /// What is reported of the commit that is served beside what is wrong with its content files.
    notes: Vec<Diagnostic>,
    known_pointers: KnownPointers,
    failed_fetches: u32,
    /// The history of the commit that is served, if that is wanted and known.
    history: Option<Arc<History>>,
    /// Whether the newest commit is to be taken even if it is served: our copy of it is not what it should be.
    must_take: bool,
}

impl Following {
    /// Begins with what is in the data folder `data`. What is known is put into `report`.
    ///
    /// # Errors
    ///
    /// When there is no git, or the disk or the store refuses.
    pub fn new(
        site: Arc<Site>,
        options: GitOptions,
        data: &Path,
        stopping: Arc<AtomicBool>,
        report: Arc<ArcSwap<ContentReport>>,
    ) -> Result<Self, GitError> {
        let repository = Repository::open(&options, data, stopping)?;
        Ok(Self {
            reconciler: Reconciler::with_history(
                Arc::clone(&site),
                repository.tree().to_owned(),
                options.history.then(Arc::default),
            )?
            .with_content_files(options.content_files.clone()),
            state: remembered(&site, &options)?,
            site,
            repository,
            options,
            report,
            notes: Vec::new(),
            known_pointers: KnownPointers::new(),
            failed_fetches: 0,
            history: None,
            must_take: false,
        })
    }

    /// Makes the site what it was when it was last served; if it never was, what the repository has now. The second needs
    /// the repository to answer.
    ///
    /// # Errors
    ///
    /// When nothing of the repository was ever served and it does not answer, or the store cannot be written.
    pub fn begin(&mut self, progress: &dyn Progress) -> Result<(), GitError> {
        let Some(commit) = self.state.served.clone() else {
            self.repository.prepare()?;
            match self.look(progress) {
                // The repository answers, so it may be a copy from before that is damaged.
                Err(GitError::Failed { .. }) if self.state.looked_at.is_some() => {
                    self.repository.renew()?;
                    self.look(progress)?;
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
                        "the copy of the repository in the data folder is damaged and is fetched again; what was served stays served"
                    );
                    self.repository.renew()?;
                    self.must_take = true;
                }
                outcome => outcome?,
            }
        } else {
            self.repository.prepare()?;
            self.must_take = true;
        }
        if self.must_take
            && let Err(error) = self.look(progress)
        {
            self.note(&error);
        }
        self.publish();
        Ok(())
    }

    /// Makes the site what the commit says that was served last.
    fn begin_again(&mut self, commit: &Commit, progress: &dyn Progress) -> Result<(), GitError> {
        self.repository.prepare()?;
        self.notes = self.check_out(commit)?;
        self.history = self.history_of(commit)?;
        self.reconciler.replace_history(self.history.clone());
        tell(&self.reconciler.run(None, progress)?);
        self.repository.keep(commit)
    }

    /// Looks once, and notes what came of it.
    pub fn pull(&mut self) {
        match self.look(&Silent) {
            Ok(()) => {
                if self.state.failure.take().is_some() {
                    tracing::info!(url = self.state.url, "the repository answers again");
                }
            }
            Err(error) => self.note(&error),
        }
        self.publish();
    }

    /// How long to wait until the next look.
    pub fn pause(&self) -> Duration {
        match &self.state.failure {
            None => self.options.interval,
            Some(failure) => backoff(failure.attempts),
        }
    }

    /// Looks what the newest commit is, and serves it if it can be.
    fn look(&mut self, progress: &dyn Progress) -> Result<(), GitError> {
        let tip = self.repository.tip()?;
        self.state.branch = Some(tip.branch.clone());
        self.state.looked_at = Some(self.site.now());
        let is_tip = |commit: &Commit| commit.id == tip.commit && !self.must_take;
        if self.state.served.as_ref().is_some_and(is_tip) {
            self.state.refused = None;
            return Ok(());
        }
        let refused = self.state.refused.as_ref();
        if refused.is_some_and(|refused| is_tip(&refused.commit)) {
            return Ok(());
        }
        let commit = self.fetch(&tip)?;
        self.take(commit, &tip.branch, progress)
    }

    fn fetch(&mut self, tip: &Tip) -> Result<Commit, GitError> {
        let fetched = self.repository.fetch(tip);
        match &fetched {
            Ok(_) => self.failed_fetches = 0,
            // It has just answered: what is wrong may be our copy.
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

    /// Makes the site what `commit` says; all of it or, when something of the repository is served already, nothing.
    fn take(
        &mut self,
        commit: Commit,
        branch: &str,
        progress: &dyn Progress,
    ) -> Result<(), GitError> {
        let unit = match &self.state.served {
            // There is nothing to go on with: what can be used is better than nothing.
            None => Unit::File,
            Some(_) => Unit::Folder,
        };
        let notes = match self.check_out(&commit) {
            Ok(notes) => notes,
            Err(error @ GitError::NoFolder { .. }) if unit == Unit::Folder => {
                let path = self.state.path.clone().unwrap_or_default();
                let advice = "push a commit that has it, or set another source.git.path";
                let problem = Diagnostic::about_file(path, error.to_string(), advice);
                self.refuse(commit, vec![problem]);
                return Ok(());
            }
            Err(error) => {
                // Part of its files may be there already. If that cannot be helped, the next look tries both again.
                let _ = self.go_back();
                return Err(error);
            }
        };
        let history = self.history_of(&commit)?;
        self.reconciler.replace_history(history.clone());
        let served = ServedCommit {
            identity: self.options.identity(),
            branch: branch.to_owned(),
            commit: commit.clone(),
        };
        let mark = Mark {
            key: SERVED_KEY,
            value: serde_json::json!(served),
        };
        match self.reconciler.take_over(unit, &mark, progress) {
            Ok(Outcome::Applied(news)) => {
                tracing::info!(
                    commit = commit.short(),
                    author = commit.author,
                    "serving {:?}",
                    commit.subject()
                );
                tell(&[news, notes.clone()].concat());
                self.notes = notes;
                self.history = history;
                self.must_take = false;
                self.state.refused = None;
                self.state.served = Some(commit.clone());
                self.repository.keep(&commit)
            }
            Ok(Outcome::Refused(problems)) => {
                self.go_back()?;
                self.refuse(commit, problems);
                Ok(())
            }
            Err(error) => {
                self.go_back()?;
                Err(error.into())
            }
        }
    }

    /// The history of the files of the commit, if it is wanted.
    fn history_of(&self, commit: &Commit) -> Result<Option<Arc<History>>, GitError> {
        if !self.options.history {
            return Ok(None);
        }
        let known = self.state.served.as_ref().zip(self.history.as_deref());
        let history = self.repository.history(commit, known)?;
        Ok(Some(Arc::new(history)))
    }

    /// Makes the files those of the commit, and returns what is to be reported of it.
    fn check_out(&mut self, commit: &Commit) -> Result<Vec<Diagnostic>, GitError> {
        let listing = self.repository.listing(commit)?;
        self.repository.check_out(commit)?;
        Ok(listing.diagnostics(self.repository.tree(), &mut self.known_pointers))
    }

    /// Makes the files those of the commit that is served.
    fn go_back(&mut self) -> Result<(), GitError> {
        self.reconciler.replace_history(self.history.clone());
        match self.state.served.clone() {
            Some(commit) => self.repository.check_out(&commit),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, commit: Commit, problems: Vec<Diagnostic>) {
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        tracing::error!(
            commit = commit.short(),
            author = commit.author,
            "the commit is refused; what was served is served\n{}",
            messages.join("\n\n")
        );
        self.state.refused = Some(RefusedCommit { commit, problems });
    }

    /// Notes why a look failed. A reason is logged once, however often it occurs.
    fn note(&mut self, error: &GitError) {
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
                "the repository cannot be followed; trying again, at last every {} minutes: {message}",
                RETRIES.1.as_secs() / 60
            );
        }
        let attempts = before.map_or(0, |before| before.attempts).saturating_add(1);
        let failed_at = self.site.now();
        self.state.failure = Some(Failure {
            message,
            failed_at,
            attempts,
            tried_again_at: failed_at
                .saturating_add(backoff(attempts))
                .unwrap_or(failed_at),
        });
    }

    /// Lets others see what is known.
    fn publish(&mut self) {
        let mut report = self.reconciler.report();
        report.problems.extend(self.notes.iter().cloned());
        report
            .problems
            .sort_by(|one, other| one.file.cmp(&other.file));
        report.git = Some(self.state.clone());
        self.report.store(Arc::new(report));
    }

    /// Whether a commit of the repository is served.
    pub fn has_served(&self) -> bool {
        self.state.served.is_some()
    }
}

fn backoff(attempts: u32) -> Duration {
    let doubled = RETRIES
        .0
        .saturating_mul(1 << attempts.saturating_sub(1).min(16));
    doubled.min(RETRIES.1)
}
