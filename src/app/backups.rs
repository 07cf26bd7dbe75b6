//! The scheduled backups of a site that is being served.

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

/// The folder of a destination that must not be served by the site.
const FOLDER: &str = "states";

/// Returns the initial status of the backups, if they are configured.
pub fn status(config: &Config) -> Option<Arc<ArcSwap<BackupStatus>>> {
    let options = config.backups.as_ref()?;
    Some(Arc::new(ArcSwap::from_pointee(BackupStatus {
        destination: options.destination.to_string(),
        ..BackupStatus::default()
    })))
}

/// Makes backups, if they are configured, whenever this process leads.
///
/// # Errors
///
/// If the system cannot create a thread.
pub fn lead(
    leadership: &mut Leadership,
    config: &Config,
    context: &Arc<ControlContext>,
) -> std::result::Result<(), AppError> {
    let (Some(options), Some(status)) = (&config.backups, &context.backups) else {
        return Ok(());
    };
    let (options, status) = (options.clone(), Arc::clone(status));
    let context = Arc::clone(context);
    leadership.lead(Work::Backups, move |site| {
        start(site, &options, &status, Arc::clone(&context))
    })
}

fn start(
    site: LeasedSite,
    options: &ScheduleOptions,
    status: &Arc<ArcSwap<BackupStatus>>,
    context: Arc<ControlContext>,
) -> std::result::Result<Workers, AppError> {
    let (destination, own_context) = (options.destination.clone(), Arc::clone(&context));
    // Accepted once: the check must precede the first backup, which creates the folder.
    let is_checked = Cell::new(false);
    let prepare = move || {
        // Another process may have become the leader since the backup became due.
        site.check_lead().map_err(|error| error.cause())?;
        let prepared = prepare(&own_context, (!is_checked.get()).then_some(&destination));
        is_checked.set(prepared.is_ok());
        prepared.map_err(|error| error.cause())
    };
    let source = BackedUpSite {
        site: Arc::clone(&context.site),
        uploads: context.uploads.clone(),
        data: context.data.clone(),
        prepare: Box::new(prepare),
    };
    let schedule = BackupSchedule::start(options.clone(), source, Arc::clone(status))?;
    Ok(Box::new(schedule))
}

/// Rejects a new destination in a folder that is served, and updates the local files of themes if
/// uploads are in a bucket.
fn prepare(context: &ControlContext, destination: Option<&Destination>) -> Result<()> {
    if let Some(Destination::Folder(folder)) = destination {
        refuse_served(context, &folder.join(FOLDER))?;
    }
    if context.uploads.bucket().is_some() {
        Themes::of(&context.uploads).all()?;
    }
    Ok(())
}
