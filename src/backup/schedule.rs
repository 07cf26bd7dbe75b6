//! Regular backups, while the site is served.
//!
//! The time of the last backup is that in its name at the destination, so nothing is stored here:
//! after a restart, or on another machine, the next one is made when it is due.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{BackupOptions, Destination, StoredBackup};
use crate::{
    clock::Clock,
    interruption::Interruption,
    periodic_thread::{PeriodicThread, StopSignal},
    progress::UntilStopped,
};

/// First pause after a failure, doubled by each further one, and the longest.
const PAUSE_MIN: Duration = Duration::from_secs(30);
const PAUSE_MAX: Duration = Duration::from_secs(3600);

/// Time by which the clock of the process that wrote a backup may be ahead of this one.
const AHEAD_MAX: Duration = Duration::from_secs(300);

/// Longest wait before the time is looked at again: a machine may have slept.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The options of regular backups.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// The destination.
    pub destination: Destination,
    /// The time between two.
    pub every: Duration,
    /// The number of backups that are not deleted.
    pub keep: usize,
}

/// The state of regular backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// The destination.
    pub destination: String,
    /// The newest backup, if there is one.
    pub last: Option<StoredBackup>,
    /// Duration in seconds, if this process made it.
    pub last_seconds: Option<u64>,
    /// Backups that failed since the start of the process.
    pub failures: u64,
    /// The current failure.
    pub failure: Option<BackupFailure>,
}

/// A failed backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFailure {
    /// The reason.
    pub message: String,
    /// The time of the last attempt.
    pub failed_at: Timestamp,
    /// The number of consecutive failed attempts.
    pub attempts: u32,
}

/// Writes a backup of the site to the target; gives up when the flag is set.
pub type WriteBackup = Box<dyn Fn(BackupOptions, &AtomicBool) -> Result<(), String> + Send>;

/// Makes regular backups until it is dropped.
pub struct BackupSchedule {
    stopping: Arc<AtomicBool>,
    interruption: Interruption,
    _thread: PeriodicThread,
}

impl BackupSchedule {
    /// Starts the thread that makes backups of the site in the data folder `data` by `write`.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(
        options: ScheduleOptions,
        data: PathBuf,
        clock: Arc<dyn Clock>,
        status: Arc<ArcSwap<BackupStatus>>,
        write: WriteBackup,
    ) -> std::io::Result<Self> {
        let stopping = Arc::new(AtomicBool::new(false));
        let interruption = Interruption::default();
        let destination = options.destination.with_interruption(interruption.clone());
        let task = BackupTask {
            options: ScheduleOptions {
                destination,
                ..options
            },
            data,
            clock,
            status,
            write,
            stopping: Arc::clone(&stopping),
        };
        let thread = PeriodicThread::start("backups", move |stop| task.run(stop))?;
        Ok(Self {
            stopping,
            interruption,
            _thread: thread,
        })
    }
}

impl Drop for BackupSchedule {
    fn drop(&mut self) {
        // Before the thread is dropped, which waits for a backup under way.
        self.stopping.store(true, Ordering::SeqCst);
        // The flag is not seen while a request to the bucket waits for its response.
        self.interruption.interrupt();
    }
}

struct BackupTask {
    options: ScheduleOptions,
    data: PathBuf,
    clock: Arc<dyn Clock>,
    status: Arc<ArcSwap<BackupStatus>>,
    write: WriteBackup,
    stopping: Arc<AtomicBool>,
}

impl BackupTask {
    fn run(&self, stop: &StopSignal) {
        let mut pause = Duration::ZERO;
        let mut is_known = false;
        while stop.wait(pause) {
            let done = if is_known {
                self.back_up_if_due()
            } else {
                self.find_last()
            };
            pause = match done {
                Ok(()) => {
                    is_known = true;
                    self.until_due().min(WAIT_MAX)
                }
                Err(message) => self.failed(message),
            };
        }
    }

    fn find_last(&self) -> Result<(), String> {
        let backups = self
            .options
            .destination
            .list()
            .map_err(|error| error.to_string())?;
        // One of the future would prevent all others until then.
        let latest = self.clock.now() + AHEAD_MAX;
        let last = backups
            .into_iter()
            .rev()
            .find(|backup| backup.created_at <= latest);
        self.change(|status| status.last = last.clone());
        Ok(())
    }

    fn until_due(&self) -> Duration {
        match &self.status.load().last {
            Some(last) => {
                let passed = self.clock.now().duration_since(last.created_at);
                let passed = Duration::try_from(passed).unwrap_or_default();
                self.options.every.saturating_sub(passed)
            }
            None => Duration::ZERO,
        }
    }

    fn back_up_if_due(&self) -> Result<(), String> {
        if !self.until_due().is_zero() {
            return Ok(());
        }
        let destination = &self.options.destination;
        let started = Instant::now();
        let name = Destination::new_name(self.clock.now());
        let reason = |error: super::BackupError| error.to_string();
        let target = destination.target(&name);
        let path = target.path(&self.data);
        let overwrites = matches!(target, super::BackupTarget::PassedOn(_));
        (self.write)(BackupOptions { target, overwrites }, &self.stopping)?;
        let stored = destination
            .accept(&name, &path, &UntilStopped(&self.stopping))
            .map_err(reason)?;
        tracing::info!(%destination, name, bytes = stored.bytes, "the site was backed up");
        self.change(|status| {
            status.last = Some(stored.clone());
            status.last_seconds = Some(started.elapsed().as_secs());
            status.failure = None;
        });
        destination
            .delete_old(self.options.keep, &name)
            .map_err(reason)
    }

    /// Notes a failure. Returns the pause before the next attempt.
    fn failed(&self, message: String) -> Duration {
        let attempts = self
            .status
            .load()
            .failure
            .as_ref()
            .map_or(0, |failure| failure.attempts);
        let pause = PAUSE_MIN
            .saturating_mul(1 << attempts.min(10))
            .min(PAUSE_MAX);
        let pause = pause.min(self.options.every);
        // A backup that the end of the process broke off has not failed.
        if self.stopping.load(Ordering::Relaxed) {
            return pause;
        }
        tracing::error!(error = message, again_in = ?pause, "the site could not be backed up");
        let failed_at = self.clock.now();
        self.change(|status| {
            status.failures += 1;
            status.failure = Some(BackupFailure {
                message: message.clone(),
                failed_at,
                attempts: attempts + 1,
            });
        });
        pause
    }

    fn change(&self, change: impl Fn(&mut BackupStatus)) {
        let mut status = BackupStatus::clone(&self.status.load());
        change(&mut status);
        self.status.store(Arc::new(status));
    }
}
