//! The content folder as of the last run, for the code that writes files.

use std::sync::Arc;

use jiff::Timestamp;

use super::{conditions::Conditions, symbol_table::Directory};
use crate::domain::setting::Settings;

/// The records, files and conditions of the last run.
#[derive(Clone)]
pub struct FolderView {
    /// The records and files that documents may refer to.
    pub directory: Arc<Directory>,
    /// The conditions under which files were read.
    pub conditions: Conditions,
}

impl Default for FolderView {
    fn default() -> Self {
        Self {
            directory: Arc::default(),
            conditions: Conditions::of(&Settings::default(), Timestamp::UNIX_EPOCH),
        }
    }
}

impl FolderView {
    /// Returns whether a run has read the folder.
    pub fn is_read(&self) -> bool {
        // The time of the default, which no run can have.
        self.conditions.now != Timestamp::UNIX_EPOCH
    }
}
