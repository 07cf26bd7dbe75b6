//! The moments of a location, and the objects that each is restored from.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    super::BackupError,
    files::Files,
    format::{MomentInfo, SegmentHeader, SiteState, read_segment, read_state},
    location::Location,
    object_name::{MomentKind, MomentName, SEGMENTS, STATES},
};

/// A moment that can be restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The name of its object.
    pub name: String,
    /// Time of writing.
    pub created_at: Timestamp,
    /// True for a whole state, false for the changes since another moment.
    pub is_state: bool,
    /// Length of the object, in bytes, without the chunks that it refers to. In the list of
    /// [`listed_backups`](crate::backup::listed_backups), the length of a state includes the chunks that it
    /// needs, and is `None` if the state cannot be read.
    pub bytes: Option<u64>,
}

/// The moments of a location.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The names with the lengths of the objects, by time.
    names: Vec<(MomentName, u64)>,
}

/// The objects of one moment: a state and the segments after it, in order.
#[derive(Debug)]
pub struct Chain {
    pub state_name: MomentName,
    pub state: SiteState,
    pub segments: Vec<(MomentName, SegmentHeader)>,
}

impl History {
    /// Lists the moments of a location.
    ///
    /// # Errors
    ///
    /// If the location cannot be read.
    pub fn read(location: &Location) -> Result<Self, BackupError> {
        let mut names = Vec::new();
        for folder in [STATES, SEGMENTS] {
            let listed = location.list(folder)?.into_iter();
            names.extend(listed.filter_map(|(name, bytes)| {
                let name = MomentName::parse(&name)?;
                Some((name, bytes))
            }));
        }
        names.sort();
        Ok(Self { names })
    }

    /// Returns the moments, oldest first.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = Moment> {
        self.names.iter().map(|(name, bytes)| Moment {
            name: name.to_string(),
            created_at: name.created_at,
            is_state: name.kind == MomentKind::State,
            bytes: Some(*bytes),
        })
    }

    /// Returns the names of the moments, oldest first.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &MomentName> {
        self.names.iter().map(|(name, _)| name)
    }

    /// Returns the length of the object of a moment, in bytes.
    pub fn bytes_of(&self, moment: &MomentName) -> u64 {
        let found = self.names.iter().find(|(name, _)| name == moment);
        found.map_or(0, |(_, bytes)| *bytes)
    }

    /// Returns the names of the states, oldest first.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = &MomentName> {
        self.names().filter(|name| name.kind == MomentKind::State)
    }

    /// Returns the last moment up to `time`. Among several moments of one second, it is the
    /// readable one with the highest revision.
    ///
    /// # Errors
    ///
    /// If several moments must be compared and none can be read; if the location cannot be read.
    pub fn last_until(
        &self,
        location: &Location,
        time: Timestamp,
    ) -> Result<Option<MomentName>, BackupError> {
        let until = self.names().rev().filter(|name| name.created_at <= time);
        let mut until = until.peekable();
        let Some(newest) = until.peek().map(|name| name.created_at) else {
            return Ok(None);
        };
        let of_second: Vec<_> = until.take_while(|name| name.created_at == newest).collect();
        if let [name] = of_second.as_slice() {
            return Ok(Some((*name).clone()));
        }
        // Names contain whole seconds, so only the content shows which moment is the last one.
        // Moments are read only in this rare case.
        let mut last = None;
        let mut first_error = None;
        for name in of_second {
            let revision = match info(location, name) {
                Err(error @ (BackupError::Object { .. } | BackupError::Newer { .. })) => {
                    first_error.get_or_insert(error);
                    continue;
                }
                info => info?.revision,
            };
            if last.as_ref().is_none_or(|(known, _)| *known < revision) {
                last = Some((revision, name));
            }
        }
        match (last, first_error) {
            (None, Some(error)) => Err(error),
            (last, _) => Ok(last.map(|(_, name)| name.clone())),
        }
    }
}

/// Reads the information that all kinds of moments have.
fn info(location: &Location, name: &MomentName) -> Result<MomentInfo, BackupError> {
    Ok(match name.kind {
        MomentKind::State => read_state(location, name)?.info,
        MomentKind::Segment => read_segment(location, name)?.0.info,
    })
}

impl Chain {
    /// Reads the chain of a moment, back to its state.
    ///
    /// # Errors
    ///
    /// If an object is missing or damaged, or does not follow the preceding object that it refers
    /// to.
    pub fn read(location: &Location, moment: &MomentName) -> Result<Self, BackupError> {
        let mut segments: Vec<(MomentName, SegmentHeader)> = Vec::new();
        let mut name = moment.clone();
        // Ends: the name of a segment contains the hash of its content, which names its
        // predecessor, so there is no cycle.
        while name.kind == MomentKind::Segment {
            let (header, _) = read_segment(location, &name).map_err(|error| {
                let followed_by = segments.last().map(|(next, _)| next.to_string());
                followed(error, followed_by)
            })?;
            let text = name.to_string();
            let before = MomentName::parse(&header.after)
                .ok_or_else(|| location.error(&text, "it does not name the moment before it"))?;
            segments.push((name, header));
            name = before;
        }
        let followed_by = segments.last().map(|(next, _)| next.to_string());
        let state = read_state(location, &name).map_err(|error| followed(error, followed_by))?;
        segments.reverse();
        let mut revision = state.info.revision;
        for (name, header) in &segments {
            if header.after_revision != revision || header.info.revision < revision {
                let what = format!(
                    "it follows revision {}, but the moment before it has revision {revision}",
                    header.after_revision
                );
                return Err(location.error(&name.to_string(), what));
            }
            revision = header.info.revision;
        }
        Ok(Self {
            state_name: name,
            state,
            segments,
        })
    }

    /// Returns the revision, time and newest record of the moment.
    pub fn info(&self) -> &MomentInfo {
        match self.segments.last() {
            Some((_, header)) => &header.info,
            None => &self.state.info,
        }
    }

    /// Returns the files of the moment.
    pub fn files(&self) -> Files {
        let files = self.state.files.iter();
        let mut files: Files = files
            .map(|file| (file.path.clone(), file.clone()))
            .collect();
        for (_, header) in &self.segments {
            for path in &header.removed_files {
                files.remove(path);
            }
            for file in &header.files {
                files.insert(file.path.clone(), file.clone());
            }
        }
        files
    }
}

/// Adds the segment `by`, which needs the unreadable object, to the error.
fn followed(error: BackupError, by: Option<String>) -> BackupError {
    match (error, by) {
        (
            BackupError::Object {
                location,
                name,
                what,
            },
            Some(next),
        ) => BackupError::Object {
            location,
            name,
            what: format!("{what}; {next} follows it"),
        },
        (error, _) => error,
    }
}
