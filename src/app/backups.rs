//! The regular backups of a site that is being served.

use std::{cell::Cell, sync::Arc};

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    backup::{BackedUpSite, BackupSchedule, BackupStatus, Destination, ScheduleOptions},
    config::Config,
    control::{ControlContext, refuse_served},
    error::Result,
    leadership::{Leadership, Workers},
    site::{LeasedSite, Work},
    themes::Themes,
};

/// The folder within a destination by which it is compared with the folders of the site.
const FOLDER: &str = "states";

/// Returns the state of the backups before the first one, if there are any.
pub fn status(config: &Config) -> Option<Arc<ArcSwap<BackupStatus>>> {
    let options = config.backups.as_ref()?;
    Some(Arc::new(ArcSwap::from_pointee(BackupStatus {
        destination: options.destination.to_string(),
        ..BackupStatus::default()
    })))
}

/// Makes the backups, if there are any, whenever this process leads.
///
/// # Errors
///
/// If the system cannot create a thread.
pub fn lead(
    leadership: &mut Leadership,
    config: &Config,
    subject: &Arc<ControlContext>,
) -> std::result::Result<(), AppError> {
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
) -> std::result::Result<Workers, AppError> {
    let (destination, context) = (options.destination.clone(), Arc::clone(&subject));
    let is_checked = Cell::new(false);
    let prepare = move || {
        // Another process may have taken over since the backup became due.
        site.check_lead().map_err(|error| error.cause())?;
        let prepared = prepare(&context, (!is_checked.get()).then_some(&destination));
        is_checked.set(prepared.is_ok());
        prepared.map_err(|error| error.cause())
    };
    let source = BackedUpSite {
        site: Arc::clone(&subject.site),
        uploads: subject.uploads.clone(),
        data: subject.data.clone(),
        prepare: Box::new(prepare),
    };
    let schedule = BackupSchedule::start(options.clone(), source, Arc::clone(status))?;
    Ok(Box::new(schedule))
}

/// Refuses a new destination from which the site is served, and brings the files of themes up to date.
fn prepare(context: &ControlContext, destination: Option<&Destination>) -> Result<()> {
    if let Some(Destination::Folder(folder)) = destination {
        refuse_served(context, &folder.join(FOLDER))?;
    }
    if context.uploads.bucket().is_some() {
        Themes::of(&context.uploads).all()?;
    }
    Ok(())
}
