//! Reconciles the site with a content folder: changed files and their dependents are read, and all changes become visible in
//! one commit.
//!
//! A run has four steps: *scan* (find changed files), *read* (parse them), *resolve* (settle conflicts of slugs, check
//! references), *apply* (save the records, with rendered Markdown, in one transaction). If a file has an error, the record of
//! its last valid version remains and the other files are applied; if the folder is one [`Unit`], nothing is applied. The
//! state is stored only if the commit succeeds.

mod accounts;
mod apply;
mod compare;
mod conversions;
mod folder_walk;
mod last_run;
mod preserved_values;
mod read;
mod reconciler;
mod records_without_file;
mod run;
mod scan;
mod slugs;
mod steps;
mod unread;

pub use self::reconciler::Reconciler;
pub use self::run::{Mark, RunOutcome, Unit};
pub(super) use self::steps::unknown;

pub(super) use self::folder_walk::FolderWalk;
pub use apply::remembered_folder;
pub use slugs::{SLUG_IS_TAKEN, candidates as slug_candidates, renamed};
pub use unread::{project_problems, unread_files};

use crate::content_files::{
    conditions::Conditions,
    file_state::{FileOutput, FileStat},
    site_file::SITE_FILES,
};
