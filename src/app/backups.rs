//! The regular backups of a site that is being served.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwap;

use crate::{
    backup::{BackupSchedule, BackupStatus},
    clock::SystemClock,
    config::Config,
    control::{self, Command, ControlContext, Reply},
    import::Progress,
};

/// Returns the state of the backups before the first one, if there are any.
pub fn status(config: &Config) -> Option<Arc<ArcSwap<BackupStatus>>> {
    let options = config.backups.as_ref()?;
    Some(Arc::new(ArcSwap::from_pointee(BackupStatus {
        destination: options.destination.to_string(),
        ..BackupStatus::default()
    })))
}

/// Starts the backups, if there are any. They are written as by the command.
pub fn start(config: &Config, subject: &Arc<ControlContext>) -> io::Result<Option<BackupSchedule>> {
    let (Some(options), Some(status)) = (&config.backups, &subject.backups) else {
        return Ok(None);
    };
    let data = subject.data.clone();
    let subject = Arc::clone(subject);
    let write = move |options, stopping: &AtomicBool| {
        let command = Command::Backup(options);
        match control::execute(&subject, &command, &Stopping(stopping)) {
            Reply::Failed(why) => Err(why),
            _ => Ok(()),
        }
    };
    let (options, status) = (options.clone(), Arc::clone(status));
    BackupSchedule::start(
        options,
        data,
        Arc::new(SystemClock),
        status,
        Box::new(write),
    )
    .map(Some)
}

/// Cancels a backup when the program stops.
struct Stopping<'a>(&'a AtomicBool);

impl Progress for Stopping<'_> {
    fn advance(&self, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
