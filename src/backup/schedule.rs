//! Regular backups while the site is served.
//!
//! A whole state is written at intervals, and the changes in between soon after they are made, so that little is lost
//! if the machine fails. The location contains the last moment, so no state is retained on this machine: after a restart,
//! or on another machine, the next moment follows it.

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

use super::{
    AHEAD_MAX, BackupError, Destination, History, IncrementalWriter, Location, RetentionTime,
    SegmentOutcome, SiteSource, StoredBackup, WrittenMoment,
};
use crate::{
    background,
    interruption::Interruption,
    periodic_thread::{PeriodicThread, StopSignal},
    progress::Progress,
    site::Site,
    uploads::Uploads,
};

/// First pause after a failure, doubled after each further failure, and its maximum.
const PAUSE_MIN: Duration = Duration::from_secs(30);
const PAUSE_MAX: Duration = Duration::from_secs(300);

/// Minimum and maximum time between two checks for changes. The store only knows the keys of the latest commits, so
/// they are collected often.
const CHECK_MIN: Duration = Duration::from_millis(50);
const CHECK_MAX: Duration = Duration::from_secs(5);

/// Maximum time between two checks that the destination still has the last moment, while nothing changes.
const CONFIRM_MAX: Duration = Duration::from_secs(300);

/// Maximum number of files that are logged as missing in a backup.
const LOGGED_MAX: usize = 10;

/// The options of regular backups.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// The destination.
    pub destination: Destination,
    /// The time between two whole states.
    pub every: Duration,
    /// The number of whole backups in one file that are retained after a new one.
    pub keep: usize,
    /// The time for which every moment can be restored.
    pub retention: Duration,
    /// Maximum time between a change and its backup.
    pub max_loss: Duration,
    /// The time at which the process ends, set when it is stopping. Until then, the latest changes are backed up.
    pub stopping: Interruption,
}

/// The state of regular backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// The destination.
    pub destination: String,
    /// The newest backup, if any, with the number of bytes that were written for it.
    pub last: Option<StoredBackup>,
    /// Duration of the newest backup in seconds, if this process wrote it.
    pub last_seconds: Option<u64>,
    /// Time up to which all changes are in a backup.
    #[serde(default)]
    pub covered_until: Option<Timestamp>,
    /// Bytes written since the start of the process.
    #[serde(default)]
    pub written_bytes: u64,
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

/// Prepares the site for a backup, or returns the reason why it cannot be backed up.
pub type PrepareBackup = Box<dyn Fn() -> Result<(), String> + Send>;

/// The site that is backed up.
pub struct BackedUpSite {
    /// The site.
    pub site: Arc<Site>,
    /// Its uploads.
    pub uploads: Uploads,
    /// Its data folder.
    pub data: PathBuf,
    /// Called before each backup.
    pub prepare: PrepareBackup,
}

/// Ignores progress, and cancels the work when the interruption is due.
impl Progress for Interruption {
    fn advance(&self, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.is_due()
    }
}

/// Makes regular backups until dropped.
pub struct BackupSchedule {
    stopping: Interruption,
    interruption: Interruption,
    is_writing: Arc<AtomicBool>,
    _thread: PeriodicThread,
}

impl BackupSchedule {
    /// Starts the thread that makes backups.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(
        options: ScheduleOptions,
        source: BackedUpSite,
        status: Arc<ArcSwap<BackupStatus>>,
    ) -> std::io::Result<Self> {
        // Ends requests and work. `stopping` alone does not: until its moment, the latest changes
        // are still backed up.
        let interruption = Interruption::default();
        let is_writing = Arc::new(AtomicBool::new(false));
        let stopping = options.stopping.clone();
        let destination = options.destination.with_interruption(interruption.clone());
        let mut task = BackupTask {
            options: ScheduleOptions {
                destination,
                ..options
            },
            source,
            status,
            interruption: interruption.clone(),
            is_writing: Arc::clone(&is_writing),
            writer: None,
            disk: None,
            changed_at: None,
            confirmed_at: None,
            retry_at: None,
        };
        let thread = PeriodicThread::start("backups", move |stop| task.run(stop))?;
        Ok(Self {
            stopping,
            interruption,
            is_writing,
            _thread: thread,
        })
    }
}

impl Drop for BackupSchedule {
    /// Interrupts a backup in progress. Otherwise, if the process is stopping, backs up the latest changes until the
    /// interruption is due. If another process takes over, that process backs up the changes.
    fn drop(&mut self) {
        // Before the thread is dropped, because dropping it waits for its work.
        match self.stopping.moment() {
            Some(moment) if !self.is_writing.load(Ordering::SeqCst) => {
                self.interruption.interrupt_at(moment);
            }
            _ => self.interruption.interrupt(),
        }
    }
}

struct BackupTask {
    options: ScheduleOptions,
    source: BackedUpSite,
    status: Arc<ArcSwap<BackupStatus>>,
    interruption: Interruption,
    is_writing: Arc<AtomicBool>,
    /// `None` until the location has been reached.
    writer: Option<IncrementalWriter>,
    /// The device of the disk that contained the location when it was first reached.
    disk: Option<u64>,
    /// When the oldest change that is not backed up was noticed.
    changed_at: Option<Instant>,
    /// When the location was last known to have all changes.
    confirmed_at: Option<Instant>,
    /// The time of the next attempt after a failure.
    retry_at: Option<Instant>,
}

impl BackupTask {
    fn run(&mut self, stop: &StopSignal) {
        // Hashing and compressing must not delay requests.
        background::lower_own_priority();
        let interval = (self.options.max_loss / 4).clamp(CHECK_MIN, CHECK_MAX);
        let interval = interval.min(self.options.every);
        let mut pause = Duration::ZERO;
        while stop.wait(pause) {
            if let Err(error) = self.step() {
                if matches!(error, BackupError::ClaimGone(_)) {
                    // The next attempt claims the location again.
                    self.writer = None;
                }
                self.failed(error.to_string());
            }
            pause = interval;
        }
        // If the process is not stopping, another process has taken over and continues.
        let is_stopping = self.options.stopping.moment().is_some();
        if let Err(error) = self.finish()
            && is_stopping
        {
            let destination = &self.options.destination;
            tracing::warn!(%destination, %error, "the latest changes are not in the backup");
        }
    }

    /// Backs up the latest changes when the process is stopping. After a failure, the destination may be available
    /// again.
    fn finish(&mut self) -> Result<(), BackupError> {
        if self.writer.is_none() {
            self.refuse_interrupted()?;
            self.begin()?;
        }
        let has_changes = match &mut self.writer {
            Some(writer) => writer.collect(&self.source.site)?,
            None => false,
        };
        if !has_changes {
            return Ok(());
        }
        self.refuse_interrupted()?;
        self.write(false)
    }

    fn refuse_interrupted(&self) -> Result<(), BackupError> {
        if self.interruption.is_due() {
            Err(BackupError::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Runs work that writes to the destination. It is interrupted when the process ends.
    fn writing<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        // Read by `drop` in another thread, which interrupts work in progress and lets an idle task
        // write once more.
        self.is_writing.store(true, Ordering::SeqCst);
        let result = work(self);
        self.is_writing.store(false, Ordering::SeqCst);
        result
    }

    /// Makes the backup that is due, if one is.
    fn step(&mut self) -> Result<(), BackupError> {
        let now = self.source.site.now();
        let has_changes = match &mut self.writer {
            // Also collects while waiting for the next attempt, because the store only knows the latest changes.
            Some(writer) => writer.collect(&self.source.site)?,
            None => false,
        };
        if self.retry_at.is_some_and(|time| Instant::now() < time) {
            return Ok(());
        }
        let Some(writer) = &self.writer else {
            return self.writing(Self::begin);
        };
        // Before the check for changes, because a state is written at its interval even if nothing
        // has changed.
        if self.is_state_due(writer, now) {
            return self.writing(|task| task.write(true));
        }
        if !has_changes {
            self.changed_at = None;
            return self.confirm(now);
        }
        let noticed = *self.changed_at.get_or_insert_with(Instant::now);
        // The other half remains for the interval of the checks and for writing.
        if noticed.elapsed() >= self.options.max_loss / 2 {
            self.writing(|task| task.write(false))?;
        }
        Ok(())
    }

    /// Records that there are no changes, if the location still has the last moment; otherwise writes a state. The
    /// location is checked at the interval of the maximum loss.
    fn confirm(&mut self, now: Timestamp) -> Result<(), BackupError> {
        let interval = self.options.max_loss.min(CONFIRM_MAX);
        let is_recent = |time: Instant| time.elapsed() < interval;
        if self.confirmed_at.is_some_and(is_recent) && self.retry_at.is_none() {
            return Ok(());
        }
        let has_last = match &self.writer {
            Some(writer) => writer.has_last()?,
            None => return Ok(()),
        };
        if !has_last {
            return self.writing(|task| task.write(false));
        }
        self.covered(now);
        self.recovered();
        Ok(())
    }

    /// Records that all changes up to `time` are in a backup.
    fn covered(&mut self, time: Timestamp) {
        self.confirmed_at = Some(Instant::now());
        self.change(|status| status.covered_until = Some(time));
    }

    fn is_state_due(&self, writer: &IncrementalWriter, now: Timestamp) -> bool {
        let Some(last) = writer.last_state_at() else {
            return true;
        };
        // A state from the future, written when a clock was ahead, would delay the next state until that time.
        if last > now + AHEAD_MAX {
            return true;
        }
        let passed = Duration::try_from(now.duration_since(last)).unwrap_or_default();
        passed >= self.options.every
    }

    /// Reaches the location and claims it.
    fn begin(&mut self) -> Result<(), BackupError> {
        self.prepare()?;
        let destination = self.options.destination.clone();
        let location = Location::new(destination, &self.source.data);
        let disk = location.disk();
        // The folder may be an empty mount point of a disk that was unmounted; backups there would fill the system's
        // disk. A disk that was mounted again may have a different device number, so only an empty folder is refused.
        if self.disk.is_some_and(|before| disk != Some(before))
            && History::read(&location)?.names().next().is_none()
        {
            return Err(BackupError::OtherDisk(location.to_string()));
        }
        let writer = IncrementalWriter::begin(location, &self.source.site, &self.source.data)?;
        let last = writer.last();
        self.change(|status| status.last = last.clone());
        self.writer = Some(writer);
        self.disk = disk;
        self.confirmed_at = None;
        // Changes since the last moment may have been waiting for long.
        self.changed_at = Instant::now().checked_sub(self.options.max_loss);
        self.recovered();
        Ok(())
    }

    fn prepare(&self) -> Result<(), BackupError> {
        (self.source.prepare)().map_err(BackupError::Refused)
    }

    /// Writes the changes since the last moment, or a whole state.
    fn write(&mut self, is_state: bool) -> Result<(), BackupError> {
        self.prepare()?;
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let started = (Instant::now(), self.source.site.now());
        let source = SiteSource {
            site: &self.source.site,
            uploads: &self.source.uploads,
        };
        let progress = &self.interruption;
        let outcome = if is_state {
            SegmentOutcome::StateNeeded
        } else {
            writer.write_segment(source, progress)?
        };
        let written = match outcome {
            SegmentOutcome::Written(segment) => Some(segment),
            SegmentOutcome::StateNeeded => Some(writer.write_state(source, progress)?),
            SegmentOutcome::Unchanged => None,
        };
        self.changed_at = None;
        // The time of the start: changes during the backup may not be in it.
        self.covered(started.1);
        self.recovered();
        let Some(written) = written else {
            return Ok(());
        };
        self.report(&written, started.0);
        if written.is_state
            && let Err(error) = self.delete_old()
            && !self.interruption.is_due()
        {
            let destination = &self.options.destination;
            tracing::warn!(%destination, %error, "old backups could not be deleted");
        }
        Ok(())
    }

    fn report(&self, written: &WrittenMoment, started: Instant) {
        let WrittenMoment { name, bytes, .. } = written;
        let destination = &self.options.destination;
        if written.is_state {
            tracing::info!(%destination, name, bytes, "the site was backed up");
        } else {
            tracing::debug!(%destination, name, bytes, "the changes were backed up");
        }
        let left_out = written.left_out.len();
        for file in written.left_out.iter().take(LOGGED_MAX) {
            tracing::warn!(file, left_out, "a file is not in the backup");
        }
        let last = StoredBackup {
            name: name.clone(),
            created_at: written.created_at,
            bytes: *bytes,
        };
        self.change(|status| {
            status.last = Some(last.clone());
            status.last_seconds = Some(started.elapsed().as_secs());
            status.written_bytes += bytes;
        });
    }

    fn delete_old(&mut self) -> Result<(), BackupError> {
        let time = RetentionTime {
            retention: self.options.retention,
            every: self.options.every,
        };
        let oldest = match &mut self.writer {
            Some(writer) => writer.delete_old(time)?,
            None => None,
        };
        oldest.map_or(Ok(()), |oldest| {
            self.options.destination.delete_before(oldest)
        })
    }

    /// Records that the location was reached.
    fn recovered(&mut self) {
        self.retry_at = None;
        let Some(failure) = &self.status.load().failure else {
            return;
        };
        let (destination, attempts) = (&self.options.destination, failure.attempts);
        tracing::info!(%destination, attempts, "the site can be backed up again");
        self.change(|status| status.failure = None);
    }

    /// Records a failure. The first of consecutive failures is logged as an error.
    fn failed(&mut self, message: String) {
        let attempts = self
            .status
            .load()
            .failure
            .as_ref()
            .map_or(0, |failure| failure.attempts);
        let pause = PAUSE_MIN
            // Limited, because a shift by 32 or more overflows.
            .saturating_mul(1 << attempts.min(10))
            .min(PAUSE_MAX);
        let pause = pause.min(self.options.every);
        self.retry_at = Some(Instant::now() + pause);
        // A backup that was interrupted by the end of the process has not failed.
        if self.interruption.is_due() {
            return;
        }
        if attempts == 0 {
            tracing::error!(error = message, again_in = ?pause, "the site could not be backed up");
        } else {
            tracing::debug!(error = message, again_in = ?pause, "the site could not be backed up");
        }
        let failed_at = self.source.site.now();
        self.change(|status| {
            status.failures += 1;
            status.failure = Some(BackupFailure {
                message: message.clone(),
                failed_at,
                attempts: attempts + 1,
            });
        });
    }

    fn change(&self, change: impl Fn(&mut BackupStatus)) {
        // Only the thread of this task changes the status, so a load and a store suffice.
        let mut status = BackupStatus::clone(&self.status.load());
        change(&mut status);
        self.status.store(Arc::new(status));
    }
}
