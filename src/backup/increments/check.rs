//! Verifies all moments of a location.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    super::{BackupError, Damage},
    assemble::read_chunk,
    format::{Chunk, SegmentHeader, SiteState, read_segment, read_state},
    history::History,
    location::Location,
    object_name::{MomentKind, MomentName, of_chunk},
    record_line,
};
use crate::progress::Progress;

/// Maximum number of damaged objects that are reported.
const DAMAGES_MAX: usize = 1000;

/// The result of verifying a location.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LocationVerdict {
    /// Number of whole states.
    pub states: usize,
    /// Number of segments between them.
    pub segments: usize,
    /// Number of chunks that they refer to.
    pub chunks: usize,
    /// Total length of all these objects, in bytes.
    pub bytes: u64,
    /// Time of the first moment.
    pub first: Option<Timestamp>,
    /// Time of the last moment.
    pub last: Option<Timestamp>,
    /// The missing and damaged objects; empty if every moment can be restored.
    pub damages: Vec<Damage>,
}

/// Verifies every state, segment and chunk of a location, and that no segment in between is
/// missing.
///
/// # Errors
///
/// If the location cannot be read, or `progress` cancels. Damage is not an error.
pub fn check(location: &Location, progress: &dyn Progress) -> Result<LocationVerdict, BackupError> {
    let history = History::read(location)?;
    let mut check = LocationCheck {
        location,
        progress,
        verdict: LocationVerdict {
            // A bucket can report any lengths.
            bytes: history
                .moments()
                .filter_map(|moment| moment.bytes)
                .fold(0, u64::saturating_add),
            first: history.names().next().map(|name| name.created_at),
            last: history.names().next_back().map(|name| name.created_at),
            ..LocationVerdict::default()
        },
        revisions: HashMap::new(),
        chunks: BTreeMap::new(),
    };
    let mut headers = Vec::new();
    for name in history.names() {
        let header = check.check_moment(name)?;
        headers.extend(header.map(|header| (name, header)));
        if progress.is_cancelled() {
            return Err(BackupError::Cancelled);
        }
    }
    // In a second pass: among moments of one second, a segment can be listed before the one that it
    // follows.
    for (name, header) in headers {
        check.check_link(name, &header);
    }
    check.check_chunks()?;
    Ok(check.verdict)
}

/// A verification that is in progress.
struct LocationCheck<'a> {
    location: &'a Location,
    progress: &'a dyn Progress,
    verdict: LocationVerdict,
    /// The revision of each intact moment.
    revisions: HashMap<String, u64>,
    /// Each chunk, with the first object that refers to it.
    chunks: BTreeMap<String, (Chunk, String)>,
}

impl LocationCheck<'_> {
    /// Reads a state or segment. Returns the header of a segment.
    fn check_moment(&mut self, name: &MomentName) -> Result<Option<SegmentHeader>, BackupError> {
        let text = name.to_string();
        match name.kind {
            MomentKind::State => {
                self.verdict.states += 1;
                if let Some(state) = self.or_report(read_state(self.location, name))? {
                    self.add_state(text, &state);
                }
                Ok(None)
            }
            MomentKind::Segment => {
                self.verdict.segments += 1;
                let segment = read_segment(self.location, name);
                let Some((header, lines)) = self.or_report(segment)? else {
                    return Ok(None);
                };
                let lines = lines.split(|byte| *byte == b'\n');
                let lines = lines.filter(|line| !line.is_empty());
                let records: Result<Vec<_>, _> = lines.map(record_line::parse).collect();
                match records {
                    Ok(records) if records.len() as u64 == header.records => {}
                    Ok(records) => {
                        let (found, expected) = (records.len(), header.records);
                        let what = format!("it has {found} records instead of {expected}");
                        self.report(&text, what);
                    }
                    Err(what) => self.report(&text, what),
                }
                let chunks = header.files.iter().flat_map(|file| &file.chunks);
                self.add_chunks(&text, chunks);
                self.revisions.insert(text, header.info.revision);
                Ok(Some(header))
            }
        }
    }

    fn add_state(&mut self, name: String, state: &SiteState) {
        self.add_chunks(&name, state.chunks().chain(&state.segment_chunks));
        self.revisions.insert(name, state.info.revision);
    }

    /// Adds the chunks that the object `name` refers to.
    fn add_chunks<'c>(&mut self, name: &str, chunks: impl Iterator<Item = &'c Chunk>) {
        for chunk in chunks {
            self.chunks
                .entry(chunk.sha256.clone())
                .or_insert_with(|| (chunk.clone(), name.to_owned()));
        }
    }

    /// Verifies that a segment follows an existing moment.
    fn check_link(&mut self, name: &MomentName, header: &SegmentHeader) {
        let name = name.to_string();
        // Only intact moments are in the map, so damage is also reported by what follows it.
        match self.revisions.get(&header.after) {
            None if MomentName::parse(&header.after).is_none() => {
                self.report(&name, "it does not name the moment before it".to_owned());
            }
            None => {
                let what = format!("it is missing or damaged; {name} follows it");
                self.report(&header.after, what);
            }
            Some(revision) if *revision != header.after_revision => {
                let what = format!(
                    "it follows revision {}, but {} has revision {revision}",
                    header.after_revision, header.after
                );
                self.report(&name, what);
            }
            Some(_) => {}
        }
    }

    /// Verifies the content of all chunks.
    fn check_chunks(&mut self) -> Result<(), BackupError> {
        // Each chunk is read once, although many moments share it.
        let chunks = std::mem::take(&mut self.chunks);
        let total = chunks.values().map(|(chunk, _)| chunk.stored).sum();
        let mut done = 0;
        self.verdict.chunks = chunks.len();
        self.verdict.bytes = self.verdict.bytes.saturating_add(total);
        for (chunk, referrer) in chunks.into_values() {
            match read_chunk(self.location, &chunk) {
                Ok(content) if content.len() as u64 == chunk.bytes => {}
                Ok(_) => self.report(&of_chunk(&chunk.sha256), "it is too short".to_owned()),
                Err(BackupError::Object { name, what, .. }) => {
                    self.report(&name, format!("{what}; {referrer} needs it"));
                }
                Err(error) => return Err(error),
            }
            done += chunk.stored;
            if self.progress.step(done, total).is_break() {
                return Err(BackupError::Cancelled);
            }
        }
        Ok(())
    }

    /// Returns the value that was read, or reports its damage.
    fn or_report<T>(&mut self, read: Result<T, BackupError>) -> Result<Option<T>, BackupError> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(BackupError::Object { name, what, .. }) => {
                self.report(&name, what);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Adds damage of an object, unless damage of the same object is already reported.
    fn report(&mut self, location: &str, what: String) {
        let location = location.to_owned();
        let damage = Damage { location, what };
        let known = &mut self.verdict.damages;
        let is_known = known.iter().any(|other| other.location == damage.location);
        if known.len() < DAMAGES_MAX && !is_known {
            known.push(damage);
        }
    }
}
