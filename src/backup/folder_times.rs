//! The times of the last changes of the uploads' folders, so that files are searched only after a change.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, SystemTime},
};

/// Time within which a folder may change again with the same modification time, on most file systems.
const GRANULE: Duration = Duration::from_millis(50);

/// The same time on file systems that only store whole seconds.
const COARSE_GRANULE: Duration = Duration::from_secs(2);

/// The folders that were searched, with the times of their last changes.
#[derive(Debug)]
pub struct FolderTimes {
    began_at: SystemTime,
    /// `None` for a folder that did not exist.
    times: Vec<(PathBuf, Option<SystemTime>)>,
    /// True if a folder changed during the search or just before it, so that its time does not prove that all files were
    /// found.
    is_unsettled: bool,
}

impl Default for FolderTimes {
    /// Returns no folders, at the beginning of a search.
    fn default() -> Self {
        Self {
            began_at: SystemTime::now(),
            times: Vec::new(),
            is_unsettled: false,
        }
    }
}

impl FolderTimes {
    /// Adds a folder with the time of its last change; the time is `None` if the folder does not exist.
    pub fn add(&mut self, folder: PathBuf, modified: Option<SystemTime>) {
        self.is_unsettled |= modified.is_some_and(|time| {
            let granule = if is_whole_second(time) {
                COARSE_GRANULE
            } else {
                GRANULE
            };
            time + granule >= self.began_at
        });
        self.times.push((folder, modified));
    }

    /// Returns whether files may have been added or deleted since the search began. A folder that cannot be read
    /// counts as changed, so that the next search reports it.
    pub fn may_have_changed(&self) -> bool {
        self.is_unsettled
            || self.times.iter().any(|(folder, before)| {
                let now = fs::metadata(folder).and_then(|metadata| metadata.modified());
                now.ok() != *before
            })
    }
}

fn is_whole_second(time: SystemTime) -> bool {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.is_ok_and(|since| since.subsec_nanos() == 0)
}
