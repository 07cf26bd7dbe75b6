//! Follows a content folder: a thread that makes the site agree with it whenever it changes, on a timer, and when a
//! scheduled post's time has come.
//!
//! What the system reports is a hint only. A full look happens at the start, on a timer, and after any report that is more
//! than "this known file was written"; so a lost report costs delay and never truth.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use super::{ContentReport, Diagnostic, Progress, Reconciler, Silent};
use crate::{error::Result, site::Site};

/// How often the folder is looked at when the system cannot report changes.
const BLIND_RESCAN: Duration = Duration::from_secs(2);

/// How a folder is followed.
#[derive(Clone, Copy, Debug)]
pub struct FollowerOptions {
    /// How long files must be quiet before they are read.
    pub settle: Duration,
    /// How often the whole folder is looked at, whatever is reported.
    pub rescan: Duration,
}

/// Follows a content folder until it is dropped.
pub struct Follower {
    sender: Sender<Signal>,
    report: Arc<ArcSwap<ContentReport>>,
    thread: Option<JoinHandle<()>>,
    _watcher: Option<Watcher>,
}

type Watcher = Debouncer<RecommendedWatcher, RecommendedCache>;

/// What wakes the thread.
enum Signal {
    /// These files were written, and nothing else happened.
    Written(BTreeSet<String>),
    /// Anything may have happened.
    Unclear,
    /// The program stops.
    Stop,
}

impl Follower {
    /// Makes `site` agree with the folder `root`, and then follows it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written.
    pub fn start(
        site: Arc<Site>,
        root: PathBuf,
        options: FollowerOptions,
        progress: &dyn Progress,
    ) -> Result<Self> {
        // Links in the path of the folder are resolved once, so that reports and walks speak of the same paths.
        let root = root.canonicalize().unwrap_or(root);
        let (sender, receiver) = mpsc::channel();
        // Before the first run, so that nothing is missed in between.
        let watcher = watch(&root, options.settle, sender.clone());
        let mut reconciler = Reconciler::new(Arc::clone(&site), root)?;
        tell(&reconciler.run(None, progress)?);
        let report = Arc::new(ArcSwap::from_pointee(reconciler.report()));
        let rescan = match &watcher {
            Some(_) => options.rescan,
            None => options.rescan.min(BLIND_RESCAN),
        };
        let following = Following {
            site,
            reconciler,
            report: Arc::clone(&report),
            rescan,
        };
        let thread = thread::Builder::new()
            .name("content files".to_owned())
            .spawn(move || following.run(&receiver))
            .map_err(crate::error::Error::internal)?;
        Ok(Self {
            sender,
            report,
            thread: Some(thread),
            _watcher: watcher,
        })
    }

    /// What is known of the folder, as it changes.
    pub fn report(&self) -> Arc<ArcSwap<ContentReport>> {
        Arc::clone(&self.report)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let (Ok(()), Some(thread)) = (self.sender.send(Signal::Stop), self.thread.take()) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// The thread's own.
struct Following {
    site: Arc<Site>,
    reconciler: Reconciler,
    report: Arc<ArcSwap<ContentReport>>,
    rescan: Duration,
}

impl Following {
    fn run(mut self, receiver: &Receiver<Signal>) {
        loop {
            let next_due = self.publish_due();
            let hints = match receiver.recv_timeout(self.wait(next_due)) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Signal::Written(paths)) => Some(paths),
                Ok(Signal::Unclear) | Err(RecvTimeoutError::Timeout) => None,
            };
            match self.reconciler.run(hints.as_ref(), &Silent) {
                Ok(problems) => tell(&problems),
                Err(error) => {
                    tracing::error!(%error, "the content folder could not be read into the store; trying again")
                }
            }
            self.report.store(Arc::new(self.reconciler.report()));
        }
    }

    /// Publishes what is due, and tells when the next is.
    fn publish_due(&self) -> Option<Timestamp> {
        let outcome = self.site.write(|transaction| transaction.publish_due());
        outcome.unwrap_or_else(|error| {
            tracing::error!(%error, "what is due could not be published; trying again");
            None
        })
    }

    /// How long to wait: until the next look, or until a post is due if that comes first.
    fn wait(&self, next_due: Option<Timestamp>) -> Duration {
        let until_due = next_due.map(|due| due.duration_since(self.site.now()));
        match until_due.map(Duration::try_from) {
            Some(Ok(until_due)) => self.rescan.min(until_due + Duration::from_millis(1)),
            Some(Err(_)) => Duration::ZERO,
            None => self.rescan,
        }
    }
}

/// Begins to watch `root`; `None`, with a warning, when the system does not allow it.
fn watch(root: &Path, settle: Duration, sender: Sender<Signal>) -> Option<Watcher> {
    let below = root.to_owned();
    let report = move |outcome: DebounceEventResult| {
        // The receiver is gone only when the program stops.
        let _ = sender.send(signal(&below, outcome));
    };
    let watching = new_debouncer(settle, None, report).and_then(|mut watcher| {
        watcher
            .watch(root, RecursiveMode::Recursive)
            .map(|()| watcher)
    });
    watching
        .inspect_err(|error| {
            tracing::warn!(%error, "the system does not report changes of the content folder; it is looked at every two seconds");
        })
        .ok()
}

/// What a report amounts to.
fn signal(root: &Path, outcome: DebounceEventResult) -> Signal {
    let Ok(events) = outcome else {
        return Signal::Unclear;
    };
    let mut written = BTreeSet::new();
    for event in &events {
        match event.kind {
            EventKind::Access(_) => {}
            EventKind::Modify(notify::event::ModifyKind::Data(_)) if !event.need_rescan() => {
                let paths = event
                    .paths
                    .iter()
                    .map(|path| path.strip_prefix(root).ok()?.to_str());
                for path in paths {
                    match path {
                        Some(path) => written.insert(path.to_owned()),
                        None => return Signal::Unclear,
                    };
                }
            }
            _ => return Signal::Unclear,
        }
    }
    Signal::Written(written)
}

/// Writes problems to the log.
fn tell(problems: &[Diagnostic]) {
    for problem in problems {
        match problem.is_error() {
            true => tracing::error!("{problem}"),
            false => tracing::warn!("{problem}"),
        }
    }
}
