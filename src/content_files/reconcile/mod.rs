//! Reconciles the site with a content folder: changed files are read, and their dependents read again, and all of it becomes
//! visible in one commit.
//!
//! A run has four steps: *scan* (which files changed), *read* (parse them), *agree* (conflicts of slugs, dangling references),
//! *apply* (one transaction with the records, Markdown rendered). The records of the last valid version of a file with an
//! error stay and the other files are applied, unless the folder is one [`Unit`], in which case nothing is applied. The state
//! is stored only if the commit succeeds.

mod accounts;
mod apply;
mod beside_edits;
mod compare;
mod conversions;
mod folder_walk;
mod last_run;
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
    site_file::SITE_FILES,
    state::{FileOutput, FileStat},
};
