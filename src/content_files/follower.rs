//! Follows a content folder: a thread that reconciles the site with it after every change, and on a timer.
//!
//! Events of the operating system are only hints. The whole folder is scanned at the start, on a timer, and after any
//! event that is not limited to known, existing files. A lost event therefore costs delay, not correctness.

use std::{
    collections::BTreeSet,
    panic::resume_unwind,
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use crate::{
    content_files::{
        edit_target::WriteBack,
        edits::{EditCommits, EditWriter, WrittenEdits},
        folder_view::FolderView,
        options::ContentFiles,
        reconcile::{FolderWalk, Reconciler, RunOutcome, unknown},
        report::{ContentReport, ReadFailure},
        watch::{Change, Watch},
    },
    content_text::{Diagnostic, DiagnosticGroup},
    error::{Error, Kind, Result},
    progress::{NoProgress, Progress},
    site::{CommitTopic, LeasedSite},
};

/// The interval of scans if the system cannot report changes.
const BLIND_RESCAN: Duration = Duration::from_secs(2);

/// The delay before a failed run is retried.
const RETRY: Duration = Duration::from_secs(1);

/// The multiple of the settle time after which changing files are read anyway.
const UNSETTLED_MAX: u32 = 20;

/// Maximum number of consecutive runs that edits may overtake.
pub(crate) const OVERTAKEN_MAX: usize = 10;

/// Options of a follower.
#[derive(Clone)]
pub struct FollowerOptions {
    /// Time without changes before files are read.
    pub settle: Duration,
    /// Interval of full scans, regardless of events.
    pub rescan: Duration,
    /// Settings of the content folder.
    pub content_files: ContentFiles,
    /// The target of edits.
    pub write_back: WriteBack,
    /// The writer of edits, if they are written into the folder.
    pub writer: Option<Arc<dyn EditWriter>>,
    /// The folder as of the last run.
    pub view: Arc<ArcSwap<FolderView>>,
    /// The report on the folder.
    pub report: Arc<ArcSwap<ContentReport>>,
}

/// Follows a content folder until it is dropped.
pub struct Follower {
    sender: Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

/// Messages to the thread.
enum Signal {
    Changed(Change),
    /// Posts were edited through the API.
    Edited,
    Stop,
}

/// A folder to follow. It is watched, and a separate thread lists it while the store is opened.
pub struct PreparedFolder {
    root: PathBuf,
    sender: Sender<Signal>,
    receiver: Receiver<Signal>,
    listing: JoinHandle<(Watch, FolderWalk)>,
    committer: Option<Box<dyn EditCommits>>,
}

impl PreparedFolder {
    /// Starts watching and listing the folder `root`.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn begin(root: PathBuf) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let report_change = {
            let sender = sender.clone();
            // The receiver is dropped only when the program stops.
            move |change| drop(sender.send(Signal::Changed(change)))
        };
        let folder = root.clone();
        let listing = thread::Builder::new().name("content listing".to_owned());
        let listing = listing.spawn(move || {
            // The watch comes first, so that no change is missed.
            let watch = Watch::start(&folder, report_change);
            (watch, FolderWalk::through(&folder))
        });
        Ok(Self {
            root,
            sender,
            receiver,
            listing: listing.map_err(Error::internal)?,
            committer: None,
        })
    }

    /// Commits edits in the work tree that contains the folder.
    pub fn committing(self, committer: impl EditCommits + 'static) -> Self {
        Self {
            committer: Some(Box::new(committer)),
            ..self
        }
    }
}

impl Follower {
    /// Reconciles `site` with a folder, and then follows it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, new files would not be read, or no thread can be started.
    pub fn start(
        site: impl Into<LeasedSite>,
        preparation: PreparedFolder,
        options: FollowerOptions,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let site = site.into();
        let PreparedFolder {
            root,
            sender,
            receiver,
            listing,
            committer,
        } = preparation;
        let reconciler = Reconciler::new(site.clone(), root)?
            .with_content_files(options.content_files.clone())
            .with_view(Arc::clone(&options.view))
            .for_editing(options.write_back);
        let writer = options.writer.clone();
        // The thread has listed the folder while the store was opened and its states were read.
        let listed = listing.join();
        let (watch, walk) = listed.unwrap_or_else(|panic| resume_unwind(panic));
        let mut following = FollowerThread {
            reconciler: reconciler.after(walk),
            site: site.clone(),
            writer: writer.clone(),
            committer,
            watch,
            report: Arc::clone(&options.report),
            options,
            blocked: Vec::new(),
            failure: None,
        };
        match following.reconcile(None, progress) {
            // Files are still being written; the previous content is served until they are complete.
            Err(error) if error.kind() == Kind::UpdateCollision => following.record_failure(&error),
            outcome => outcome?,
        }
        if let Some(writer) = writer {
            writer.check_new_files()?;
            site.write_files_with(writer);
            // A listener must not block the commit, so it only sends a signal.
            let sender = sender.clone();
            // The receiver is dropped only when the program stops.
            site.on_commit(CommitTopic::FileEdits, move || {
                drop(sender.send(Signal::Edited))
            });
        }
        let thread = thread::Builder::new()
            .name("content files".to_owned())
            .spawn(move || following.run(&receiver))
            .map_err(Error::internal)?;
        Ok(Self {
            sender,
            thread: Some(thread),
        })
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // Sending fails only if the thread has ended.
        if let (Ok(()), Some(thread)) = (self.sender.send(Signal::Stop), self.thread.take()) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct FollowerThread {
    reconciler: Reconciler,
    site: LeasedSite,
    /// Writes edits into the files, if that is enabled.
    writer: Option<Arc<dyn EditWriter>>,
    /// Commits written edits, if that is enabled.
    committer: Option<Box<dyn EditCommits>>,
    watch: Watch,
    report: Arc<ArcSwap<ContentReport>>,
    options: FollowerOptions,
    /// The reasons that edits are blocked: symbolic links above their files are not followed.
    blocked: Vec<Diagnostic>,
    /// The error of the last run if it failed, so that the next one must scan everything.
    failure: Option<ReadFailure>,
}

impl FollowerThread {
    fn run(mut self, receiver: &Receiver<Signal>) {
        let mut next_scan = Instant::now() + self.patience();
        loop {
            let until_scan = next_scan.saturating_duration_since(Instant::now());
            // Edits are also written into their files by this thread, so no commit sees a file that
            // is being written.
            let patience = self.commit_edits().min(until_scan);
            let change = match receiver.recv_timeout(patience) {
                Ok(Signal::Changed(change)) => settled(change, receiver, self.options.settle),
                // The edits are written, and their paths added, at the start of the run.
                Ok(Signal::Edited) => Some(Change::At(BTreeSet::new())),
                // Edits have settled.
                Err(RecvTimeoutError::Timeout) if Instant::now() < next_scan => continue,
                Err(RecvTimeoutError::Timeout) => Some(Change::Any),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => None,
            };
            let hints = match change {
                None => return,
                // The hints of a failed run are lost, so the next run scans everything.
                Some(Change::At(paths)) if self.failure.is_none() => Some(paths),
                Some(_) => {
                    // The path may refer to another folder now, of which the watch reports nothing.
                    self.watch.renew();
                    None
                }
            };
            match self.reconcile(hints.as_ref(), &NoProgress) {
                Ok(()) => self.record_success(),
                Err(error) => self.record_failure(&error),
            }
            next_scan = Instant::now() + self.patience();
        }
    }

    /// Returns the time until the next scan.
    fn patience(&self) -> Duration {
        if self.failure.is_some() {
            RETRY
        } else {
            self.rescan()
        }
    }

    /// Commits the edits that have settled, and returns the time until the next call is due.
    fn commit_edits(&mut self) -> Duration {
        let Some(committer) = &mut self.committer else {
            return Duration::MAX;
        };
        let before = committer.report();
        let pause = committer.commit();
        if committer.report() != before {
            self.publish();
        }
        pause
    }

    /// Publishes the current report.
    fn publish(&self) {
        let mut report = self.reconciler.report();
        report.add(&self.blocked);
        report.failure.clone_from(&self.failure);
        report.commits = self.committer.as_ref().map(|committer| committer.report());
        self.report.store(Arc::new(report));
    }

    fn reconcile(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut hints = hints.cloned();
        for _ in 0..OVERTAKEN_MAX {
            // Edits are written first, so that no run reverts one. An edit ends when the site has read its file.
            let edits = self.write_edits()?;
            log_problems(&unknown(&edits.blocked.problems, &self.blocked));
            self.blocked.clone_from(&edits.blocked.problems);
            if let Some(hints) = &mut hints {
                // These files were just written, so the run reads them without waiting for the
                // watch.
                hints.extend(edits.paths().into_iter().map(str::to_owned));
            }
            let reconciler = &mut self.reconciler;
            let outcome = reconciler.run_with_edits(hints.as_ref(), &edits, true, progress)?;
            match outcome {
                RunOutcome::Applied(new_diagnostics) => {
                    // Only once editors see the new files. The run has reduced these edits already,
                    // so a crash before this repeats nothing.
                    if !edits.written.is_empty() {
                        self.site.write(|change| {
                            change.end_file_edits(&edits.written, &edits.to_commit)
                        })?;
                    }
                    log_problems(&new_diagnostics);
                    self.publish();
                    return Ok(());
                }
                // The site has not read the files yet, so the edits stay stored, without the parts that the files
                // contain.
                RunOutcome::Refused(_) | RunOutcome::Overtaken => {
                    self.site.write(|change| {
                        change.reduce_file_edits(&edits.written, &edits.to_commit)
                    })?;
                }
            }
        }
        Err(edits_come_too_fast())
    }

    /// Writes waiting edits into their files.
    fn write_edits(&self) -> Result<WrittenEdits> {
        let Some(writer) = &self.writer else {
            return Ok(WrittenEdits::default());
        };
        let edits = writer.write_edits(&self.site)?;
        // Before the run, while the records still are the editors' versions.
        if !edits.conflicts.is_empty() {
            self.site.write(|change| edits.record_conflicts(change))?;
        }
        if !edits.deleted.is_empty() {
            self.site.write(|change| edits.delete_posts(change))?;
        }
        Ok(edits)
    }

    /// Records a failed run. A persistent error is logged once, because the next run is a second later.
    fn record_failure(&mut self, error: &Error) {
        let reason = error.cause();
        let before = self.failure.take();
        if before.as_ref().is_none_or(|before| before.reason != reason) {
            tracing::error!(
                cause = error.cause(),
                "cannot read the content folder into the store; retrying"
            );
        }
        let since = before.map_or_else(|| self.site.now(), |before| before.since);
        self.failure = Some(ReadFailure { since, reason });
        self.publish();
    }

    fn record_success(&mut self) {
        if self.failure.take().is_some() {
            tracing::info!("the content folder was read into the store again");
            self.publish();
        }
    }

    fn rescan(&self) -> Duration {
        if self.watch.is_blind() {
            self.options.rescan.min(BLIND_RESCAN)
        } else {
            self.options.rescan
        }
    }
}

/// Waits until nothing has changed for `settle`, so that related changes become visible together. Returns all changes, or
/// `None` if the program stops.
fn settled(first: Change, receiver: &Receiver<Signal>, settle: Duration) -> Option<Change> {
    // A file that changes all the time must not delay the changes of others without end.
    let end = Instant::now() + settle * UNSETTLED_MAX;
    let mut change = first;
    while Instant::now() < end {
        match receiver.recv_timeout(settle) {
            Ok(Signal::Changed(more)) => change = change.and(more),
            // Edits are written before the next run in any case.
            Ok(Signal::Edited) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(change)
}

/// Returns the error of a run that edits overtook repeatedly.
pub(crate) fn edits_come_too_fast() -> Error {
    Error::new(
        Kind::UpdateCollision,
        "The files cannot be read while they are edited this fast.",
    )
}

/// Logs diagnostics.
pub(crate) fn log_problems(problems: &[Diagnostic]) {
    for group in DiagnosticGroup::all(problems) {
        if group.is_error() {
            tracing::error!(diagnostics = %group, "a content file cannot be used")
        } else {
            tracing::warn!(diagnostics = %group, "a content file is used with changes")
        }
    }
}
