//! A walk through a folder.

use std::path::Path;

use jiff::Timestamp;

use crate::content_files::folder_files::{self, Tree};

/// The files of a folder, and the time at which they were listed.
pub struct FolderWalk {
    /// The time at which the walk began, in nanoseconds since 1970: metadata of a file may be that old.
    pub(super) began_at_ns: i128,
    pub(super) tree: Tree,
}

impl FolderWalk {
    /// Walks through the folder `root` now.
    pub fn through(root: &Path) -> Self {
        Self {
            began_at_ns: Timestamp::now().as_nanosecond(),
            tree: folder_files::walk(root),
        }
    }
}
