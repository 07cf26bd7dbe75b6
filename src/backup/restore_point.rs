//! The backups of both kinds in a folder or bucket, by time.

use std::path::Path;

use jiff::Timestamp;

use super::{
    AHEAD_MAX, BackupError, Destination, History, Location, StoredBackup,
    increments::{Moment, MomentName, state_chunk_bytes},
    named_files::named_files,
};
use crate::clock::{Clock, SystemClock};

/// A backup that can be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestorePoint {
    /// A whole backup in one file.
    File(StoredBackup),
    /// A moment of the incremental backups.
    Moment(MomentName),
}

impl RestorePoint {
    /// Returns the last backup up to `time`, or the last one of all if that is `None`. In the latter
    /// case, a backup from the future, written when a clock was ahead, counts only if there are no
    /// others.
    ///
    /// # Errors
    ///
    /// `NoneThere` or `NoneBefore` if there is no such backup; if the destination cannot be read.
    pub fn find(
        from: &Destination,
        scratch: &Path,
        time: Option<Timestamp>,
    ) -> Result<Self, BackupError> {
        let location = Location::new(from.clone(), scratch);
        let history = History::read(&location)?;
        let files = files_in(from)?;
        let until = time.unwrap_or_else(|| {
            let now = SystemClock.now() + AHEAD_MAX;
            let moments = history.names().map(|name| name.created_at);
            let mut times = moments.chain(files.iter().map(|file| file.created_at));
            if times.any(|time| time <= now) {
                now
            } else {
                Timestamp::MAX
            }
        });
        let moment = history.last_until(&location, until)?;
        let first_file = files.first().map(|file| file.created_at);
        let file = files
            .into_iter()
            .rev()
            .find(|file| file.created_at <= until);
        match (moment, file) {
            (Some(moment), Some(file)) if file.created_at > moment.created_at => {
                Ok(Self::File(file))
            }
            (Some(moment), _) => Ok(Self::Moment(moment)),
            (None, Some(file)) => Ok(Self::File(file)),
            (None, None) => {
                let moments = history.names().next().map(|name| name.created_at);
                let first = first_file.into_iter().chain(moments).min();
                Err(match (time, first) {
                    (Some(time), Some(first)) => BackupError::NoneBefore {
                        location: from.to_string(),
                        time,
                        first,
                    },
                    _ => BackupError::NoneThere(from.to_string()),
                })
            }
        }
    }

    /// Returns the name of the backup.
    pub fn name(&self) -> String {
        match self {
            Self::File(file) => file.name.clone(),
            Self::Moment(moment) => moment.to_string(),
        }
    }
}

/// Returns the whole backups at a destination, oldest first. In a folder, includes those that were
/// named by people.
fn files_in(from: &Destination) -> Result<Vec<StoredBackup>, BackupError> {
    let mut files = from.list()?;
    if let Destination::Folder(folder) = from {
        files.extend(named_files(folder)?);
        files.sort_by_key(|file| file.created_at);
    }
    Ok(files)
}

/// Returns all backups at a destination, oldest first, as moments. A whole backup in one file counts
/// as a state.
///
/// # Errors
///
/// If the destination cannot be read.
pub fn restore_points(from: &Destination, scratch: &Path) -> Result<Vec<Moment>, BackupError> {
    let history = History::read(&Location::new(from.clone(), scratch))?;
    let files = files_in(from)?.into_iter().map(|file| Moment {
        name: file.name,
        created_at: file.created_at,
        is_state: true,
        bytes: Some(file.bytes),
    });
    let mut points: Vec<Moment> = files.chain(history.moments()).collect();
    points.sort_by_key(|point| point.created_at);
    Ok(points)
}

/// Returns the same as [`restore_points`], with the length of each state including the chunks that it
/// needs. Reads every state.
///
/// # Errors
///
/// If the destination cannot be read.
pub fn listed_backups(from: &Destination, scratch: &Path) -> Result<Vec<Moment>, BackupError> {
    let location = Location::new(from.clone(), scratch);
    let mut points = restore_points(from, scratch)?;
    for point in &mut points {
        if let Some(name) = MomentName::parse(&point.name)
            && point.is_state
        {
            let chunks = match state_chunk_bytes(&location, &name) {
                // A damaged state is listed, so that its name is known.
                Err(BackupError::Object { .. } | BackupError::Newer { .. }) => None,
                chunks => Some(chunks?),
            };
            let object = point.bytes.zip(chunks);
            point.bytes = object.map(|(object, chunks)| object.saturating_add(chunks));
        }
    }
    Ok(points)
}
