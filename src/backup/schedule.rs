//! Regular backups, while the site is served.
//!
//! A whole state is written at intervals, and the changes between them soon after they are made, so
//! that the failure of the machine loses little. The location has the last moment, so nothing is
//! stored here: after a restart, or on another machine, the next one follows it.

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

/// First pause after a failure, doubled by each further one, and the longest.
const PAUSE_MIN: Duration = Duration::from_secs(30);
const PAUSE_MAX: Duration = Duration::from_secs(300);

/// Shortest and longest time between two checks for changes. The store knows the keys of the latest
/// commits only, so they are collected often.
const CHECK_MIN: Duration = Duration::from_millis(50);
const CHECK_MAX: Duration = Duration::from_secs(5);

/// Longest time between two requests whether the destination still has the last moment, while nothing changes.
const CONFIRM_MAX: Duration = Duration::from_secs(300);

/// Most files that are missing in a backup and logged.
const LOGGED_MAX: usize = 10;

/// The options of regular backups.
#[derive(Clone, Debug)]
pub struct ScheduleOptions {
    /// The destination.
    pub destination: Destination,
    /// The time between two whole states.
    pub every: Duration,
    /// The number of whole backups in one file that are not deleted after another one.
    pub keep: usize,
    /// The time for which every moment can be restored.
    pub retention: Duration,
    /// Longest time between a change and its backup.
    pub max_loss: Duration,
    /// The moment at which the process ends, once it is stopping. Until then, the latest changes are
    /// backed up.
    pub stopping: Interruption,
}

/// The state of regular backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// The destination.
    pub destination: String,
    /// The newest backup, with the bytes that were written for it, if there is one.
    pub last: Option<StoredBackup>,
    /// Duration in seconds, if this process made it.
    pub last_seconds: Option<u64>,
    /// Time until which all changes are in a backup.
    #[serde(default)]
    pub covered_until: Option<Timestamp>,
    /// Bytes that were written since the start of the process.
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

/// Prepares the site for a backup, or refuses it.
pub type PrepareBackup = Box<dyn Fn() -> Result<(), String> + Send>;

/// The site that is backed up.
pub struct BackedUpSite {
    /// The site.
    pub site: Arc<Site>,
    /// Its uploads.
    pub uploads: Uploads,
    /// Its data folder.
    pub data: PathBuf,
    /// Is called before each backup.
    pub prepare: PrepareBackup,
}

/// Ignores progress, and cancels the work at the moment.
impl Progress for Interruption {
    fn advance(&self, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.is_due()
    }
}

/// Makes regular backups until it is dropped.
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
    /// Breaks off a backup under way. Otherwise the latest changes are backed up, if the process is stopping: if
    /// another one leads from now on, it does that.
    fn drop(&mut self) {
        // Before the thread is dropped, which waits for its work.
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
    /// `None` until the location was reached.
    writer: Option<IncrementalWriter>,
    /// The device of the disk on which the location was when it was reached first.
    disk: Option<u64>,
    /// When the oldest change that is not in a backup was noticed.
    changed_at: Option<Instant>,
    /// When the location had all changes, as it was last known.
    confirmed_at: Option<Instant>,
    /// The time of the next attempt after a failure.
    retry_at: Option<Instant>,
}

impl BackupTask {
    fn run(&mut self, stop: &StopSignal) {
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
        // Otherwise another process leads from now on, and continues.
        let is_stopping = self.options.stopping.moment().is_some();
        if let Err(error) = self.finish()
            && is_stopping
        {
            let destination = &self.options.destination;
            tracing::warn!(%destination, %error, "the latest changes are not in the backup");
        }
    }

    /// Backs up the latest changes, when the process is stopping. The destination may be back after a failure.
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

    /// Runs work that writes to the destination. The end of the process interrupts it.
    fn writing<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.is_writing.store(true, Ordering::SeqCst);
        let result = work(self);
        self.is_writing.store(false, Ordering::SeqCst);
        result
    }

    /// Makes the backup that is due, if one is.
    fn step(&mut self) -> Result<(), BackupError> {
        let now = self.source.site.now();
        let has_changes = match &mut self.writer {
            // Also before the next attempt, since the store knows the latest changes only.
            Some(writer) => writer.collect(&self.source.site)?,
            None => false,
        };
        if self.retry_at.is_some_and(|time| Instant::now() < time) {
            return Ok(());
        }
        let Some(writer) = &self.writer else {
            return self.writing(Self::begin);
        };
        if self.is_state_due(writer, now) {
            return self.writing(|task| task.write(true));
        }
        if !has_changes {
            self.changed_at = None;
            return self.confirm(now);
        }
        let noticed = *self.changed_at.get_or_insert_with(Instant::now);
        if noticed.elapsed() >= self.options.max_loss / 2 {
            self.writing(|task| task.write(false))?;
        }
        Ok(())
    }

    /// Notes that there are no changes, if the location still has the last moment; otherwise a state is written. It is
    /// requested as often as a loss may be long.
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

    /// Notes that all changes until `time` are in a backup.
    fn covered(&mut self, time: Timestamp) {
        self.confirmed_at = Some(Instant::now());
        self.change(|status| status.covered_until = Some(time));
    }

    fn is_state_due(&self, writer: &IncrementalWriter, now: Timestamp) -> bool {
        let Some(last) = writer.last_state_at() else {
            return true;
        };
        // Otherwise none would be due until the time of one that a clock which was ahead wrote.
        if last > now + AHEAD_MAX {
            return true;
        }
        let passed = Duration::try_from(now.duration_since(last)).unwrap_or_default();
        passed >= self.options.every
    }

    /// Reaches the location.
    fn begin(&mut self) -> Result<(), BackupError> {
        self.prepare()?;
        let destination = self.options.destination.clone();
        let location = Location::new(destination, &self.source.data);
        let disk = location.disk();
        // An empty folder below the mount point of a disk that was unmounted, whose backups would fill the disk of the
        // system. The same disk may have another device after it was mounted again.
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
        // Changes since the last moment may have waited long.
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

    /// Notes that the location was reached.
    fn recovered(&mut self) {
        self.retry_at = None;
        let Some(failure) = &self.status.load().failure else {
            return;
        };
        let (destination, attempts) = (&self.options.destination, failure.attempts);
        tracing::info!(%destination, attempts, "the site can be backed up again");
        self.change(|status| status.failure = None);
    }

    /// Notes a failure. The first of several is logged.
    fn failed(&mut self, message: String) {
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
        self.retry_at = Some(Instant::now() + pause);
        // A backup that the end of the process broke off has not failed.
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
        let mut status = BackupStatus::clone(&self.status.load());
        change(&mut status);
        self.status.store(Arc::new(status));
    }
}
