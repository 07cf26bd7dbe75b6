//! The regular backups of a site that is being served.

use std::sync::{Arc, atomic::AtomicBool};

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    backup::{BackupSchedule, BackupStatus, ScheduleOptions},
    clock::SystemClock,
    config::Config,
    control::{self, Command, ControlContext, Reply},
    leadership::{Leadership, Workers},
    progress::UntilStopped,
    site::{LeasedSite, Work},
};

/// Most files that are missing in a backup and logged.
const LOGGED_MAX: usize = 10;

/// Returns the state of the backups before the first one, if there are any.
pub fn status(config: &Config) -> Option<Arc<ArcSwap<BackupStatus>>> {
    let options = config.backups.as_ref()?;
    Some(Arc::new(ArcSwap::from_pointee(BackupStatus {
        destination: options.destination.to_string(),
        ..BackupStatus::default()
    })))
}

/// Makes the backups, if there are any, whenever this process leads. They are written as by the
/// command.
///
/// # Errors
///
/// If the system cannot create a thread.
pub fn lead(
    leadership: &mut Leadership,
    config: &Config,
    subject: &Arc<ControlContext>,
) -> Result<(), AppError> {
    let (Some(options), Some(status)) = (&config.backups, &subject.backups) else {
        return Ok(());
    };
    let (options, status) = (options.clone(), Arc::clone(status));
    let subject = Arc::clone(subject);
    leadership.lead(Work::Backups, move |site| {
        start(site, &options, &status, Arc::clone(&subject))
    })
}

fn start(
    site: LeasedSite,
    options: &ScheduleOptions,
    status: &Arc<ArcSwap<BackupStatus>>,
    subject: Arc<ControlContext>,
) -> Result<Workers, AppError> {
    let data = subject.data.clone();
    let write = move |options, stopping: &AtomicBool| {
        // Another process may have taken over since the backup became due.
        site.check_lead().map_err(|error| error.to_string())?;
        let command = Command::Backup(options);
        match control::execute(&subject, &command, &UntilStopped(stopping)) {
            Reply::Failed(why) => Err(why),
            Reply::BackedUp(report) => {
                let left_out = report.left_out.len();
                for file in report.left_out.iter().take(LOGGED_MAX) {
                    tracing::warn!(file, left_out, "a file is not in the backup");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    };
    let schedule = BackupSchedule::start(
        options.clone(),
        data,
        Arc::new(SystemClock),
        Arc::clone(status),
        Box::new(write),
    )?;
    Ok(Box::new(schedule))
}
