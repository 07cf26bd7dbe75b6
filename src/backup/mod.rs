//! Backs up a whole site into one file while it is served, and restores it into a data folder.
//!
//! A backup is a zip archive of the store as of one commit, the uploads, the themes, and
//! `manifest.json`, which lists them with their lengths and hashes. The files are laid out as in the
//! data folder, and nothing is compressed: the store can be opened inside the backup, images would
//! not shrink, and the whole file can be compressed afterwards. The file ends with a hash of
//! everything before it, so any damage is detected.
//!
//! The store is copied record by record from one snapshot
//! ([`write_copy`](crate::store::redb::write_copy)). Uploads exist before a commit refers to them and
//! never change, so the uploads found afterwards include all that the commit refers to. Reading and
//! writing continue meanwhile. All files of a theme are read from the same version of the theme, or
//! the backup starts again.
//!
//! Backups can be collected at a [`Destination`], a folder or a bucket. Each backup is verified there
//! before older ones are deleted. [`BackupSchedule`] writes regular backups, which share unchanged
//! content (`increments`).

mod destination;
mod error;
mod folder_times;
mod increments;
mod limits;
mod manifest;
mod named_files;
mod read;
mod report;
mod restore;
mod restore_point;
mod schedule;
mod seal;
mod target;
mod transfer;
mod uploads;
mod write;

pub use destination::{Destination, StoredBackup};
pub use error::{BackupError, Damage};
pub use increments::{
    AHEAD_MAX, FORMAT as INCREMENTS_FORMAT, History, IncrementalWriter, Location, LocationVerdict,
    Moment, MomentName, RetentionTime, SegmentOutcome, SiteSource, WrittenMoment,
    check as check_location, is_location,
};
pub use limits::FILES_MAX;
pub use manifest::{FORMAT, FileEntry, Manifest};
pub use read::{Backup, Contents, Verdict};
pub use report::BackupReport;
pub use restore::{RestoreInProgress, clear_abandoned, refuse_unfinished, restore};
pub use restore_point::{RestorePoint, listed_backups, restore_points};
pub use schedule::{
    BackedUpSite, BackupFailure, BackupSchedule, BackupStatus, PrepareBackup, ScheduleOptions,
};
pub use target::{BackupOptions, BackupTarget};
pub use transfer::{CopiedUploads, CopyUploadsError, copy_uploads};
pub use write::write;

use crate::data_folder::STORE;
